# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Tasks by name and from files, and cells: what controllers are given."""

import dataclasses

import numpy as np
import pytest

from impact_qp.parameters import ControllerParameters
from impact_robots import ArmDynamics, load_robot
from impact_robots.cell import RobotCell
from impact_robots.exceptions import TaskError
from impact_robots.task.box_file import BOX_TASKS, WORLD
from impact_robots.task.box_task import BoxTask
from impact_robots.task.find import (
    cell_of_file,
    find_box_task,
    find_hit_task,
    find_palm_task,
    find_task,
    find_tool,
)
from impact_robots.task.hit_task import HIT_TASKS
from impact_robots.task.palm_file import PALM_TASKS
from impact_robots.task.palm_file import WORLD as PALM_WORLD
from impact_robots.task.palm_task import PalmTask
from impact_robots.tools.tool import with_tool
from impact_ros.parameters import from_values
from impact_sim.cell.spreading_file import load_spreading
from impact_sim.cell.spreading_scenario import SpreadingScenario
from impact_sim.humanoid.grab_file import load_grab
from impact_sim.humanoid.grab_scenario import GrabScenario
from impact_sim.humanoid.grab_stage import GrabStage
from impact_sim.scenario_choice import find, find_scenario
from impact_trials.in_process.spreading_trial import spread

TWO_ARMS = """
robots:
  front: {robot: panda_plate, base: [0.0, 0.45, 0.0]}
  back: {robot: panda_plate, base: [0.0, -0.45, 0.0]}
"""


@pytest.fixture
def written(tmp_path):
    """A function that writes a file and returns its path."""

    def write(text, name="mine.yaml"):
        (tmp_path / name).write_text(text)
        return tmp_path / name

    return write


@pytest.mark.parametrize("name", BOX_TASKS.names())
def test_a_named_scenario_contains_the_task_of_its_name(name):
    assert load_spreading(name).task == dataclasses.replace(
        find_box_task(name), title=load_spreading(name).title, note=load_spreading(name).note
    )


@pytest.mark.parametrize("name", PALM_TASKS.names())
def test_a_named_grab_contains_the_task_of_its_name(name):
    assert load_grab(name).task == find_palm_task(name)


def test_what_only_simulators_read_is_what_scenarios_have_besides():
    def names(kind):
        return {each.name for each in dataclasses.fields(kind)}

    assert names(SpreadingScenario) - names(BoxTask) == {*WORLD, "announced"}
    assert names(GrabScenario) - names(PalmTask) == {*PALM_WORLD, "announced"}


def test_a_scenarios_file_is_the_file_of_its_task(written):
    path = written("like: rs_push_catfood_case1\nbox_mass: 2.0\nbox_offset: [0.0, 0.01, 0.0]\n")
    assert find_task(path) == find(path, SpreadingScenario).task
    assert find_task(path).box_mass == 2.0


def test_what_is_announced_is_told_and_the_rest_is_true(written):
    path = written(
        "like: rs_grab_catfood_case1\nbox_mass: 2.0\n"
        "announced: {box_mass: 1.0, plate_friction: 0.5}\n"
    )
    scenario, task = find(path, SpreadingScenario), find_task(path)
    assert task == scenario.task and type(scenario.task) is BoxTask
    assert (scenario.box_mass, scenario.plate_friction) == (2.0, 0.8)
    assert (task.box_mass, task.plate_friction) == (1.0, 0.5)


def test_a_box_of_another_size_stands_where_it_is_expected(written):
    """Arms are posed for what is announced; the true box stands on the same support."""
    path = written("like: rs_grab_catfood_case1\nannounced: {box_size: [0.26, 0.2, 0.3]}\n")
    scenario = find(path, SpreadingScenario)
    assert scenario.box_size == (0.26, 0.16, 0.2) and scenario.task.box_size == (0.26, 0.2, 0.3)
    assert scenario.q_impact == scenario.task.q_impact
    assert scenario.standing[:2] == pytest.approx(scenario.task.box_position[:2])
    assert scenario.standing[2] == scenario.support_z + 0.1
    assert scenario.task.box_position[2] == scenario.support_z + 0.15


