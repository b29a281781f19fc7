# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""A grab over real DDS is that of one process, bit for bit; and what ends it."""

import signal

import numpy as np
import pytest
from noted_children import noted_children
from plain_messages import plain

pytest.importorskip("rclpy")

from rclpy.lifecycle import TransitionCallbackReturn
from rclpy.parameter import Parameter

from impact_bags import BagReader, impact_typestore
from impact_bags.reading.run_record import Run
from impact_bringup.experiments import grab_experiment
from impact_bringup.experiments.conductor import ExperimentError
from impact_bringup.experiments.grab_experiment import GrabConductor, grab_over_dds
from impact_msgs.msg import GrabStatus, JointCommand
from impact_qp.body.node import ImpactHumanoidNode
from impact_ros.messages import fill
from impact_ros.node.spin import spin
from impact_sim.exceptions import ScenarioError, SimulationError
from impact_sim.humanoid.grab_file import grab_names, grab_text, load_grab
from impact_sim.humanoid.grab_scenario import GrabScenario
from impact_sim.humanoid.node import ImpactHumanoidSimNode
from impact_sim.ros import lockstep_node
from impact_sim.scenario_choice import find
from impact_trials.grab.grab_bag import GrabBag
from impact_trials.grab.grab_notes import GrabNotes
from impact_trials.grab.grab_trial import GrabTrial
from impact_trials.grab.haste import scenario_of_mode

NAME, MODE, SEED = "qp_hrp4_grab", "unaware", 3
PAST_THE_TOUCH = 1.6  # palms touch at 1.26 s [s]
PATIENCE = 90.0  # [s]
WALL_CLOCK = {"solve_time", "cycle_time", "active_constraints"}


@pytest.fixture(scope="module")
def scenario():
    return scenario_of_mode(load_grab(NAME), MODE)


@pytest.fixture
def file(tmp_path, scenario):
    path = tmp_path / "mine.yaml"
    path.write_text(grab_text(scenario))
    return path


@pytest.fixture
def plant(context, file):
    given = {"scenario": str(file), "seed": SEED}
    node = ImpactHumanoidSimNode(context=context, parameter_overrides=parameters(given))
    yield node
    node.destroy_node()


def parameters(values):
    return [Parameter(name, value=value) for name, value in values.items()]


def attend(plant, record):
    """Note what a plant does, and let it stop past contact."""
    notes = GrabNotes(plant.stage, record)

    def note(seen, sent, message, put):
        notes.note_message(seen, sent, message, put)
        plant.stage.over = plant.stage.over or seen.time > PAST_THE_TOUCH

    plant.on_cycle = note
    return notes


def same(ours, theirs):
    """Whether two cycles are the same."""
    for name in ("torque", "positions", "q", "v", "soles"):
        np.testing.assert_array_equal(getattr(ours, name), getattr(theirs, name), name)
    for one, other in zip(ours.measured, theirs.measured, strict=True):
        np.testing.assert_array_equal(one, other)
    for one, other in zip(ours.boxes, theirs.boxes, strict=True):
        np.testing.assert_array_equal(one.position, other.position)
    one, other = ours.said, theirs.said
    assert one._replace(touched=()) == other._replace(touched=())
    np.testing.assert_array_equal(one.touched, other.touched)
    return True


def test_nodes_do_what_one_process_does(context, file, scenario, plant):
    ours, theirs = [], []
    given = parameters({"task": str(file), "lockstep": True})
    controller = ImpactHumanoidNode(context=context, parameter_overrides=given)
    nodes = [plant, controller]
    try:
        assert controller.trigger_configure() is TransitionCallbackReturn.SUCCESS
        assert spin(nodes, until=lambda: plant.peers > 0, timeout=PATIENCE) == "condition"
        assert controller.trigger_activate() is TransitionCallbackReturn.SUCCESS
        notes = attend(plant, ours.append)
        plant.start()
        assert spin(nodes, until=lambda: plant.finished, timeout=PATIENCE) == "condition"
        assert (plant.failure, controller.fault) == ("", "")
    finally:
        controller.destroy_node()
    trial = GrabTrial(scenario, seed=SEED, record=theirs.append)
    seen = trial.begin()
    while seen.time <= PAST_THE_TOUCH:
        seen = trial.cycle(seen)
    assert len(ours) == len(theirs) > 100
    assert all(same(*pair) for pair in zip(ours, theirs, strict=True))
    assert ours[-1].said.phase == "grip" and np.isfinite(ours[-1].said.touched).all()
    (one,), (other,) = notes.outcome().boxes, trial.notes.outcome().boxes
    for mine, his in zip(one.palms, other.palms, strict=True):
        assert mine == his


@pytest.fixture(scope="module")
def recorded(tmp_path_factory, scenario):
    """Folder of a grab by two processes that was stopped past contact, and its cycles."""
    folder, cycles = tmp_path_factory.mktemp("grab") / "run", []
    grab_over_dds(Run(scenario, "", folder, seed=SEED), lambda plant: attend(plant, cycles.append))
    return folder, cycles


def messages(bag, topics):
    with BagReader(bag) as reader:
        return {
            topic: {
                time: plain(message, WALL_CLOCK, 9) for _, time, message in reader.messages([topic])
            }
            for topic in topics
        }


