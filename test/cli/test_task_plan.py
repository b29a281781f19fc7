# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""`plan --task`: how fast what a file describes may be hit, without a word of simulation."""

import argparse
import json

import pytest

from impact_cli.command_line import run
from impact_cli.commands.plan import add_parser
from impact_qp.body.grab_phases import box_arrivals
from impact_qp.whole_body.planning import arrival_speed
from impact_robots import load_robot
from impact_robots.task.find import find_hit_task, find_palm_task

HIT = """
robot: panda
contact_point: [0.5, 0.1, 0.5]
contact_normal: [-1.0, 0.0, 0.0]
friction: [0.0, 0.279]
restitution: [0.0, 0.3]
impact_limits: robust
"""
GRAB = "rs_grab_catfood_case1"
JOINTS = "joint_ranges: nominal\n"


@pytest.fixture
def planned(capsys, tmp_path):
    """A function that plans, with a text as the file of its task, and returns the document."""

    def plan(*options, task=""):
        if task:
            (tmp_path / "mine.yaml").write_text(task)
            options = ("--task", str(tmp_path / "mine.yaml"), *options)
        run(["plan", *options, "--json"])
        return json.loads(capsys.readouterr().out)

    return plan


def test_a_named_scenario_contains_its_task(planned):
    options = ("--impact-limits", "robust")
    assert planned("--task", GRAB, *options) == planned("--scenario", GRAB, *options)


def test_a_task_says_what_options_say(planned, tmp_path):
    found = planned(task=HIT)
    task = find_hit_task(tmp_path / "mine.yaml")
    q = ",".join(repr(float(value)) for value in task.pose(load_robot("panda")))
    surface = ("--normal=-1,0,0", "--friction", "0,0.279", "--restitution", "0,0.3")
    assert found == planned(f"--q={q}", *surface, "--impact-limits", "robust")
    assert found["contact_point_m"] == pytest.approx([0.5, 0.1, 0.5])


def test_an_option_counts_more_than_the_task(planned):
    found = planned("--friction", "0.1,0.2", "--impact-limits", "existential", task=HIT)
    assert (found["friction_low"], found["friction"]) == (0.1, 0.2)
    assert found["impact_limits"] == "existential"


def test_ranges_of_a_task_are_those_of_options(planned):
    text = f"like: {GRAB}\nranges: {{mass: [1.0, 2.0], friction: [0.5, 0.6]}}\n"
    options = ("--object-mass", "1,2", "--friction", "0.5,0.6")
    found = planned("--impact-limits", "robust", task=text)
    asked = planned("--task", GRAB, "--impact-limits", "robust", *options)
    assert found["speed_bound_mps"] == asked["speed_bound_mps"]
    assert found["object_mass_kg"] == [1.0, 2.0] and found["friction"] == 0.6
    usual = planned("--task", GRAB, "--impact-limits", "robust")
    assert found["speed_bound_mps"] != usual["speed_bound_mps"]


@pytest.mark.parametrize(
    ("option", "entry", "task"),
    [
        ("--peak-factor=2", "peak_factor: 2.0", HIT),
        ("--duration=0.03", "impact_duration: 0.03", f"like: {GRAB}\n"),
        ("--object-mass=1,2", "ranges: {mass: [1.0, 2.0]}", f"like: {GRAB}\n"),
    ],
)
def test_an_entry_replaces_an_option_that_goes(impact, tmp_path, option, entry, task):
    file = tmp_path / "mine.yaml"

    def planned(entry, *options):
        file.write_text(f"{task}{entry}\n")
        return impact("plan", "--task", file, "--impact-limits", "robust", *options, "--json")

    status, out, err = planned(f"title: mine\n{entry}")
    asked = planned("title: mine", option)
    assert (status, out, err) == (*asked[:2], "")
    name, key = option.partition("=")[0], entry.partition(" {")[0].rpartition(": ")[0]
    assert asked[2].startswith(f"impact: {name} is deprecated: use {key}")
    assert out != planned("title: mine")[1]


