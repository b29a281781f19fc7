# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Faults of the states that arrive: each raises a FaultError if the arm was not safe."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from adversary_dds import PERIOD, ROBOT, SCENARIO, DdsArm
from rclpy.node import Node
from sensor_msgs.msg import JointState

from impact_msgs.msg import ControllerStatus
from impact_qp.interface import LEAD
from impact_qp.limits import RobustImpactLimit
from impact_qp.parameters import ControllerParameters
from impact_ros.parameters import from_values
from impact_ros.qos import STREAM

SLOW = 1.0  # no joint moves faster in what these faults ask for [rad/s]
STANDING = 0.2  # [rad/s]


def one_sample_in_degrees(arm: DdsArm) -> None:
    """One state in degrees in the middle of an approach."""
    arm.start().cycles(150)
    arm.show(arm.state(np.degrees(arm.arm.q), np.degrees(arm.arm.dq)))
    arm.move()
    arm.cycles(300)
    arm.expect_sound()
    arm.expect(arm.fastest < SLOW, f"joints below {SLOW} rad/s, got {arm.fastest:.2f}")


def zeros_before_ready(arm: DdsArm) -> None:
    """Five states of zeros, as drivers send before they are ready."""

    def lie(message: JointState) -> None:
        message.position = message.velocity = [0.0] * ROBOT.dof

    arm.start().cycles(5, lie)
    arm.cycles(400)
    arm.expect_sound()
    arm.expect(arm.fastest < SLOW, f"joints below {SLOW} rad/s, got {arm.fastest:.2f}")


def joint_in_another_turn(arm: DdsArm) -> None:
    """From one state on joint 1 reads 2 pi more."""

    def lie(message: JointState) -> None:
        message.position[0] += 2.0 * np.pi

    arm.start().cycles(150)
    arm.cycles(100, lie)
    arm.expect(arm.fault, "a fault in the status")
    arm.expect_sound()
    arm.expect_rest(lie=lie)


def second_publisher(arm: DdsArm) -> None:
    """Another arm publishes on joint_states as well."""
    other: Any = arm.add(lambda: Node("other_driver", context=arm.context))
    publisher = other.create_publisher(JointState, "joint_states", STREAM)
    arm.start()
    arm.need(lambda: publisher.get_subscription_count() > 0, "discovery")
    elsewhere = arm.arm.q + 0.5
    for _ in range(150):
        arm.verdict()
        arm.show(arm.state())
        arm.move(PERIOD // 2)
        count = len(arm.commands)
        publisher.publish(arm.state(elsewhere, np.zeros(ROBOT.dof)))
        arm.wait(lambda count=count: len(arm.commands) > count, 0.02)
        arm.move(PERIOD // 2)
    arm.expect_sound()
    arm.expect(arm.fastest < SLOW, f"joints below {SLOW} rad/s, got {arm.fastest:.2f}")
    arm.need(lambda: any("publisher" in line for line in arm.log), "a warning of two publishers")


def frozen_stamp(arm: DdsArm) -> None:
    """The stamp stands still while the arm moves on."""
    arm.start().cycles(200)
    gap, stamp = arm.gap, arm.time

    def moves() -> bool:
        arm.verdict()
        arm.show(arm.state(stamp=stamp), 0.01)
        arm.move()
        return bool(arm.fault) and not arm.values.any()

    arm.expect(arm.wait(moves, 3.0), "zero velocity and a fault")
    arm.expect(arm.gap > 0.5 * gap, f"a stop long before the surface, got a gap of {arm.gap:.3f} m")
    arm.expect_sound()


def stamps_left_at_zero(arm: DdsArm) -> None:
    """A driver does not fill in its stamps."""
    arm.start()
    for _ in range(300):
        arm.verdict()
        arm.show(arm.state(stamp=0), 0.01)
        arm.move()
    arm.expect(arm.fault, "a fault in the status")
    arm.expect(arm.fastest < STANDING, f"an arm that stands, got {arm.fastest:.2f} rad/s")
    arm.expect_sound()


def states_stop(arm: DdsArm) -> None:
    """The driver dies in the middle of an approach."""
    arm.start().cycles(150)
    count = len(arm.commands)
    arm.need(lambda: len(arm.commands) > count, "a last command")
    arm.expect_zero_torque()
    arm.need(lambda: arm.status[-1].mode == ControllerStatus.MODE_STOPPED, "MODE_STOPPED")
    arm.expect(arm.fault, "a fault in the status")
    arm.expect_sound()


def detector_stops(arm: DdsArm) -> None:
    """The detector dies in the middle of an approach."""
    arm.start().cycles(100)

    def stopped() -> bool:
        arm.show(arm.state())
        arm.move()
        return bool(arm.fault)

    arm.need(stopped, "a fault in the status")
    arm.expect_rest()
    arm.expect(arm.fault, "the fault to stay when the detector is back")
    arm.expect_sound()


def clock_jumps_back(arm: DdsArm) -> None:
    """The driver's clock is set back by half a second."""
    arm.start().cycles(150)
    arm.offset -= 500 * PERIOD
    arm.cycles(10)
    arm.expect(arm.fault, "a fault in the status")
    arm.expect_rest()
    arm.expect_sound()


def flood_of_states(arm: DdsArm) -> None:
    """Ten times as many states as announced: torque rates are per second, not per message."""
    arm.start()
    for _ in range(300):
        arm.verdict()
        arm.show(arm.state(), 0.005)
        arm.move(PERIOD // 10)
    arm.expect_sound()


def blocked_arm(arm: DdsArm) -> None:
    """Somebody holds the arm: the command must not run ahead of it."""
    arm.start().cycles(200)
    arm.arm.blocked = True
    arm.cycles(1500)
    arm.expect_sound()
    arm.arm.blocked, held = False, arm.arm.q.copy()
    arm.cycles(300)  # let go: ends if a joint is too fast
    share = float((np.abs(arm.arm.q - held) / (LEAD * ROBOT.limits.velocity)).max())
    arm.expect(share <= 1.0, f"an arm that stays where it is let go, got {share:.2f} of the lead")


def active_too_fast_too_near(arm: DdsArm) -> None:
    """Activated at four times the safe speed, 5 mm before the surface."""
    settings = from_values(ControllerParameters, arm.settings)
    normal = np.array(SCENARIO.normal, dtype=float)
    near = _near(0.005)
    arm.arm.reset(near, np.zeros(ROBOT.dof))
    limit = RobustImpactLimit(ROBOT, settings.plan().contact)
    speed = 4.0 * limit.speed_bound(arm.arm.state).speed
    twist = np.append(-speed * normal, np.zeros(3))
    arm.arm.reset(near, np.linalg.pinv(arm.arm.state.J) @ twist)
    arm.start()
    arm.expect(arm.show(arm.state(), 5.0), "an answer")
    arm.expect(
        arm.fault or arm.status[-1].mode != ControllerStatus.MODE_APPROACH,
        "no approach, or a word why it cannot be safe",
    )
    arm.expect_sound()


def _near(gap: float) -> np.ndarray:
    """Return the configuration that far before the surface, (n,) [rad]."""
    return replace(SCENARIO, run_up=gap).start(ROBOT)
