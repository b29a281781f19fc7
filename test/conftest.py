# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Fixtures of all tests: robots, the shared data, commands, a DDS domain of the test run."""

import contextlib
import gc
import os
import signal
import sys
from pathlib import Path

import pytest
from hypothesis import settings
from measured_times import LONG, LONGEST, SLOW

ROOT = Path(__file__).resolve().parents[1]
settings.register_profile("repeatable", derandomize=True, deadline=None)  # the same on any machine
settings.load_profile("repeatable")


@pytest.hookimpl(wrapper=True)
def pytest_collection():
    """Keep what was imported and collected out of the garbage collector's later rounds."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items):
    """Begin with the longest files, and mark what is slow."""
    place = {ROOT / "test" / name: k for k, name in enumerate(LONGEST)}
    items.sort(key=lambda item: place.get(item.path, len(LONGEST)))
    for names, marks in ((SLOW, [pytest.mark.slow]), (LONG, [pytest.mark.slow, pytest.mark.long])):
        listed = {ROOT / "test" / name: set(what) for name, what in names.items()}
        for item in items:
            if listed.get(item.path, set()) & {item.originalname, *item.fixturenames}:
                for mark in marks:
                    item.add_marker(mark)


def pytest_terminal_summary(terminalreporter):
    """Say how many commands of the pages were run or why not, and how many figures compared."""
    reports = terminalreporter.getreports("passed") + terminalreporter.getreports("failed")
    said = [pair for each in reports for pair in each.user_properties]
    for reason, count in [
        p for name, each in said if name == "pages not run" for p in each.items()
    ]:
        terminalreporter.line(f"pages: {count} commands not run: {reason}")
    counts = [count for name, count in said if name == "page figures"]
    every = sum(counts) + sum(count for name, count in said if name == "study figures")
    if every:
        terminalreporter.line(f"pages: {len(counts)} commands run, {every} figures compared")


@pytest.fixture(scope="module")
def benchmarks(project_root):
    """The modules of benchmarks/ can be imported."""
    place = str(project_root / "benchmarks")
    sys.path.insert(0, place)
    yield
    sys.path.remove(place)


@pytest.fixture(scope="session")
def project_root() -> Path:
    """The repository's root."""
    return ROOT


@pytest.fixture(scope="session")
def derived_data() -> Path:
    """The folder of published and derived figures that tests compare with, see its README."""
    return ROOT / "test" / "data"


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of recorded data beside the checkout, or in ``$IMPACT_SHARED``."""
    data = Path(os.environ.get("IMPACT_SHARED", ROOT.parent / "shared")) / "data"
    if not data.is_dir():
        pytest.skip(f"no data in {data}: set IMPACT_SHARED to the folder that holds data/")
    return data


def robot(name):
    """A fixture of a robot by its name."""

    @pytest.fixture(scope="session", name=name)
    def loaded():
        from impact_robots import load_robot

        return load_robot(name)

    return loaded


panda, hrp4, cassie = map(robot, ("panda", "hrp4", "cassie"))


@pytest.fixture(scope="session")
def scenario():
    """The scenario of the demo: a Panda hits a wall."""
    from impact_sim import load_scenario

    return load_scenario("qp_panda_demo")


@pytest.fixture(scope="session", autouse=True)
def heard_interrupts():
    """Let children hear Ctrl-C even if a shell runs the tests as a background job, deaf to it."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session", autouse=True)
def ros_isolation():
    """Keep the run's nodes, and those of the processes it starts, out of any other's sight."""
    try:
        from rmw_test_fixture_implementation import RMWTestIsolator
    except ImportError:
        RMWTestIsolator = domain_of_this_process
    with RMWTestIsolator():
        yield


@contextlib.contextmanager
def domain_of_this_process():
    """Take a domain where ROS has no means for it: two processes of tests must not share one."""
    from impact_bringup.experiments.domain import own_domain

    with pytest.MonkeyPatch.context() as environment:
        environment.delenv("ROS_DOMAIN_ID", raising=False)
        with own_domain():
            yield


@pytest.fixture(scope="module")
def context():
    """A ROS context for the nodes of a module.

    A node of its own keeps what Fast DDS calls a participant until the end: with each test's nodes
    it would be made and destroyed anew, which takes long.
    """
    yield from kept_context()


@pytest.fixture
def own_context():
    """A ROS context of a single test, kept as :func:`context` keeps its own."""
    yield from kept_context()


def kept_context():
    """Yield a context, and end it."""
    import rclpy
    from rclpy.context import Context

    from impact_ros.node.closing import close

    made = Context()
    made.init()
    keeper = rclpy.create_node("keeper", context=made, start_parameter_services=False)
    yield made
    close(keeper, context=made)


@pytest.fixture
def impact(capsys):
    """A function that runs `./impact ARGUMENTS`: status, output and error output, as text."""
    from impact_cli.command_line import run

    def call(*arguments):
        try:
            status = run([str(argument) for argument in arguments])
        except SystemExit as end:
            status = end.code
        out, err = capsys.readouterr()
        return status, out, err

    return call


@pytest.fixture
def refused(impact):
    """A function that runs `./impact ARGUMENTS`, which has to end in one line: that line."""

    def call(*arguments, status=2):
        ended, out, err = impact(*arguments)
        assert (ended, out, err.count("\n")) == (status, "", 1), (ended, out, err)
        return err

    return call


@pytest.fixture(scope="session")
def libfranka():
    """Official libfranka, where it is installed."""
    from impact_drivers.exceptions import DriverError
    from impact_drivers.franka.arm import libfranka_arm

    try:
        return libfranka_arm.libfranka()
    except DriverError as error:
        pytest.skip(str(error))
