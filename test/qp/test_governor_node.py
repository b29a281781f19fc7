# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The governor's node over real DDS: what it passes on, and what it sends when it cannot."""

import itertools
import subprocess
import sys
import time

import numpy as np
import pytest

pytest.importorskip("rclpy")

from controller_bench import MS, OK, TIME_OUT
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus
from governor_bench import GovernorBench
from rclpy.parameter import Parameter
from std_msgs.msg import Float64MultiArray
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

from impact_msgs.msg import ControllerStatus
from impact_robots import ArmDynamics
from impact_ros.messages import from_nanoseconds
from impact_ros.qos import RECORD, STREAM

FOREIGN = """
import rclpy
from rclpy.node import Node
from std_msgs.msg import Float64MultiArray
rclpy.init()
node = Node("killed")
commands = node.create_publisher(Float64MultiArray, "impact_governor/commands_in", 1)
node.create_timer(0.01, lambda: commands.publish(Float64MultiArray(data=[0.05] * 7)))
rclpy.spin(node)
"""


@pytest.fixture
def bench(context, panda, scenario):
    """A function that makes a bench, active."""
    made = []

    def make(interface="velocity", q=None, **parameters):
        q = scenario.start(panda) if q is None else q
        made.append(GovernorBench(context, panda, q, interface, **parameters))
        return made[-1]

    yield make
    for each in made:
        each.close()


@pytest.mark.usefixtures("often_diagnosed")
@pytest.mark.parametrize(
    ("topic", "whose"),
    [("/impact_governor/commands", "this node's"), ("~/commands_in", "the controller's")],
)
def test_two_governors_or_two_controllers_are_warned_about(bench, capfd, topic, whose):
    bench, heard = bench().start(), []
    bench.driver.create_subscription(DiagnosticArray, "/diagnostics", heard.append, RECORD)
    bench.spin(lambda: heard)
    status = heard[-1].status[0]
    assert (status.level, status.name) == (DiagnosticStatus.OK, "impact_governor: control cycle")
    name = topic.replace("~", "/impact_governor")
    other = bench.driver.create_publisher(Float64MultiArray, name, STREAM)
    line = f"{topic} has 2 publishers, expected one"
    bench.spin(lambda: heard[-1].status[0].message == line)
    assert f"{line}: {whose}" in capfd.readouterr().err
    bench.driver.destroy_publisher(other)


def passed_on(bench, values, cycles=8):
    """Give a command with a resting arm, some times; return the last answer and its status."""
    for _ in range(cycles):
        bench.state()
        message, status = bench.answer(bench.command(values))
    return bench.values(message), status, message


def moving(bench):
    """Give a velocity until it is passed on: a busy machine may be late, which is silence."""
    for _ in range(100):
        values, _, _ = passed_on(bench, np.full(7, 0.05), 1)
        if values.any():
            return
    raise AssertionError("nothing was passed on")


@pytest.mark.parametrize("interface", ["velocity", "position", "trajectory", "twist"])
def test_a_foreign_controller_hits_within_the_bound_over_dds(bench, panda, foreign, interface):
    motion = "position" if interface == "trajectory" else interface
    arm = foreign.drawn_arm(panda, motion, np.random.default_rng(5))
    wall = arm.walls[0]
    place = arm.state.position - 0.03 * wall.normal  # near, so that the test is short
    made = bench(
        interface,
        arm.q,
        contact_point=place.tolist(),
        contact_normal=wall.normal.tolist(),
        anywhere_speed=foreign.ANYWHERE,
    ).start()
    arm.walls = [type(wall)(place, wall.normal)]
    controller = foreign.ForeignController(motion, -wall.normal, np.random.default_rng(5))
    bounds = []
    for k in range(400):
        made.state(arm.q, arm.dq)
        made.spin(lambda: made.node.newest == made.stamp)
        message, status = made.answer(made.command(controller.command(arm, 0.004 * k)))
        bounds.append(status.speed_bound)
        sent = made.values(message)
        if interface == "twist":
            sent = np.linalg.pinv(arm.state.J) @ sent
        for _ in range(foreign.EVERY):
            arm.step(sent, foreign.PERIOD)
        if arm.hits:
            break
    (_, state), *_ = arm.hits
    speed = -wall.normal @ state.velocity
    assert 0.5 * bounds[-1] < speed <= bounds[-1]
    assert status.mode == ControllerStatus.MODE_GOVERN
    assert status.active_constraints[0].startswith("surface 1: panda_joint")
    assert status.impact_limits == ControllerStatus.IMPACT_LIMITS_ROBUST
    assert 0.0 < made.driver.factors[-1].data < 1.0


