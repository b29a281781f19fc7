# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""`./impact test` takes several processes where it may; CI runs it, and what it leaves out."""

import re

import pytest
from impact_setup import cli
from impact_setup.layout import Layout
from impact_setup.parallel import PARALLEL
from measured_times import LONG, LONGEST, SLOW


@pytest.fixture
def pytest_line(project_root):
    """A function that returns what follows ``pytest`` on the command line."""

    def line(*arguments):
        call = cli.command_line("test", list(arguments), Layout(project_root), {})
        assert call[1:3] == ["-m", "pytest"]
        return call[3:]

    return line


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["-q", "-x", "--durations", "15"],
        ["test/qp", "-k", "robust"],
        ["-m", ""],
        ["-m", "slow_build"],
        ["test/setup/test_house.py", "test/cli"],
        ["test/setup/test_house.py", "test/setup/test_copyright.py"],
        ["-p", "no:cacheprovider"],
        ["-rs", "-vk", "sets"],
    ],
)
def test_several_processes_share_the_tests(pytest_line, arguments):
    assert pytest_line(*arguments) == [*PARALLEL, *arguments]


@pytest.mark.parametrize(
    "arguments",
    [
        *(["-n", "4"], ["-n0"], ["--numprocesses=8"], ["--numprocesses", "8"]),
        *(["-p", "no:xdist"], ["-pno:xdist"], ["--pdb"], ["-x", "--trace"], ["-s"]),
        *(["-sv"], ["-vs"], ["-xvs"], ["-svkname"], ["-qn0"]),
        ["--collect-only"],
        ["test/setup/test_house.py", "-x"],
        ["test/setup/test_house.py", "-k", " or ".join(["a_name"] * 50)],
        ["test/setup/test_house.py::test_dependencies_point_one_way"],
    ],
)
def test_what_needs_one_process_or_says_how_many_stays_as_it_is(pytest_line, arguments):
    assert pytest_line(*arguments) == arguments


def test_the_files_that_come_first_are_there(project_root):
    assert [name for name in LONGEST if not (project_root / "test" / name).is_file()] == []


def test_what_is_slow_is_there(project_root):
    for name, slow in [*SLOW.items(), *LONG.items()]:
        defined = set(re.findall(r"^def (\w+)\(", (project_root / "test" / name).read_text(), re.M))
        assert set(slow) <= defined, name


def test_ci_runs_the_tests_as_the_readme_says_and_those_left_out(project_root):
    steps = re.findall(r"^step (.*)", (project_root / ".ci" / "run").read_text(), re.MULTILINE)
    settings = (project_root / "pyproject.toml").read_text()
    (chosen,) = re.findall(r'addopts = .*"-m", "([\w ]+)"', settings)
    left_out = " or ".join(re.findall(r"not (\w+)", chosen))
    tests = [step.replace(" --durations 15", "") for step in steps if "impact test" in step]
    assert tests == ["./impact test", f'./impact test -m "({left_out}) and not long"']
    assert "./impact test  " in (project_root / "README.md").read_text()