def test_a_scenario_of_a_task_says_only_what_is_true(written):
    written("like: rs_push_juice_case1\nbox_mass: 2.0\ncell: cell.yaml\n", "push.yaml")
    written("robots:\n  only: {robot: panda_plate, base: [0.0, 0.0, 0.1]}\n", "cell.yaml")
    path = written("task: push.yaml\nbox_mass: 2.6\nbox_offset: [0.0, 0.01, 0.0]\n")
    scenario = find(path, SpreadingScenario)
    assert (scenario.box_mass, scenario.task.box_mass) == (2.6, 2.0)
    assert scenario.task == find_task(path)
    assert find_task(path).cell == cell_of_file(path.with_name("cell.yaml"))
    assert find_task(path).arm_names == ("only",) and find_task(path).kind == "push"


PUSH = """
robot: panda_plate
box_size: [0.2, 0.16, 0.2]
box_mass: 1.0
box_position: [0.45, -0.05, 0.3]
faces: [+y]
speed: 0.4
"""


def test_a_task_from_scratch_says_where_the_box_is_and_which_face_is_hit(written):
    task, dynamics = find_box_task(written(PUSH)), ArmDynamics(load_robot("panda_plate"))
    assert task.kind == "push" and task.name == "mine"
    np.testing.assert_allclose(task.box_position, [0.45, -0.05, 0.3], atol=1e-9)
    np.testing.assert_allclose(task.contact_point(0), [0.45, 0.03, 0.3], atol=1e-9)
    np.testing.assert_array_equal(task.direction(0), [0.0, -1.0, 0.0])
    (q,), (dq,), (velocity,) = task.q_impact, task.dq_impact, task.v_minus
    np.testing.assert_allclose(velocity, [0.0, -0.4, 0.0], atol=1e-12)
    state = dynamics(np.array(q), np.array(dq))
    np.testing.assert_allclose(state.J @ state.dq, [*velocity, 0, 0, 0], atol=1e-9)
    assert task.support_z == pytest.approx(0.2)


def test_two_arms_touch_opposite_faces_and_lift_as_they_do(written):
    written(TWO_ARMS, "cell.yaml")
    text = PUSH.replace("robot: panda_plate", "cell: cell.yaml").replace("[+y]", "[+y, -y]")
    task = find_box_task(written(text.replace("0.45, -0.05", "0.5, 0.0") + "rise: 0.3\n"))
    assert task.arm_names == ("front", "back") and task.kind == "grab"
    np.testing.assert_allclose(task.v_minus, [[0, -0.4, 0.3], [0, 0.4, 0.3]], atol=1e-12)
    gap = task.contact_point(0) - task.contact_point(1)
    np.testing.assert_allclose(gap, [0.0, 0.16, 0.0], atol=1e-8)


@pytest.mark.parametrize("name", ["rs_push_catfood_case2", "rs_grab_catfood_case1"])
def test_arms_are_posed_for_a_turned_box(written, name):
    """They stand about the box as they do about one that is not turned: all is turned with it."""
    straight, yaw = find_box_task(name), 0.2
    task = find_box_task(written(f"like: {name}\nbox_yaw: {yaw}\n"))
    turn = np.array([[np.cos(yaw), -np.sin(yaw), 0], [np.sin(yaw), np.cos(yaw), 0], [0, 0, 1]])
    np.testing.assert_allclose(task.box_position, straight.box_position, atol=1e-3)
    np.testing.assert_allclose(task.velocities, straight.velocities @ turn.T, atol=1e-12)
    for arm in range(len(task.bases)):
        np.testing.assert_allclose(task.direction(arm), turn @ straight.direction(arm), atol=1e-12)
        about = task.contact_point(arm) - task.box_position
        other = straight.contact_point(arm) - straight.box_position
        np.testing.assert_allclose(about, turn @ other, atol=1e-3)