def test_a_trajectory_goes_out_in_the_form_in_which_it_came(bench, panda):
    made = bench("trajectory").start()
    _, _, message = passed_on(made, made.q + 0.01)
    (point,) = message.points
    assert list(message.joint_names) == list(reversed(panda.joint_names))
    made.spin(lambda: len(made.driver.factors) >= len(made.driver.sent))
    factor = made.driver.factors[-1].data
    assert 0.0 < factor < 1.0
    assert np.allclose(point.velocities, 0.25 * factor) and len(point.accelerations) == 0


def trajectory(bench, *points, **fields):
    """Return a trajectory through (time [s], positions) in the robot's order."""
    made = JointTrajectory(joint_names=list(bench.robot.joint_names))
    for seconds, positions in points:
        point = JointTrajectoryPoint(positions=[float(x) for x in positions])
        from_nanoseconds(round(seconds * 1e9), point.time_from_start)
        for name, values in fields.items():
            setattr(point, name, [float(x) for x in values])
        made.points.append(point)
    return made


def followed(bench, cycles):
    """Let an ideal arm follow what is sent for some cycles; return the positions sent."""
    sent = []
    for _ in range(cycles):
        count, more = len(bench.driver.sent), bench.node._stream.goes_on
        bench.state(bench.values(bench.driver.sent[-1]), after=10 * MS)
        bench.spin(lambda: bench.node.newest == bench.stamp)
        if more:
            bench.spin(lambda count=count: len(bench.driver.sent) > count)
        sent.append(bench.values(bench.driver.sent[-1]))
    return np.array(sent)


def test_a_trajectory_of_several_points_is_passed_on_along_its_path(bench):
    made = bench("trajectory").start()
    way, turn = np.eye(7)[0], np.eye(7)[1]
    corner, end = made.q + 0.03 * way, made.q + 0.03 * way + 0.02 * turn
    made.state()
    made.answer(trajectory(made, (0.1, corner), (0.2, end)))
    sent = followed(made, 90) - made.q
    np.testing.assert_allclose(sent[-1], end - made.q, atol=1e-6)
    assert not made.node._stream.goes_on
    on_first = np.abs(sent[:, 1]) < 1e-3  # slowed down, and still round the corner
    on_second = np.abs(sent[:, 0] - 0.03) < 1e-3
    assert np.all(on_first | on_second) and on_first.sum() > 10
    assert np.all(np.diff(sent[:, :2].sum(axis=1)) >= -1e-9)
    (point,) = made.driver.sent[-1].points
    assert point.time_from_start.nanosec == 10 * MS
    assert made.driver.sent[-1].header.stamp.sec == 0


def test_the_next_trajectory_replaces_the_last(bench):
    made = bench("trajectory").start()
    made.state()
    made.answer(trajectory(made, (1.0, made.q + 0.1), (2.0, made.q + 0.2)))
    followed(made, 30)
    made.state(made.values(made.driver.sent[-1]), after=10 * MS)
    made.answer(trajectory(made, (0.5, made.q), (1.0, made.q)))
    sent = followed(made, 90)
    np.testing.assert_allclose(sent[-1], made.q, atol=1e-6)


