# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Every numeric option of every command: what is no number of its range gets one line, status 2."""

import argparse
import re
from pathlib import Path

import pytest

from impact_analysis.analyze.reading.normals_file import read_normals
from impact_analysis.detection.threshold_file import read_thresholds
from impact_cli.command_line import make_parser, run
from impact_cli.commands import demo, evaluate, view
from impact_cli.demo.demo_scenario import demo_scenario
from impact_cli.options import detect_options, number_options, view_options
from impact_cli.plans import several_plan

NUMERIC = (
    number_options.number,
    number_options.numbers,
    number_options.positive,
    number_options.not_negative,
    number_options.bounds,
    number_options.open_bounds,
    number_options.whole,
    number_options.count,
    number_options.seed,
    detect_options._numbers,
    evaluate._seed,
    evaluate._inertia_ratio,
    view_options.port,
    view._time,
    several_plan._arrival,
)
OTHER = (
    None,
    Path,
    demo_scenario,
    demo._not_here,
    detect_options._names,
    read_normals,
    read_thresholds,
)
NEEDED = {
    "simulate": ["free_motion"],
    "detect": ["recording.csv"],
    "reference": ["recording.csv"],
    "analyze": ["recording.csv", "--out", "results"],
    "evaluate": ["impacts.csv"],
    "view": ["recording.csv"],
    "export": ["mjcf", "--out", "results"],
    "map": ["--point", "0.5,0,0.1"],
    "compare": ["panda", "panda_plate"],
    "hit": ["127.1.0.1"],
    "touch": ["--plan"],
}
NO_NUMBERS = ["nan", "inf", "-inf", "1e308", "-1e308", "9" * 400, "", " ", "text", "0x10", "--"]
SIGNED = ("--speed", "--q", "--dq", "--normal", "--wrench-normal", "--contains")
SIGNED += ("--object-velocity", "--point", "--axis", "--turn")
SIGNED += ("--stance", "--tool-com", "--contact-point")


def commands():
    """Return the parser of each command by name."""
    (choice,) = [a for a in make_parser()._actions if isinstance(a, argparse._SubParsersAction)]
    return choice.choices


def numeric_options():
    """Return command and option of everything that takes a number."""
    return [
        (command, action.option_strings[-1])
        for command, parser in commands().items()
        for action in parser._actions
        if action.type in NUMERIC
    ]


def answer(capfd, arguments):
    """Run a command and return its status, what it printed, and its complaint."""
    try:
        status = run(arguments)
    except SystemExit as exit_:
        status = exit_.code
    out, err = capfd.readouterr()
    return status, out, err


def refused(capfd, command, option, value):
    """Check that a value is refused in one line that names the option."""
    given = [command, *NEEDED.get(command, []), f"{option}={value}"]
    status, out, err = answer(capfd, given)
    assert (status, out, err.count("\n")) == (2, "", 1), (given, err)
    assert option[2:] in err.replace("_", "-"), (given, err)


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "recording.csv").write_text("")


def test_every_option_with_a_type_is_known_to_this_table():
    types = {action.type for parser in commands().values() for action in parser._actions}
    assert types <= {*NUMERIC, *OTHER}
    assert len(numeric_options()) >= 40


@pytest.mark.parametrize(("command", "option"), numeric_options())
def test_what_is_no_number_is_refused(capfd, command, option):
    for value in NO_NUMBERS:
        if (option, value) != ("--seed", "9" * 400):  # of `evaluate`: any whole number will do
            refused(capfd, command, option, value)


@pytest.mark.parametrize(
    ("command", "option"), [each for each in numeric_options() if each[1] not in SIGNED]
)
def test_less_than_nothing_is_refused(capfd, command, option):
    refused(capfd, command, option, "-1")


@pytest.mark.parametrize(
    ("command", "option"),
    [
        (command, option)
        for command, option in numeric_options()
        if option in ("--q", "--dq", "--normal", "--wrench-normal", "--b-theta", "--contains")
    ],
)
def test_one_bad_component_is_enough(capfd, command, option):
    for value in ("0,0,nan", "0,inf,0", "0,,0", "0,1e308,0", "0;0;1"):
        refused(capfd, command, option, value)


@pytest.mark.parametrize("option", ["--urdf", "--robot", "--contact", "--q", "--model"])
def test_two_dashes_are_no_value(capfd, option):
    refused(capfd, "predict", option, "--")