def test_a_push_of_a_turned_box_moves_it_along_its_axis(written):
    scenario = find(written("like: rs_push_catfood_case2\nbox_yaw: 0.3\n"), SpreadingScenario)
    run = spread(scenario, 0)
    first, last = run.log.boxes[0].position, run.log.boxes[-1].position
    into = scenario.direction(0)
    assert (last - first) @ into > 0.15 and np.linalg.norm(np.cross(last - first, into)) < 0.03
    (plate,) = run.log.plant.plates
    assert plate.impulse @ -into > 0.9 * np.linalg.norm(plate.impulse)


def test_a_box_that_is_turned_unannounced_is_hit_where_it_was_expected(written):
    text = "like: rs_push_catfood_case2\nbox_yaw: 0.1\nannounced: {box_yaw: 0.0}\n"
    scenario = find(written(text), SpreadingScenario)
    assert scenario.task.q_impact == find_box_task("rs_push_catfood_case2").q_impact
    assert scenario.task.box_yaw == 0.0
    turned = scenario.layout().box
    assert turned.yaw == 0.1
    assert turned.position == pytest.approx(tuple(scenario.task.box_position))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (("[+y]", "[+z]"), r"faces: expected 1 of -x, \+x, -y, \+y, one an arm, got \+z"),
        (("[+y]", "[+y, -y]"), "faces: expected 1 of"),
        (("faces: [+y]\n", ""), "entries missing: faces"),
        (("0.45, -0.05", "1.45, -0.05"), "pose: none in reach with the plate at"),
        (("speed: 0.4", "rise: 0.4"), "rise: expected a speed, and no v_minus beside it"),
        (("speed: 0.4", "speed: -0.4"), "v_minus: expected plates that move into the box"),
        (("speed: 0.4", ""), "entries missing: speed"),
        (("[0.2, 0.16, 0.2]", "[200, 160, 200]"), "box_size: .* got 200 m, which looks like mill"),
        (("[0.45, -0.05, 0.3]", "[450, -50, 300]"), "box_position: .*, which looks like mill"),
        (("speed: 0.4", "speed: 400"), "speed: .* got 400 m/s, which looks like m.* per s"),
        (("speed: 0.4", "speed: 0.4\nbox_yaw: 30"), "box_yaw: .* 30 rad, which looks like degr"),
        (("speed: 0.4", "speed: 0.4\nnear: [[0, 30, 0, 0, 0, 0, 0]]"), "near: .*looks like degr"),
        (("box_mass: 1.0", "box_mass: 1000"), "box_mass: expected at most 100 kg, got 1000 kg"),
        (("box_mass: 1.0\n", ""), "entries missing: box_mass"),
        (("robot: panda_plate", "robot: panda_plat"), "robot: expected one of .*'panda_plat'"),
        (("robot: panda_plate", "robot: hrp4"), "robot: expected arms of 7 joints, got hrp4"),
        (
            ("speed: 0.4", "speed: 0.4\nranges: {mass: [2, 3]}"),
            "mass: expected one with box_mass 1 in",
        ),
        (("speed: 0.4", "speed: 0.4\njoint_names: [a]"), "expected entries of .*'joint_names'"),
        (("speed: 0.4", "speed: 0.4\nnear: [[0, 0]]"), "near: expected 1 rows of 7 numbers"),
        (("speed: 0.4", "speed: 0.4\nranges: {mass: [1]}"), "ranges: expected entries of mass"),
        (("speed: 0.4", "speed: 0.4\nranges: {mass: [2, 1]}"), "mass: expected low,high"),
    ],
)
def test_what_is_wrong_with_a_task_from_scratch_is_one_line(written, change, message):
    assert change[0] in PUSH
    with pytest.raises(TaskError, match=message) as caught:
        find_box_task(written(PUSH.replace(*change)))
    assert "\n" not in str(caught.value)