def test_joints_as_in_the_yaml_allow_more_speed(planned):
    announced, nominal = (planned(task=f"like: {GRAB}\n{more}") for more in ("", JOINTS))
    assert nominal["joint_ranges"] == "nominal"
    assert nominal["speed_bound_mps"] > announced["speed_bound_mps"]


def test_an_engineer_sees_twenty_options():
    parser = argparse.ArgumentParser().add_subparsers()
    shown = [each for each in add_parser(parser)._actions if each.help != argparse.SUPPRESS]
    assert len(shown) == 20


def test_a_cell_names_the_arms(planned, tmp_path):
    cell = tmp_path / "cell.yaml"
    robots = "{robot: panda_plate, base: [0, 0.45, 0]}", "{robot: panda_plate, base: [0, -0.45, 0]}"
    cell.write_text(f"robots:\n  front: {robots[0]}\n  back: {robots[1]}\n")
    found = planned("--task", GRAB, "--cell", str(cell), "--impact-limits", "robust")
    assert list(found["arms"]) == ["front", "back"]


def test_a_humanoids_palms_arrive_as_fast_as_their_limits_allow(planned):
    task, robot = find_palm_task("qp_hrp4_grab"), load_robot("hrp4")
    found = planned("--task", "qp_hrp4_grab")
    bound = arrival_speed(robot, task.grabbing(robot), box_arrivals(task, robot), "robust")
    assert found["speed_bound_mps"] == pytest.approx(bound.speed, rel=1e-12)
    assert [each["frame"] for each in found["contacts"]] == ["left_palm", "right_palm"]


def test_a_humanoids_limits_count_on_a_range_of_friction(planned):
    exact, ranged = (
        planned(task=f"like: qp_hrp4_grab\nfriction: 0.5\n{more}")
        for more in ("", "friction_range: [0.2, 0.8]\n")
    )
    assert (exact["friction_low"], exact["friction"]) == (0.5, 0.5)
    assert (ranged["friction_low"], ranged["friction"]) == (0.2, 0.8)
    assert ranged["speed_bound_mps"] < exact["speed_bound_mps"]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--cell", "cell.yaml"], "--cell: only with --task"),
        (["--task", GRAB, "--scenario", GRAB], "--task: not with --scenario, which contains one"),
        (["--task", "nothing"], "task: expected one of qp_panda_demo"),
        (["--task", "none.yaml"], "task: no file none.yaml"),
        (["--task", "qp_hrp4_grab", "--friction", "0.3"], "--friction: not with a humanoid's task"),
        (["--task", "qp_hrp4_grab", "--cell", "none.yaml"], "cell: no file none.yaml"),
        (["--task", GRAB, "--q", "0,0,0,0,0,0,0"], "--q: not with a box"),
    ],
)
def test_what_does_not_go_together_is_refused(options, words, refused):
    assert words in refused("plan", *options)


DEGREES = "0,9.1,0,-137,0,146,0"
WRONG = (
    "q: expected positions within the limits of panda_joint2, panda_joint4, panda_joint6,"
    " got 9.1, -137, 146; is it in degrees?"
)


@pytest.mark.parametrize(
    "command",
    [["plan"], ["plan", "--optimize"], ["plan", "--person", "chest"], ["sets"], ["touch"]],
)
def test_positions_in_degrees_are_refused(capsys, command):
    assert run([*command, "--q", DEGREES]) == 2
    assert capsys.readouterr().err.splitlines() == [f"impact: {WRONG}"]


def test_a_task_with_positions_in_degrees_is_refused(capsys, tmp_path):
    file = tmp_path / "mine.yaml"
    file.write_text(f"like: qp_panda_demo\nq_impact: [{DEGREES}]\n")
    assert run(["plan", "--task", str(file)]) == 2
    assert capsys.readouterr().err.splitlines() == [f"impact: {WRONG}"]


def test_positions_a_little_outside_are_no_degrees(capsys):
    assert run(["plan", "--q", "0,0.4,0,-2.4,0,4.0,0"]) == 2
    line = "impact: q: expected positions within the limits of panda_joint6, got 4"
    assert capsys.readouterr().err.splitlines() == [line]