def test_a_trajectory_ends_when_states_stop_and_does_not_begin_again(bench):
    made = bench("trajectory", lockstep=False, state_timeout=1.0).start()
    made.state()
    made.answer(trajectory(made, (1.0, made.q + 0.1), (2.0, made.q + 0.2)))
    assert made.node._stream.goes_on
    made.node._state_at -= 2.0  # longer than the time-out
    made.spin(lambda: not made.node._stream.goes_on)
    made.spin(lambda: made.driver.status[-1].message == "no command for 0.1 s")
    held = made.values(made.driver.sent[-1])
    np.testing.assert_allclose(followed(made, 5), np.tile(held, (5, 1)))


@pytest.mark.parametrize(
    ("points", "fields", "line"),
    [
        ([], {}, "expected one point or more in a trajectory, got none"),
        ([0.2, 0.1], {}, "expected increasing time_from_start"),
        ([0.1, 0.2], {"velocities": [0.0] * 6}, "expected 7 positions"),
        ([0.1, 0.2], {"accelerations": [0.0] * 7}, "expected 7 positions"),
        ([0.1, 0.2], {"velocities": [float("nan")] * 7}, "not finite"),
    ],
)
def test_a_trajectory_that_cannot_be_used_rests(bench, points, fields, line):
    made = bench("trajectory").start()
    good = trajectory(made, (0.5, made.q + 0.1), (1.0, made.q + 0.1))
    made.state()
    made.answer(good)
    held = followed(made, 5)[-1]
    bad = trajectory(made, *((each, made.q + 0.1) for each in points), **fields)
    message, status = made.answer(bad)
    assert line in status.message and status.factor == 0.0
    np.testing.assert_array_equal(made.values(message), held)
    assert not made.node._stream.goes_on


def test_a_trajectory_that_has_ended_by_its_stamp_is_refused(bench):
    made = bench("trajectory").start()
    made.stamp = 20_000 * MS
    made.state()
    made.answer(made.command(made.q))
    late = trajectory(made, (0.5, made.q + 0.1), (1.0, made.q + 0.1))
    from_nanoseconds(15_000 * MS, late.header.stamp)
    _, status = made.answer(late)
    assert "from -5." in status.message
    from_nanoseconds(made.stamp - 700 * MS, late.header.stamp)
    made.answer(late)
    assert made.node._stream.goes_on


def test_a_twist_in_axes_of_the_tool_is_turned_only_to_judge_it(bench, panda, contact):
    made = bench(
        "twist",
        contact_point=contact.point.tolist(),
        contact_normal=contact.normal.tolist(),
    ).start()
    made.state()
    rotation = ArmDynamics(panda)(made.q, np.zeros(7)).rotation
    given = np.append(rotation.T @ (-0.5 * contact.normal), np.zeros(3))
    for _ in range(100):
        made.state()
        message = made.command(given)
        message.header.frame_id = panda.contact_frame
        answer, status = made.answer(message)
    sent = made.values(answer)
    assert answer.header.frame_id == panda.contact_frame
    assert np.allclose(np.cross(sent[:3], given[:3]), 0.0) and sent[:3] @ given[:3] > 0.0
    assert "contact point" in status.active_constraints[0]  # anywhere_speed: 0.1 m/s
    assert np.linalg.norm(sent) < 0.1
    message.header.frame_id = "camera"
    answer, status = made.answer(message)
    assert not made.values(answer).any() and "expected frame_id" in status.message


@pytest.mark.parametrize("interface", ["velocity", "position", "trajectory", "twist"])
def test_a_command_that_is_no_number_rests(bench, interface):
    made = bench(interface).start()
    n, holds = (6, False) if interface == "twist" else (7, interface != "velocity")
    good = made.q + 0.01 if holds else np.full(n, 0.05)
    before, _, _ = passed_on(made, good)
    made.state()
    message, status = made.answer(made.command(np.full(n, np.nan)))
    assert np.array_equal(made.values(message), before if holds else np.zeros(n))
    assert status.mode == ControllerStatus.MODE_HOLD and "not finite" in status.message