def test_a_scenario_is_a_task_in_a_cell_and_what_is_true(written):
    written(TWO_ARMS, "cell.yaml")
    written("like: rs_grab_safe\n", "grab.yaml")
    scenario = find(written("task: grab.yaml\ncell: cell.yaml\nbox_mass: 1.5\n"), SpreadingScenario)
    assert scenario.arm_names == ("front", "back") and scenario.task.box_mass == 1.3
    assert scenario.layout().cell.names == ("front", "back")


def test_a_cell_names_the_arms_of_a_named_task(written):
    cell = written(TWO_ARMS)
    task = find_box_task("rs_grab_catfood_case1", cell)
    assert task.arm_names == ("front", "back")
    assert task.q_impact == find_box_task("rs_grab_catfood_case1").q_impact


@pytest.mark.parametrize("name", ["qp_panda_demo", "qp_hrp4_grab"])
def test_only_arms_with_a_box_are_in_a_cell(written, name):
    with pytest.raises(TaskError, match="cell: expected a task of arms and a box"):
        find_task(name, written(TWO_ARMS))
    with pytest.raises(TaskError, match="cell: expected a task of arms and a box"):
        find_task(written(f"like: {name}\n", "task.yaml"), written(TWO_ARMS))


def test_arms_without_names_have_the_usual_ones():
    assert RobotCell.of("panda", [(0.0, 0.0, 0.0)]).names == ("",)
    assert RobotCell.of("panda", [(0.0, 0.0, 0.0), (1.0, 0.0, 0.0)]).names == ("left", "right")


@pytest.mark.parametrize(
    ("faces", "message"),
    [
        ("[-y, +y]", "mine.yaml: front: pose: none in reach with the plate at"),
        ("[+y, +y]", "mine.yaml: back: pose: none in reach with the plate at"),
        ("[+y]", r"faces: expected 2 of -x, \+x, -y, \+y, one an arm, got \+y"),
    ],
)
def test_a_plate_on_the_wrong_side_is_one_line(written, faces, message):
    written(TWO_ARMS, "cell.yaml")
    text = PUSH.replace("robot: panda_plate", "cell: cell.yaml").replace("[+y]", faces)
    with pytest.raises(TaskError, match=message):
        find_box_task(written(text.replace("0.45, -0.05", "0.5, 0.0")))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("robots: {}", "mine.yaml: cell: expected one or two arms, got 0"),
        ("robot: panda", "'robot': expected one of robots as entry"),
        ("robots: {a: {robot: panda}}", "entry 'robots.a.base' is missing"),
        ("robots: {a: {robot: panda, base: [0, 0]}}", "base: expected 3 finite numbers, got"),
        ("robots: {a/b: {robot: panda, base: [0, 0, 0]}}", "expected names of letters, digits an"),
        (TWO_ARMS.replace("0.45", "450"), r"front.base: .* got 450 m, which looks like mill"),
        (
            TWO_ARMS.replace("45, 0.0]", "45, 0.0], yaw: 90"),
            "yaw: .* 90, which looks like degr",
        ),
        (TWO_ARMS.replace("panda_plate", "ur5", 1), r"front.robot: robot: expected one of .*'ur5'"),
        (TWO_ARMS.replace("front", "back"), "not YAML: entry 'back' is given twice"),
        (
            TWO_ARMS.replace("[0.0, 0.45", "[0.0, -0.4"),
            "expected bases 0.2 m apart or more, got 0.05 m",
        ),
    ],
)
def test_what_is_wrong_with_a_cell_is_one_line(written, text, message):
    with pytest.raises(TaskError, match=message) as caught:
        cell_of_file(written(text))
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("task: nowhere.yaml", "task: no file .*nowhere.yaml"),
        ("task: 3", "mine.yaml: task: expected a path, got 3"),
        ("like: rs_grab_safe\ncell: nowhere.yaml", "cell: no file .*nowhere.yaml"),
        ("like: rs_grab_safe\nannounced: heavy", "announced: expected entries, got 'heavy'"),
        ("like: rs_grab_safe\nannounced: {run_up: 1}", "announced: expected entries of box_size, "),
        ("like: rs_grab_safe\nranges: {weight: [1, 2]}", "ranges: expected entries of mass, frict"),
        ("like: rs_grab_safe\nbox_ofset: [0, 0, 0]", "expected entries of .*box_offset, .*box_of"),
    ],
)
def test_what_is_wrong_with_a_scenario_of_a_task_is_one_line(written, text, message):
    with pytest.raises(TaskError, match=message) as caught:
        find(written(text), SpreadingScenario)
    assert "\n" not in str(caught.value)


