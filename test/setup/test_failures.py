# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Every failure is one clear line."""

import fcntl
import os
import shutil
import subprocess
import sys
from collections import namedtuple

import pytest
from impact_setup import checks, cli, environment, lock, wheels, workspace
from impact_setup.distribution import RosSource
from impact_setup.errors import SetupError
from impact_setup.interpreter import choose, probe
from impact_setup.runner import Runner

WHEELS = RosSource()
JAZZY = RosSource("jazzy", ("/opt/ros/jazzy",), "3.12")
TIMEOUT_S = 120


def test_no_compiler(tmp_path):
    with pytest.raises(SetupError, match=r"no C\+\+ compiler: looked for c\+\+, g\+\+, clang\+\+"):
        checks.require_compiler({"PATH": str(tmp_path)})


def test_a_compiler_that_is_named_must_exist(tmp_path):
    (tmp_path / "c++").touch(mode=0o755)
    checks.require_compiler({"PATH": str(tmp_path)})
    with pytest.raises(SetupError, match="looked for icpx"):
        checks.require_compiler({"PATH": str(tmp_path), "CXX": "icpx"})


def test_no_space(tmp_path, monkeypatch):
    usage = namedtuple("usage", "total used free")(0, 0, 1.2e9)
    monkeypatch.setattr(shutil, "disk_usage", lambda path: usage)
    checks.require_space(tmp_path, needed_gb=1.1)
    with pytest.raises(SetupError, match=r"no space left: 2\.5 GB are needed in .*, 1\.2 GB are"):
        checks.require_space(tmp_path, needed_gb=2.5)


def test_not_writable(layout, monkeypatch):
    monkeypatch.setattr(os, "access", lambda path, mode: False)
    with pytest.raises(SetupError, match=f"cannot write to {layout.root}"):
        workspace.prepare({}, layout, WHEELS)


def test_a_full_disk_outside_pip_is_one_line_too(layout, commands):
    commands.fail_at = "venv"
    commands.failure = OSError(28, "No space left on device", str(layout.venv))
    with pytest.raises(SetupError, match=f"No space left on device: {layout.venv}"):
        workspace.prepare({}, layout, WHEELS)


def failing(error):
    """Return a function that raises an error, whatever it is called with."""

    def fail(*arguments, **options):
        raise error

    return fail


@pytest.mark.parametrize(
    ("error", "line"),
    [
        (
            subprocess.TimeoutExpired(["sh", "-c", "two\nlines"], 60.0),
            "sh did not answer within 60",
        ),
        (
            subprocess.CalledProcessError(
                1, ["python", "-c", "two\nlines"], "", "Trace\nNo numpy\n"
            ),
            "python failed with status 1: No numpy",
        ),
    ],
)
def test_a_process_that_fails_or_hangs_is_one_line_too(layout, commands, monkeypatch, error, line):
    monkeypatch.setattr(environment, "capture", failing(error))
    with pytest.raises(SetupError, match=line) as failure:
        workspace.prepare({}, layout, WHEELS)
    assert "\n" not in str(failure.value)


def test_wheels_into_what_is_no_folder(layout):
    layout.dist.write_text("")
    with pytest.raises(SetupError, match=f"File exists: {layout.dist}"):
        wheels.make({}, layout, WHEELS)


def test_old_wheels_stay_until_no_other_set_up_is_at_work(layout, monkeypatch):
    layout.dist.mkdir()
    (layout.dist / "impact_msgs-1.whl").touch()
    monkeypatch.setattr(lock, "held", failing(KeyboardInterrupt()))  # while it waits
    with pytest.raises(KeyboardInterrupt):
        wheels.make({}, layout, WHEELS)
    assert (layout.dist / "impact_msgs-1.whl").exists()


@pytest.mark.parametrize(
    ("source", "version", "wanted"),
    [
        (WHEELS, "3.9", "Python 3.10 or 3.11 or 3.12 or 3.13 is needed for ROS 2 from wheels"),
        (WHEELS, "3.14", "found: /usr/bin/python3.14 3.14"),
        (JAZZY, "3.11", "Python 3.12 is needed for ROS 2 from jazzy"),
    ],
)
def test_a_python_that_does_not_fit(source, version, wanted, make_python):
    with pytest.raises(SetupError) as failure:
        choose([None, make_python(version)], source)
    assert wanted in str(failure.value)


@pytest.mark.parametrize(
    ("has", "line"),
    [
        (
            {"has_venv": False},
            "without the venv module (Debian, Ubuntu: apt install python3.11-venv",
        ),
        ({"has_headers": False}, "without Python.h (Debian, Ubuntu: apt install python3.11-dev"),
    ],
)
def test_a_python_that_lacks_something(has, line, make_python):
    with pytest.raises(SetupError) as failure:
        choose([make_python("3.11", **has)], WHEELS)
    assert line in str(failure.value)


def test_the_first_python_that_can_build_is_chosen(make_python):
    incomplete, good = make_python("3.11", has_headers=False), make_python("3.12")
    assert choose([make_python("3.9"), incomplete, good, make_python("3.13")], WHEELS) is good