def test_a_speed_may_be_negative(capfd):
    status, out, _ = answer(capfd, ["predict", "--speed=-0.2", "--json"])
    assert status == 0
    assert "NaN" not in out


def test_a_wrong_mass_is_no_safe_speed(capfd, tmp_path, project_root):
    """A decimal comma made the link weightless, and 18.6 m/s safe."""
    text = (project_root / "impact_robots" / "panda.urdf").read_text()
    file = tmp_path / "comma.urdf"
    file.write_text(text.replace('value="4.970684"', 'value="4,970684"'))
    status, out, err = answer(capfd, ["plan", "--robot", "panda", "--urdf", str(file)])
    assert (status, out, err.count("\n")) == (2, "", 1)
    assert "<mass> value: expected a number, got '4,970684'" in err


@pytest.mark.parametrize("option", ["--b-theta", "--b-rho"])
@pytest.mark.parametrize("robot", [(), ("--robot", "panda"), ("--robot", "panda", "--urdf", "a")])
@pytest.mark.parametrize("command", ["predict", "sets", "map"])
def test_motor_inertias_are_those_of_a_urdf_alone(capfd, command, robot, option):
    status, out, err = answer(capfd, [command, *NEEDED.get(command, []), *robot, option, "0.2"])
    assert (status, out, err.count("\n")) == (2, "", 1)
    assert f"{option}: only for --urdf without a robot, whose YAML gives" in err


@pytest.mark.parametrize(
    "robot", ["", ".", "nowhere.yaml", "recording.csv", "a\0b.yaml", "x" * 999]
)
def test_what_is_no_robot_is_refused(capfd, robot):
    for command in ("predict", "plan", "sets"):
        status, out, err = answer(capfd, [command, f"--robot={robot}"])
        assert (status, out, err.count("\n")) == (2, "", 1), err


@pytest.mark.parametrize(
    "given",
    [
        "plan --robot arm.yaml --friction 0 --restitution 0 --yaml arm.yaml",
        "plan --robot=arm.yaml --friction 0 --restitution 0 --yaml=./arm.yaml",
        "plan --task hit.yaml --yaml hit.yaml",
        "plan --task hit.yaml --yaml arm.yaml",  # the task's robot
        "detect motion --learn --robot arm.yaml -oarm.yaml",
        "detect motion/motion.csv --learn --output motion/arm.yaml",  # the robot beside the motion
        "detect motion --learn --thresholds known.yaml -o known.yaml",
        "detect motion/motion.csv --plot motion/motion.csv",
        "reference motion/motion.csv --out motion/arm.yaml --force",
    ],
)
def test_no_command_writes_over_its_input(given, tmp_path, monkeypatch, capsys):
    (tmp_path / "motion").mkdir()
    arm = "like: panda\nname: mine\npayload: 0.1\n"
    columns = [f"{name}_{k}" for name in ("q", "dq", "tau") for k in range(1, 8)]
    texts = {
        "arm.yaml": arm,
        "motion/arm.yaml": arm,
        "motion/motion.csv": ",".join(["time_s", *columns]) + "\n",
        "hit.yaml": "robot: arm.yaml\ncontact_point: [0.5, 0, 0.2]\ncontact_normal: [0, 0, 1]\n",
        "known.yaml": "/**/impact_detector:\n  ros__parameters:\n    threshold: 3.0\n",
    }
    for name, text in texts.items():
        (tmp_path / name).write_text(text)
    monkeypatch.chdir(tmp_path)
    assert run(given.split()) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert re.search(
        r"^impact: --(yaml|out|output|plot): expected another file than the inputs", line
    )
    assert {name: (tmp_path / name).read_text() for name in texts} == texts


@pytest.mark.parametrize(
    "given",
    [
        ["analyze", "bag", "--out", ""],
        ["analyze", "", "--out", "results"],
        ["map", "--plot="],
        ["detect", "bag", "--learn", "-o", ""],
    ],
)
def test_an_empty_path_is_not_the_current_folder(given, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit) as ended:
        run(given)
    (line,) = capsys.readouterr().err.splitlines()
    assert ended.value.code == 2 and line.endswith("expected a path, got ''")
    assert [each.name for each in tmp_path.iterdir()] == ["recording.csv"]