def test_truths_beside_a_task_are_no_commands(written):
    written("like: rs_push_juice_case1\n", "push.yaml")
    with pytest.raises(
        TaskError, match=r"mine.yaml: expected entries of box_size, .*, got 'run_up'"
    ):
        find(written("task: push.yaml\nrun_up: 0.5\n"), SpreadingScenario)


def test_a_task_of_another_kind_is_refused():
    with pytest.raises(TaskError, match="expected one of arms with plates and a box, got 'qp_hrp4"):
        find_box_task("qp_hrp4_grab")
    with pytest.raises(TaskError, match=r"expected one of an arm that hits .*got 'rs_grab_safe'"):
        find_hit_task("rs_grab_safe")
    with pytest.raises(TaskError, match="expected one of a humanoid's palms, got 'rs_grab_safe'"):
        find_palm_task("rs_grab_safe")
    with pytest.raises(
        TaskError, match=r"task: expected one of qp_panda_demo, .*, rs_push_.*'nothing'"
    ):
        find_task("nothing")


@pytest.mark.parametrize("robot", ["panda", "cassie"])
def test_a_robot_without_palms_or_soles_grabs_nothing(written, robot):
    task = find_palm_task(written(f"like: qp_hrp4_grab\nrobot: {robot}\n"))
    missing = "contacts missing in its YAML: left_palm, right_palm, left_sole, right_sole"
    with pytest.raises(TaskError, match=f"mine: {robot}: {missing}"):
        task.start(load_robot(robot))
    with pytest.raises(TaskError, match=missing):
        GrabStage(find(written(f"like: qp_hrp4_grab\nrobot: {robot}\n"), GrabScenario))


HIT = """
robot: panda
contact_point: [0.5, 0.1, 0.5]
contact_normal: [-1.0, 0.0, 0.0]
friction: [0.0, 0.279]
stiffness: [1.0e+5, 1.0e+6]
speed: 0.3
"""


def test_a_hit_says_what_is_known_of_a_surface(written):
    task, robot = find_hit_task(written(HIT)), load_robot("panda")
    assert task.surface.friction == (0.0, 0.279) and task.surface.restitution == (0.0, 0.3)
    assert set(task.parameters) == {line.split(":")[0] for line in HIT.split("\n") if line}
    state = ArmDynamics(robot)(task.pose(robot), np.zeros(7))
    np.testing.assert_allclose(state.position, task.contact_point, atol=1e-9)
    np.testing.assert_allclose(state.rotation[:, 2], [1.0, 0.0, 0.0], atol=1e-9)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (("[0.0, 0.279]", "[0.3, 0.2]"), "mine.yaml: friction: expected low, high"),
        (
            ("speed: 0.3", "speed: -0.3"),
            "mine.yaml: speed: expected a finite number from 0 to 10",
        ),
        (("[-1.0, 0.0, 0.0]", "[0.0, 0.0, 0.0]"), "mine.yaml: .*normal"),
        (("contact_point: [0.5, 0.1, 0.5]\n", ""), "entries missing: contact_point"),
        (("speed: 0.3", "sped: 0.3"), "expected entries of name, .*, got 'sped'"),
        (("[0.5, 0.1, 0.5]", "[500, 100, 500]"), "contact_point: .*, which looks like mill"),
        (("contact_normal: [-1.0, 0.0, 0.0]\n", ""), "entries missing: contact_normal"),
        (("speed: 0.3", "like: nothing"), "like: expected one of qp_panda_demo, .*'nothing'"),
        (("speed: 0.3", "q_impact: [0, 1]"), "q_impact: expected no contact_point beside it"),
        (("contact_point: [0.5, 0.1, 0.5]", "q_impact: [0, 1]"), "q_impact: expected 7 numbers"),
        (("speed: 0.3", "speed: fast"), "speed: expected a finite number from 0 to 10"),
    ],
)
def test_what_is_wrong_with_a_hit_is_one_line(written, change, message):
    assert change[0] in HIT
    with pytest.raises(TaskError, match=message) as caught:
        find_hit_task(written(HIT.replace(*change)))
    assert "\n" not in str(caught.value)


