# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Tools and targets in YAML, read and refused."""

from dataclasses import replace
from math import inf

import pytest

from impact_robots import load_robot
from impact_robots.exceptions import RobotError
from impact_robots.robot import Robot
from impact_robots.tools.strike_file import read_target, read_tool
from impact_robots.tools.target import ANY_STOP, HardStop, Nail, Target, Wish
from impact_robots.tools.tool import Tool, ToolCase, flange_of, with_tool

HAMMER = """
tool:
  head: {position: [0, 0, 0.12], axis: [0, 0, 2], mass: [0.27, 0.33]}
  handle: {stiffness: [2.1e4, 3.9e4], damping_ratio: [0.02, 0.2]}
  adapter: {mass: 0.1, position: [0, 0, 0.03]}
  off_centre: 0.005
  off_angle: 0.05
target: {nail: {resistance: [200, 400], stiffness: [1e6, 1e7], depth: 0.03}}
"""
CLUB = "tool: {head: {position: [0, 0, 0.1], mass: 0.3}}\n"


@pytest.fixture
def written(tmp_path):
    """A function that writes a file and returns its path."""

    def write(text):
        (tmp_path / "mine.yaml").write_text(text)
        return tmp_path / "mine.yaml"

    return write


def test_one_file_says_tool_and_target(written):
    path = written(HAMMER)
    tool = read_tool(path)
    assert tool == Tool(
        (0.0, 0.0, 0.12),
        (0.0, 0.0, 1.0),
        (0.27, 0.33),
        (2.1e4, 3.9e4),
        (0.02, 0.2),
        0.1,
        (0.0, 0.0, 0.03),
        0.005,
        0.05,
    )
    assert tool.nominal == pytest.approx(ToolCase(0.3, 3e4, 0.11))
    assert len(set(tool.corners())) == 8
    nail = Nail((200.0, 400.0), (1e6, 1e7), 0.03)
    assert read_target(path) == Target(nail, ANY_STOP, (0.0, 0.3), Wish("work"))


def test_motors_give_way_only_if_a_handle_says_so(written):
    assert not read_tool(written(HAMMER)).give_way
    assert read_tool(written(HAMMER.replace("0.2]}", "0.2], give_way: true}"))).give_way


def test_without_a_handle_a_tool_is_rigid(written):
    tool = read_tool(written(CLUB))
    assert not tool.gives and tool.stiffness == (inf, inf)
    assert tool.corners() == [ToolCase(0.3, inf, 0.0)] == [tool.nominal]


@pytest.mark.parametrize(
    ("text", "wish"),
    [
        ("{impulse: 0.5}", Wish("impulse", 0.5)),
        ("{force: 300}", Wish("force", 300.0)),
        ("{deliver: {impulse: 0.5}}", Wish("impulse", 0.5)),
        ("{maximize: force}", Wish("force")),
        ("{wall: {restitution: 0.2}}", Wish("speed")),
    ],
)
def test_what_a_strike_is_for(written, text, wish):
    target = read_target(written(f"target: {text}\n"))
    assert target.wish == wish and target.nail is None
    if "wall" in text:
        assert target.stop == HardStop(ANY_STOP.stiffness, (0.2, 0.2))


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("target: {nail: {}}", "entry 'tool' is missing"),
        ("tool: {handle: {}}", "entry 'tool.head' is missing"),
        ("tool: {head: {position: [0, 0, 120], mass: 1}}", "at most 3 m from the link's frame"),
        ("tool: {head: {position: [0, 0, 0], mass: [2, 1]}}", "tool.head.mass: expected a number"),
        ("tool: {head: {position: [0, 0, 0], mass: 1, axis: [0, 0, 0]}}", "a vector with a length"),
        (CLUB.replace("}}", "}, off_centre: 5}"), "off_centre: expected a finite number from 0 to"),
        (CLUB.replace("}}", "}, off_angle: 3}"), "got 3, which looks like degrees"),
        (CLUB.replace("}}", "}, handle: {stiffness: 3e4}}"), "'tool.handle.damping_ratio' is miss"),
        (CLUB.replace("}}", "}, grip: 1}"), "expected one of head, handle, adapter"),
        (HAMMER.replace("0.2]}", "0.2], give_way: 1}"), "tool.handle.give_way: expected "),
    ],
)
def test_a_wrong_tool_is_refused_in_one_line(written, text, reason):
    with pytest.raises(RobotError) as error:
        read_tool(written(text))
    assert reason in str(error.value) and "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("{nail: {stiffness: 1e6}}", "entry 'target.nail.resistance' is missing"),
        ("{nail: {resistance: [400, 200]}}", "expected a number or [low, high], each above 0"),
        ("{wall: {restitution: 2}}", "restitution: expected a number from 0 to 1, got 2"),
        ("{impulse: 1, force: 2}", "target.force: expected one wish, impulse is there, got 2"),
        ("{deliver: {impulse: 1, force: 2}}", "expected one of impulse, force, got"),
        ("{maximize: depth}", "expected one of work, impulse, force, speed, got 'depth'"),
        ("{cone: 30}", "cone: expected a finite number from 0 to 1.5"),
        ("{impulse: -1}", "target.impulse: expected a finite number above 0, got -1"),
    ],
)
def test_a_wrong_target_is_refused_in_one_line(written, text, reason):
    with pytest.raises(RobotError) as error:
        read_target(written(f"target: {text}\n"))
    assert reason in str(error.value) and "\n" not in str(error.value)


def test_a_tool_is_fixed_to_the_flange_once(written):
    robot, tool = load_robot("panda"), read_tool(written(CLUB))
    assert (flange_of(robot), robot.flange_speed) == ("panda_link8", 1.7)
    struck = with_tool(robot, tool, 0.3)
    assert isinstance(struck, Robot) and struck.contact_frame == "strike_head"
    with pytest.raises(RobotError, match="expected one without a tool that strikes"):
        with_tool(struck, tool, 0.3)
    carried = with_tool(load_robot("panda", payload=2.0), tool, 0.3)
    assert carried.payload == (0.0, 0.0)
    assert carried.model.inertias[-1].mass == pytest.approx(struck.model.inertias[-1].mass)
    assert replace(robot, tool=None).tool is None
