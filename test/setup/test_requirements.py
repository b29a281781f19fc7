# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The sections of requirements.txt hold what they need, and commands ask for the right ones."""

from importlib.metadata import PackageNotFoundError, requires

import pytest
from impact_setup.distribution import RosSource
from impact_setup.requirements import BASE, FURTHER, constraints, needed_by, sections, wanted
from impact_setup.steps import join_copies
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name


@pytest.fixture(scope="module")
def text(project_root):
    return (project_root / "requirements.txt").read_text()


def names(lines):
    requirements = map(Requirement, lines)
    return {canonicalize_name(each.name) for each in requirements if holds(each)}


def holds(requirement, extras=()):
    where = [{"extra": extra} for extra in ("", *extras)]
    return requirement.marker is None or any(map(requirement.marker.evaluate, where))


def missing(lines):
    """What installed packages of a list require and the list has not."""
    there, found = names(lines), set()
    for line in map(Requirement, lines):
        try:
            needed = map(Requirement, requires(line.name) or [])
        except PackageNotFoundError:  # of another Python, or not installed with a distribution
            continue
        wanted = (each for each in needed if holds(each, line.extras))
        found |= {f"{line.name}: {each.name}" for each in wanted if is_left_out(each, there)}
    return found


def is_left_out(requirement, there):
    return canonicalize_name(requirement.name) not in there


def test_every_section_is_known(text):
    assert set(sections(text)) == {*BASE, *FURTHER}


@pytest.mark.parametrize("further", [(), *[(name,) for name in FURTHER]])
def test_what_a_section_brings_in_is_in_it_or_in_the_base(text, further):
    assert missing(wanted(text, RosSource(), further).splitlines()) == set()


def test_the_test_sees_a_missing_package(text):
    lines = [line for line in wanted(text, RosSource()).splitlines() if "llvmlite" not in line]
    without = [line for line in lines if not line.startswith("contourpy")]
    assert missing(without) >= {"matplotlib: contourpy"}


def test_constraints_are_all_versions_without_extras(text):
    lines = constraints(text).splitlines()
    assert "ros-rclpy==9.1.2" in lines and not any("[" in line for line in lines)
    assert names(lines) == names(wanted(text, RosSource(), FURTHER).splitlines())


@pytest.mark.parametrize(
    ("call", "further"),
    [
        ("demo --json", set()),
        ("plan --robot panda", set()),
        ("plan --robot fr3", {"franka"}),
        ("plan --robot=fr3 --urdf my_fr3.urdf", {"franka"}),
        ("analyze fr3_bags --out my_parquet_notes --joint-prefix fr3_", set()),
        ("evaluate my_parquet_notes.csv --json", set()),
        ("analyze windows.parquet", {"tables"}),
        ("simulate qp_panda_demo --record wall --parquet", {"tables"}),
        ("demo --fci", {"franka"}),
        ("hit 127.0.0.1", {"franka"}),
        ("export parquet trials --out windows", {"tables"}),
        ("analyze windows/one.h5", {"tables"}),
        ("simulate qp_panda_demo --dask=tcp://127.0.0.1:1", {"tests"}),
        *[(command, set(FURTHER)) for command in ("test", "bench", "shell -- mypy", "doc")],
    ],
)
def test_a_command_needs(call, further):
    command, *arguments = call.split()
    assert needed_by(command, arguments) == further


@pytest.mark.parametrize("name", ["one.h5", "windows.parquet", "trial/windows.parquet"])
def test_a_folder_with_contact_windows_needs_what_reads_them(name, tmp_path):
    assert needed_by("analyze", [str(tmp_path), "\0"]) == set()
    (tmp_path / name).parent.mkdir(exist_ok=True)
    (tmp_path / name).touch()
    assert needed_by("analyze", [str(tmp_path)]) == {"tables"}


def test_equal_libraries_become_one_file(tmp_path):
    for name, content in (("liba.so", "a"), ("liba.so.1", "a"), ("libb.so", "b")):
        (tmp_path / name).write_text(content)
    assert join_copies(tmp_path) == 1
    assert (tmp_path / "liba.so").samefile(tmp_path / "liba.so.1")
    assert (tmp_path / "libb.so").read_text() == "b"
    assert join_copies(tmp_path) == 0