STRIKE = """
robot: panda
q_impact: [0.2147, 0.0538, -0.2143, -2.3784, 0.0175, 2.4309, 0.0]
contact_normal: [0.0, 0.0, 1.0]
tool:
  head: {position: [0.0, 0.0, 0.12], mass: [0.27, 0.33]}
  off_centre: 0.002
target:
  nail: {resistance: [150, 250]}
  wall: {stiffness: [1e5, 1e6], restitution: [0.1, 0.5]}
  friction: [0.0, 0.15]
"""


def test_a_hit_may_have_a_tool_and_what_it_strikes(written):
    """The contact point is its head; ranges that nobody says are those of the target."""
    path = written(STRIKE)
    task, robot = find_hit_task(path), load_robot("panda")
    arm = with_tool(robot, task.tool, task.tool.nominal.mass)
    np.testing.assert_allclose(
        ArmDynamics(arm).position(np.array(task.q_impact)), task.contact_point, atol=1e-9
    )
    assert find_tool(path) == task.tool and task.target.nail.resistance == (150.0, 250.0)
    assert task.surface.friction == (0.0, 0.15) and task.surface.restitution == (0.1, 0.5)
    assert not {"tool", "target"} & set(task.parameters)
    settings = from_values(ControllerParameters, {"task": str(path)}).of_task()
    assert settings.load_robot().contact_frame == arm.contact_frame
    assert settings.strikes == task and settings.stiffness == (1e5, 1e6)
    own = STRIKE + "friction: [0.2, 0.3]\n"
    assert find_hit_task(written(own)).surface.friction == (0.2, 0.3)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (STRIKE[: STRIKE.index("target:")], "expected a tool and a target, or neither, got tool"),
        (STRIKE.replace("off_centre", "off_center"), "tool.'off_center': expected one of head"),
        (STRIKE.replace("[150, 250]", "[250, 150]"), "target.nail.resistance: expected a number"),
        (HIT + "tool: hammer.yaml\ntarget: {}\n", "tool: expected entries head"),
    ],
)
def test_what_is_wrong_with_a_strike_is_one_line(written, text, message):
    with pytest.raises(TaskError, match=message) as caught:
        find_hit_task(written(text))
    assert "\n" not in str(caught.value)


def test_a_task_without_a_tool_gives_none(written):
    with pytest.raises(TaskError, match="tool: expected a file with an entry tool, got"):
        find_tool(written(HIT))


@pytest.mark.parametrize("name", HIT_TASKS.names())
def test_a_named_hit_is_the_task_of_its_scenario(written, name):
    task, robot, scenario = find_hit_task(name), load_robot("panda"), find_scenario(name)
    told = scenario.controller_parameters(robot)
    for key, value in task.parameters.items():
        if key in told:
            np.testing.assert_array_equal(value, told[key])
    assert tuple(task.pose(robot)) == scenario.q_impact and scenario.announced == {}
    assert (task.title, task.note) == (scenario.title, scenario.note)
    assert find_task(written(f"like: {name}\ntitle: {task.title}\nnote: {task.note!r}\n")) == (
        dataclasses.replace(task, name="mine")
    )
    other = find_scenario(written(f"task: {name}\nfriction: 0.05\n"))
    assert (other.friction, other.surface(robot).friction) == (0.05, task.friction)