def test_a_controller_that_is_killed_is_silence(bench, tmp_path):
    made = bench(lockstep=False, state_timeout=1.0).start()
    script = tmp_path / "foreign.py"
    script.write_text(FOREIGN)
    with subprocess.Popen([sys.executable, script]) as process:
        try:
            end = time.monotonic() + TIME_OUT
            while not any(np.array(each.data).any() for each in made.driver.sent):
                made.state()
                assert time.monotonic() < end
        finally:
            process.kill()
    made.driver.status.clear()
    made.spin(lambda: "no command for 0.1 s" in {each.message for each in made.driver.status})
    assert not np.array(made.driver.sent[-1].data).any()


def test_a_parameter_changed_while_configured_acts_later_and_the_node_says_so(bench, capfd):
    made = bench().start()
    made.node.set_parameters([Parameter("contact_normal", value=[0.0, 0.0, 1.0])])
    assert "contact_normal: acts at the next configure, not before" in capfd.readouterr().err


def test_cleaning_up_sends_a_last_rest(bench):
    made = bench().start()
    passed_on(made, np.full(7, 0.05))
    assert np.array(made.driver.sent[-1].data).any()
    assert made.node.trigger_deactivate() == OK and made.node.trigger_activate() == OK
    passed_on(made, np.full(7, 0.05))
    made.node.trigger_shutdown()
    made.spin(lambda: not np.array(made.driver.sent[-1].data).any())


def test_a_slow_stream_is_slowed_down_between_its_commands(bench, panda, scenario, contact):
    place = ArmDynamics(panda).position(scenario.start(panda)) - 0.03 * contact.normal
    made = bench(
        contact_point=place.tolist(),
        contact_normal=contact.normal.tolist(),
        anywhere_speed=1.0,
    ).start()
    J = ArmDynamics(panda)(made.q, np.zeros(7)).J
    towards = np.linalg.pinv(J) @ np.append(-0.5 * contact.normal, np.zeros(3))
    before, _, _ = passed_on(made, towards, 250)
    count = len(made.driver.sent)
    closer = made.q + 0.015 * towards  # 7.5 mm
    made.state(closer, before, after=12 * MS)
    made.spin(lambda: len(made.driver.sent) > count)
    after = made.values(made.driver.sent[-1])
    np.testing.assert_allclose(np.cross(after[:3], towards[:3]), 0.0, atol=1e-12)
    assert 0.0 < np.linalg.norm(after) < 0.95 * np.linalg.norm(before)


def test_no_state_waits_for_what_was_due_at_the_last_one(bench, monkeypatch):
    """A slow stream left it to the next state, which did all of it, without a deadline."""
    made, events = bench().start(), []
    governor = made.node._governor
    for name in ("look", "cap", "catch_up"):
        whole = getattr(governor, name)

        def noted(*given, name=name, whole=whole, **named):
            events.append((name, *given))
            return whole(*given, **named)

        monkeypatch.setattr(governor, name, noted)
    passed_on(made, np.full(7, 0.01))
    for _ in range(3):
        made.state()
    passed_on(made, np.full(7, 0.01))
    names = [each[0] for each in events]
    looks = [i for i, name in enumerate(names) if name == "look" and names[i - 1] != "cap"]
    for before, after in itertools.pairwise(looks):
        assert names[before:after].count("catch_up") == 1
    assert len(looks) >= 5
    assert all(np.isfinite(given[0]) for name, *given in events if name == "catch_up")


def test_a_driver_that_repeats_its_stamp_has_stalled(bench):
    made = bench(lockstep=False, state_timeout=0.05).start()
    passed_on(made, np.full(7, 0.05))
    for _ in range(10):
        made.state(after=0)
        made.spin(timeout=0.01)
    made.spin(lambda: made.node._stale)


def test_silence_rests_until_commands_come_again(bench):
    made = bench(lockstep=False, state_timeout=1.0).start()  # whoever sends commands is killed
    moving(made)
    made.spin(lambda: not np.array(made.driver.sent[-1].data).any())
    made.spin(lambda: made.driver.status[-1].message == "no command for 0.1 s")
    moving(made)