def test_its_recording_is_that_of_one_process(recorded, tmp_path, scenario):
    folder, cycles = recorded
    with GrabBag(tmp_path / "bag", scenario, impact_typestore()) as bag:
        for cycle in cycles:
            bag.add(cycle)
    with BagReader(tmp_path / "bag") as reader:
        topics = set(reader.topics)
    assert topics == GrabConductor.RECORDED | {"/box0_size"}
    topics.remove("/box0_size")
    theirs, ours = messages(tmp_path / "bag", topics), messages(folder / "bag", topics)
    for topic in topics:
        assert theirs[topic].items() <= ours[topic].items(), topic
        assert len(ours[topic]) - len(theirs[topic]) == 1, topic  # first state, answer to the last


def test_the_controllers_log_holds_no_complaint(recorded):
    log = (recorded[0] / "controller.log").read_text()
    assert "configured: qp_hrp4_grab, unaware" in log
    assert "WARN" not in log and "ERROR" not in log


@pytest.fixture
def controller(monkeypatch):
    """The controller's process, in a list, once it was started."""
    return noted_children(monkeypatch, grab_experiment)


def at_cycle(action):
    """What attends a plant, and acts in its fifth cycle."""

    def prepare(plant):
        count = iter(range(1000))
        plant.on_cycle = lambda *_: action() if next(count) == 4 else None

    return prepare


def test_a_killed_controller_is_one_line(tmp_path, scenario, controller):
    run = Run(scenario, "", tmp_path / "run")
    with pytest.raises(ExperimentError, match=r"^the controller was killed by SIGKILL"):
        grab_over_dds(run, at_cycle(lambda: controller[0].kill()))
    assert controller[0].poll() is not None


def test_a_frozen_controller_is_one_line(tmp_path, scenario, controller, monkeypatch):
    monkeypatch.setattr(lockstep_node, "GIVE_UP_AFTER", 2.0)
    run = Run(scenario, "", tmp_path / "run")
    with pytest.raises(ExperimentError, match=r"^no command for \d+ s: is the controller running"):
        grab_over_dds(run, at_cycle(lambda: controller[0].send_signal(signal.SIGSTOP)))
    assert controller[0].poll() is not None


def test_an_interrupt_ends_all_and_finishes_the_recording(tmp_path, scenario, controller):
    run = Run(scenario, "", tmp_path / "run")
    with pytest.raises(KeyboardInterrupt):
        grab_over_dds(run, at_cycle(lambda: signal.raise_signal(signal.SIGINT)))
    assert controller[0].poll() is not None
    with BagReader(run.bag) as bag:
        assert bag.topics["/joint_states"].message_count >= 5


def command(plant, **changes):
    values = {
        "interface": JointCommand.INTERFACE_POSITION,
        "joint_names": plant.robot.joint_names,
        "values": plant.measured.q[7:],
    } | changes
    message = JointCommand(interface=values["interface"], joint_names=list(values["joint_names"]))
    fill(message.values, values["values"])
    return message


@pytest.mark.parametrize(
    ("changes", "line"),
    [
        ({"interface": JointCommand.INTERFACE_TORQUE}, "expected the position interface"),
        ({"values": np.full(34, np.nan)}, "expected finite numbers"),
        ({"values": np.full(34, 1.5)}, "position of .* expected at most 1 from the arm"),
        ({"joint_names": ["a"], "values": [0.0]}, "expected 34 names and values, got 1 and 1"),
    ],
)
def test_a_command_that_no_servo_would_take_moves_nothing(plant, changes, line):
    plant.start()
    message, status = command(plant, **changes), GrabStatus()
    message.header.stamp.sec = status.header.stamp.sec = 2
    plant._take_progress(status)
    with pytest.raises(SimulationError, match=line):
        plant._take_command(message)
    assert plant.waits and plant.stage.time_ns == 1_000_000_000


def test_only_the_answers_to_the_present_state_move_it(plant):
    plant.start()
    good, status = command(plant), GrabStatus(phase="approach")
    plant._take_command(good)
    plant._take_progress(status)
    assert plant.waits  # of other times
    good.header.stamp.sec = status.header.stamp.sec = 2
    plant._take_command(good)
    assert plant.waits  # one is not enough
    plant._take_progress(status)
    assert not plant.waits and plant.stage.time_ns == 1_005_000_000


def test_the_last_state_is_answered_and_moves_nothing(plant):
    """So that a recording has all answers, whoever is faster."""
    plant.start()
    plant.stage.over = True
    assert not plant.finished
    message, status = command(plant), GrabStatus(phase="rest")
    message.header.stamp.sec = status.header.stamp.sec = 2
    plant._take_command(message)
    assert not plant.finished
    plant._take_progress(status)
    assert plant.finished and plant.stage.time_ns == 1_000_000_000


def test_a_grab_that_was_ended_is_over_soon(plant):
    status = GrabStatus(phase="approach", failure="it falls")
    plant.start()
    for _ in range(200):
        if plant.finished:
            break
        message = command(plant)
        stamp = divmod(1_000_000_000 + plant.stage.time_ns, 1_000_000_000)
        for each in (message, status):
            each.header.stamp.sec, each.header.stamp.nanosec = stamp
        plant._take_command(message)
        plant._take_progress(status)
    assert plant.finished and plant.stage.plant.time == pytest.approx(1.8, abs=0.006)


@pytest.mark.parametrize("name", grab_names())
def test_a_scenario_comes_back_from_its_file(tmp_path, name):
    scenario = load_grab(name)
    (tmp_path / f"{name}.yaml").write_text(grab_text(scenario))
    assert find(tmp_path / f"{name}.yaml", GrabScenario) == scenario


def test_a_humanoid_needs_a_grab(context):
    with pytest.raises(ScenarioError, match="expected one of qp_hrp4_grab"):
        given = parameters({"scenario": "qp_panda_demo"})
        ImpactHumanoidSimNode(context=context, parameter_overrides=given)
