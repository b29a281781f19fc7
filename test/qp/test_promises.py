# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""What doc/topics.md promises for a failure holds for every interface: the arm ends at rest."""

import numpy as np
import pytest

pytest.importorskip("rclpy")

from controller_bench import MS, OK

from impact_msgs.msg import ControllerStatus
from impact_robots import ArmDynamics

INTERFACES = ("torque", "velocity", "position")
HOLD, BRAKE, STOPPED = (
    ControllerStatus.MODE_HOLD,
    ControllerStatus.MODE_BRAKE,
    ControllerStatus.MODE_STOPPED,
)


class Arm:
    """A rigid arm under the node's commands; far from everything, with the driver's gravity."""

    def __init__(self, bench, interface):
        self.bench, self.interface = bench, interface
        self.dynamics = ArmDynamics(bench.robot)
        self.q, self.dq, self.k = bench.q.copy(), np.zeros(7), 0
        self.inertia = np.diag(bench.robot.apparent_motor_inertia)

    def cycles(self, count, *, ready=True, skip=0):
        """Answer some states; return the last command and status."""
        for _ in range(count):
            self.k += 1 + skip
            skip = 0
            self.bench.send(self.bench.verdict(self.k * MS, ready=ready))
            command, status = self.bench.answer(self.bench.state(self.k * MS, self.q, self.dq))
            self.follow(np.array(command.values))
        return command, status

    def until(self, mode, most=400):
        """Answer states until the node is in a mode; return the last status."""
        for _ in range(most):
            _, status = self.cycles(1)
            if status.mode == mode:
                return status
        raise AssertionError(f"still in mode {status.mode}")

    def follow(self, values):
        """Do what the driver is sent for a millisecond."""
        if self.interface == "torque":
            state = self.dynamics(self.q, self.dq)
            self.dq = self.dq + 1e-3 * np.linalg.solve(
                state.M + self.inertia, values + state.g - state.h
            )
        else:
            self.dq = values if self.interface == "velocity" else (values - self.q) * 1e3
        self.q = self.q + 1e-3 * self.dq


@pytest.fixture(params=INTERFACES)
def arm(request, make_bench):
    bench = make_bench(interface=request.param).start()
    arm = Arm(bench, request.param)
    arm.cycles(60)
    assert np.abs(arm.dq).max() > 0.02  # it is on its way
    assert bench.driver.status[-1].mode == ControllerStatus.MODE_APPROACH
    return arm


def ends_at_rest(arm, status, reason):
    assert status.mode in (BRAKE, HOLD)
    assert reason in status.message
    arm.until(HOLD)
    place = arm.q.copy()
    arm.cycles(30)
    assert np.abs(arm.dq).max() < 0.02
    assert np.abs(arm.q - place).max() < 1e-3


def test_a_clock_that_jumps_back(arm):
    arm.k -= 100
    ends_at_rest(arm, arm.cycles(1)[1], "clock jumped back")


def test_a_detector_that_falls_silent(arm):
    arm.bench.node._cycle.inputs.status_time -= 11.0  # longer than the time-out
    arm.bench.node._cycle.look()
    ends_at_rest(arm, arm.cycles(1)[1], "no detector status for")


def test_missed_cycles(arm):
    arm.bench.node._cycle.watch._max_missed = 10
    _, status = arm.cycles(1, skip=20)
    arm.bench.node._cycle.watch._max_missed = 1_000_000
    ends_at_rest(arm, status, "control cycles of 1 ms missed in a row")


def test_a_deactivation(arm):
    """It brakes, brings its commands to rest, and then sends nothing any more."""
    bench = arm.bench
    bench.node.trigger_deactivate()
    arm.until(HOLD)
    bench.spin(lambda: bench.driver.status[-1].mode == STOPPED)
    bench.spin(timeout=0.1)
    assert np.abs(arm.dq).max() < 0.03
    if arm.interface != "position":
        assert not any(bench.driver.commands[-1].values)
    arm.k += 1
    assert bench.unanswered(bench.state(arm.k * MS, arm.q, np.zeros(7)))


def test_a_blocked_arm(arm):
    """0.1 m before the surface: something else is in the way."""
    arm.follow = lambda values: None
    arm.dq = np.zeros(7)
    arm.until(HOLD)
    arm.cycles(150)
    held = np.array(arm.bench.driver.commands[-1].values)
    if arm.interface == "velocity":
        np.testing.assert_allclose(held, 0.0, atol=5e-3)
    elif arm.interface == "position":
        assert np.all(np.abs(held - arm.q) <= 0.035 * arm.bench.robot.limits.velocity)


def test_a_detector_that_is_not_ready(arm):
    _, status = arm.cycles(250, ready=False)
    assert status.message == "waiting: the detector is not ready"
    assert np.abs(arm.dq).max() < 0.02
    assert arm.cycles(60)[1].normal_speed < -0.02  # and goes on when it is


@pytest.mark.parametrize("what", ["nan", "degrees", "another arm"])
def test_states_that_cannot_be_trusted_and_then_can(arm, what):
    spoilt = {
        "nan": np.full(7, np.nan),
        "degrees": np.degrees(arm.q),
        "another arm": arm.q + 0.2,
    }[what]
    bench = arm.bench
    for _ in range(3):
        arm.k += 1
        bench.send(bench.state(arm.k * MS, spoilt, arm.dq))
    bench.spin(lambda: bench.driver.status[-1].mode == STOPPED)
    bench.spin(lambda: not bench.node._goal_server.run)
    arm.dq = np.zeros(7)  # the driver has done what brings it to rest
    if arm.interface == "position":
        arm.q = np.array(bench.driver.commands[-1].values)
    for _ in range(55):
        arm.k += 1
        bench.send(bench.state(arm.k * MS, arm.q, arm.dq))
    assert bench.unanswered(bench.state((arm.k + 1) * MS, arm.q, arm.dq))
    assert "implausible joint states" in bench.driver.status[-1].message
    bench.node.trigger_deactivate()
    assert bench.node.trigger_activate() == OK  # a person has looked
    arm.k += 1
    assert arm.cycles(1)[1].message == ""


def test_a_clean_up_from_full_motion(arm):
    bench, count = arm.bench, len(arm.bench.driver.commands)
    bench.node.trigger_shutdown()
    bench.spin(lambda: bench.driver.status[-1].mode == STOPPED)
    bench.spin(lambda: len(bench.driver.commands) > count)
    bench.spin(timeout=0.1)
    sent = np.array([each.values for each in bench.driver.commands[count:]])
    if arm.interface == "position":
        assert np.abs(sent[-1] - sent[-2]).max() < 1e-4
    else:
        assert not sent[-1].any()
    for values in sent:
        arm.follow(values)
    if arm.interface != "torque":  # gravity compensation does not brake
        assert np.abs(arm.dq).max() < 0.1