@pytest.mark.parametrize(
    "changes",
    [
        {"name": [f"panda_joint{k}" for k in range(1, 7)] + ["other"]},
        {"position": [float("nan")] * 7},
        {"velocity": []},
    ],
    ids=["missing joint", "not finite", "no velocity"],
)
def test_states_that_cannot_be_used_rest(bench, changes):
    made = bench(lockstep=False, state_timeout=0.05).start()
    passed_on(made, np.full(7, 0.05))
    made.spin(lambda: made.driver.status[-1].mode == ControllerStatus.MODE_HOLD)  # silence
    for _ in range(2):  # more of them are a fault as well
        made.state(**changes)
    made.spin(lambda: made.node._stale)
    made.driver.status.clear()
    made.answer(made.command(np.full(7, 0.05)))
    made.spin(lambda: "no usable joint state" in {each.message for each in made.driver.status})
    assert made.driver.status[-1].dropped_inputs == 2
    assert not np.array(made.driver.sent[-1].data).any()


def test_a_clock_that_goes_back_rests_once(bench):
    made = bench().start()
    passed_on(made, np.full(7, 0.05), 30)
    made.state(after=-60 * MS)
    made.state()
    message, _ = made.answer(made.command(np.full(7, 0.05)))
    assert not np.array(message.data).any()
    assert any("time went back" in each.message for each in made.driver.status)
    assert passed_on(made, np.full(7, 0.05))[0].any()


def test_a_jump_is_a_fault_until_the_next_activation(bench):
    made = bench().start()
    passed_on(made, np.full(7, 0.05))
    for _ in range(60):
        made.state(made.q[::-1])
    message, status = made.answer(made.command(np.full(7, 0.05)))
    assert not np.array(message.data).any()
    assert status.fault == ControllerStatus.FAULT_STOPPED
    assert "implausible joint states" in status.message
    assert made.node.trigger_deactivate() == OK and made.node.trigger_activate() == OK
    for _ in range(60):
        made.state()
    assert made.node.trigger_deactivate() == OK and made.node.trigger_activate() == OK
    assert passed_on(made, np.full(7, 0.05))[0].any()


def test_it_passes_on_nothing_before_and_after(bench):
    made = bench()
    assert made.node.trigger_configure() == OK
    made.spin(lambda: made.driver.matched)
    assert made.node.trigger_activate() != OK  # no state yet
    made.state()
    command = made.command(np.full(7, 0.05))
    assert made.unanswered(command)
    made.state()
    assert made.node.trigger_activate() == OK
    passed_on(made, np.full(7, 0.05))
    assert made.node.trigger_deactivate() == OK
    made.spin(lambda: made.driver.status[-1].mode == ControllerStatus.MODE_STOPPED)
    made.spin(lambda: not np.array(made.driver.sent[-1].data).any())
    made.state()
    assert made.unanswered(command)


def test_a_surface_behind_the_arm_is_refused(bench, contact):
    made = bench(contact_point=contact.point.tolist(), contact_normal=(-contact.normal).tolist())
    assert made.node.trigger_configure() == OK
    made.spin(lambda: made.driver.matched)
    made.state()
    assert made.node.trigger_activate() != OK


@pytest.mark.parametrize(
    "parameters",
    [
        {"contact_point": [0.5, 0.0, 0.4]},
        {"contact_point": [0.5, 0.0], "contact_normal": [1.0, 0.0]},
        {"contact_point": [0.5, 0.0, 0.4] * 2, "contact_normal": [-1.0, 0.0, 0.0]},
        {"anywhere_speed": 0.0},
        {"interface": "twist", "twist_frame": "nothing"},
    ],
)
def test_wrong_parameters_do_not_configure(context, panda, scenario, parameters):
    given = {"interface": "velocity"} | parameters
    made = GovernorBench(context, panda, scenario.start(panda), **given)
    try:
        assert made.node.trigger_configure() != OK
    finally:
        made.close()


def test_an_array_of_wrong_size_rests(bench):
    made = bench().start()
    passed_on(made, np.full(7, 0.05))
    made.state()
    message, status = made.answer(Float64MultiArray(data=[0.05] * 6))
    assert list(message.data) == [0.0] * 7 and "expected 7 values, got 6" in status.message