def test_a_task_like_a_named_hit_says_what_differs(written):
    task = find_hit_task(written("like: qp_panda_cfg1\nfriction: 0.2\nspeed: 0.1\n"))
    assert (task.friction, task.speed, task.peak_factor) == ((0.2, 0.2), 0.1, 3.0)
    moved = find_hit_task(written("like: qp_panda_cfg1\ncontact_point: [0.5, 0.1, 0.5]\n"))
    assert moved.contact_point == (0.5, 0.1, 0.5) and moved.q_impact is None


def test_a_scenario_names_its_task(written):
    path = written("task: rs_grab_safe\nbox_mass: 1.5\n")
    scenario = find(path, SpreadingScenario)
    assert (scenario.box_mass, scenario.task.box_mass) == (1.5, 1.3)
    assert find_task(path) == scenario.task
    with pytest.raises(TaskError, match=r"mine.yaml: task: expected one of .*, got 'nothing'"):
        find_task(written("task: nothing\n"))


def test_a_hit_gives_the_controller_what_its_parameters_do_not_say(written):
    parameters = ControllerParameters(task=str(written(HIT)), speed=0.2, speed_cap=0.25)
    told = parameters.of_task()
    assert told.contact_point == (0.5, 0.1, 0.5) and told.friction == (0.0, 0.279)
    assert (told.speed, told.speed_cap) == (0.2, 0.25)
    assert told.plan().contact.stiffness == (1e5, 1e6)
    assert ControllerParameters(task=str(written(HIT))).of_task().speed == 0.3


def test_a_robot_beside_its_task_is_that_one(written, project_root):
    for name in ("panda_plate.yaml", "panda.yaml", "panda.urdf"):
        written((project_root / "impact_robots" / name).read_text(), name)
    task = find_box_task(written(PUSH.replace("panda_plate", "panda_plate.yaml")))
    assert task.cell.kinds[0] == str(written("", "empty").with_name("panda_plate.yaml"))


def test_a_wall_may_be_another_one_than_is_announced(written):
    text = "like: qp_panda_demo\nfriction: 0.1\nannounced: {friction: [0.2, 0.4]}\n"
    scenario, robot = find_scenario(written(text)), load_robot("panda")
    assert scenario.wall(robot).friction == 0.1
    assert scenario.surface(robot).friction == (0.2, 0.4)
    assert scenario.controller_parameters(robot)["friction"] == [0.2, 0.4]
    usual = find_scenario("qp_panda_demo")
    assert usual.wall(robot).surface.friction == usual.surface(robot).friction


def test_a_scenario_of_a_hit_says_only_what_is_true(written):
    written(HIT, "hit.yaml")
    scenario = find_scenario(written("task: hit.yaml\nfriction: 0.2\nrun_up: 0.05\n"))
    robot, task = load_robot("panda"), find_hit_task(written(HIT, "hit.yaml"))
    told = scenario.controller_parameters(robot)
    assert scenario.wall(robot).friction == 0.2 and told["friction"] == [0.0, 0.279]
    assert find_hit_task(written("task: hit.yaml\nfriction: 0.2\n")).friction == (0.0, 0.279)
    assert told["speed"] == 0.3 and told["stiffness"] == [1e5, 1e6]
    np.testing.assert_allclose(told["contact_point"], task.contact_point, atol=1e-9)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("announced: {speed: 1}", "announced: expected entries of friction, restitution, stiff"),
        ("announced: {friction: -1}", "announced: friction: expected"),
        ("announced: 1", "announced: expected a mapping, got 1"),
    ],
)
def test_what_is_wrong_with_an_announced_wall_is_one_line(written, text, message):
    with pytest.raises(TaskError, match=message) as caught:
        find_scenario(written(f"like: qp_panda_demo\n{text}\n"))
    assert "\n" not in str(caught.value)