def test_a_python_is_asked_about_itself(tmp_path):
    assert probe(sys.executable).version == "{}.{}".format(*sys.version_info[:2])
    assert probe(str(tmp_path / "python3")) is None


@pytest.fixture
def runner(tmp_path):
    with (tmp_path / "lock").open("w") as file:
        yield Runner(tmp_path / "log", tmp_path, file.fileno())


@pytest.mark.parametrize(
    ("output", "line"),
    [
        ("OSError: [Errno 28] No space left on device", "no space left on the disk"),
        ("[Errno 111] Failed to establish a new connection", "no network: pip cannot reach"),
        ("Temporary failure in name resolution", "no network: pip cannot reach"),
        ("requirement numpy (from versions: none)", "no network, or pip is set to an index"),
        ("No CMAKE_CXX_COMPILER could be found.", "no C++ compiler that works"),
    ],
)
def test_what_a_failed_command_means(output, line, runner, capsys):
    with pytest.raises(SetupError) as failure:
        runner.run(["sh", "-c", f"echo '{output}'; exit 3"], os.environ)
    assert str(failure.value).startswith(line)
    assert str(failure.value).endswith(f"(log: {runner.log})")
    assert capsys.readouterr().err == ""


def test_an_unknown_failure_shows_the_end_of_the_log(runner, capsys):
    runner.log.write_text("No space left on device: another command's line\n")
    with pytest.raises(SetupError, match=r"^sh failed with status 3 \(log: "):
        runner.run(["sh", "-c", "seq 100; exit 3"], os.environ)
    assert capsys.readouterr().err.split() == [str(n) for n in range(89, 101)]


def is_free(path):
    with path.open("w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
    return True


def test_one_set_up_at_a_time(tmp_path):
    with lock.held(tmp_path / "lock"):
        assert not is_free(tmp_path / "lock")
    assert is_free(tmp_path / "lock")


def test_the_lock_outlives_a_killed_set_up_whose_child_still_writes(tmp_path):
    with lock.held(tmp_path / "lock") as descriptor:
        child = subprocess.Popen(["cat"], stdin=subprocess.PIPE, pass_fds=(descriptor,))
    try:
        assert not is_free(tmp_path / "lock")
    finally:
        child.communicate(timeout=TIMEOUT_S)
    assert is_free(tmp_path / "lock")


def test_whoever_waits_is_told(tmp_path, monkeypatch, capsys):
    asked = []

    def busy_once(file, operation):
        asked.append(operation)
        if len(asked) == 1:
            raise BlockingIOError

    monkeypatch.setattr(fcntl, "flock", busy_once)
    with lock.held(tmp_path / "lock"):
        assert asked == [fcntl.LOCK_EX | fcntl.LOCK_NB, fcntl.LOCK_EX]
    assert capsys.readouterr().err == "impact: waiting for another set-up of this checkout\n"


def test_whoever_waited_finds_the_work_done(layout, commands, monkeypatch):
    workspace.prepare({}, layout, WHEELS)
    commands.called.clear()
    # as if it had looked before the other set-up was through
    monkeypatch.setattr(workspace, "ready_paths", lambda *arguments: None)
    workspace.prepare({}, layout, WHEELS)
    assert commands.called == []


@pytest.mark.parametrize(
    ("error", "status", "line"),
    [
        (KeyboardInterrupt(), 130, "impact: interrupted"),
        (SetupError("no network"), 1, "impact: no network\n"),
    ],
)
def test_a_failed_set_up_is_one_line_and_a_status(error, status, line, monkeypatch, capsys):
    monkeypatch.setattr(workspace, "prepare", failing(error))
    assert cli.main(["demo"], {}) == status
    shown = capsys.readouterr().err
    assert shown.startswith(line)
    assert shown.count("\n") == 1


@pytest.mark.parametrize(
    ("call", "goes_on"),
    [
        (["plan", "--robot", "fr3"], True),
        (["shell", "--", "true"], True),
        (["plan", "--robot", "panda"], False),
        (["hit", "127.1.0.1"], False),
    ],
)
def test_what_may_not_be_needed_is_done_without(call, goes_on, monkeypatch, capsys):
    started = []
    monkeypatch.setattr(workspace, "prepare", failing(SetupError("no network")))
    monkeypatch.setattr(workspace, "ready_paths", lambda *arguments: {"PYTHONPATH": "/built"})
    monkeypatch.setattr(cli, "become", lambda *arguments: started.append(arguments) or 0)
    assert cli.main(call, {}) == (0 if goes_on else 1)
    assert bool(started) == goes_on
    told = "; goes on with what is installed" if goes_on else ""
    assert capsys.readouterr().err == f"impact: no network{told}\n"


def test_nothing_is_done_without_the_rest(monkeypatch, capsys):
    monkeypatch.setattr(workspace, "prepare", failing(SetupError("no network")))
    monkeypatch.setattr(workspace, "ready_paths", lambda *arguments: None)
    assert cli.main(["plan", "--robot", "fr3"], {}) == 1
    assert capsys.readouterr().err == "impact: no network\n"
