# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Goals that ask for less safety than the node's parameters: each must be refused or kept safe."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pinocchio as pin
from adversary_dds import ROBOT, SCENARIO, DdsArm
from rclpy.action import ActionClient

from impact_msgs.action import ExecuteImpact
from impact_msgs.msg import Surface
from impact_qp.limits import RobustImpactLimit
from impact_qp.parameters import ControllerParameters
from impact_ros.messages import set_vector
from impact_ros.parameters import from_values

NAN = float("nan")
LONGEST = 3000  # cycles of one approach
NEARLY_THERE = 0.002  # [m]
MARGIN, ROUNDING = 1.03, 0.005  # of the speed bound [-], [m/s]


def default_goal(arm: DdsArm) -> None:
    """A goal with pose, speed and time-out, everything else as constructed: zeros."""
    goal = _at_the_surface(ExecuteImpact.Goal())
    goal.speed, goal.timeout = SCENARIO.reference_speed, NAN
    _refused_or_safe(arm, goal)


def friction_low_only(arm: DdsArm) -> None:
    """A goal that knows that friction is at least 0.9, and nothing else."""
    _refused_or_safe(arm, _open(surface=Surface(friction_low=0.9)), friction=0.9)


def weaker_limits(arm: DdsArm) -> None:
    """A goal that asks for no impact limits where the parameters say robust."""
    _refused_or_safe(arm, _open(impact_limits="unaware"))


def absurd_goals(arm: DdsArm) -> None:
    """Goals with a force of 1e308 N and a surface 1e300 m away."""
    arm.start()
    arm.cycles(5)
    press = ExecuteImpact.Goal.AFTER_PRESS
    far = _open()
    far.contact.pose.position.x = 1e300
    deep = _open()
    deep.contact.pose.position.z = -1e300
    for goal in (_open(after=press, press_force=1e308), far, deep):
        _, result = _send(arm, goal)
        bad = (ExecuteImpact.Result.CODE_BAD_GOAL, ExecuteImpact.Result.CODE_NOT_FEASIBLE)
        arm.cycles(5)
        done = arm.wait(result.done, 2.0)
        arm.expect(done and result.result().result.code in bad, "a refusal of the goal")
    arm.expect_rest(50)
    arm.expect_sound()


def _at_the_surface(goal: Any) -> Any:
    """Give a goal the scenario's pose."""
    set_vector(goal.contact.pose.position, SCENARIO.surface_point(ROBOT))
    normal = np.array(SCENARIO.normal, dtype=float)
    turn = pin.Quaternion.FromTwoVectors(np.array([0.0, 0.0, 1.0]), normal)
    for name in "xyzw":
        setattr(goal.contact.pose.orientation, name, getattr(turn, name))
    return goal


def _open(**fields: Any) -> Any:
    """Return a goal that leaves everything open but ``fields``."""
    goal = _at_the_surface(ExecuteImpact.Goal(speed=NAN, timeout=NAN))
    for name, value in fields.items():
        setattr(goal, name, value)
    return goal


def _send(arm: DdsArm, goal: Any) -> tuple[Any, Any]:
    """Send a goal; return its handle and the future of its result."""
    client = ActionClient(arm.driver, ExecuteImpact, "impact_qp/execute_impact")
    arm.need(client.server_is_ready, "the action")
    future = client.send_goal_async(goal)
    arm.need(future.done, "an answer to the goal")
    handle = future.result()
    return handle, handle.get_result_async()


def _refused_or_safe(arm: DdsArm, goal: Any, friction: float = 0.0) -> None:
    """Demand that a goal is refused, or approached no faster than the node's parameters allow."""
    contact = from_values(ControllerParameters, arm.settings).plan().contact
    contact = replace(contact, friction=(0.0, max(contact.friction[1], friction)))
    bound = RobustImpactLimit(ROBOT, contact).speed_bound
    arm.start()
    arm.cycles(5)
    _, result = _send(arm, goal)
    for _ in range(LONGEST):
        if arm.gap < NEARLY_THERE or arm.wait(result.done, 0.0):
            break
        arm.cycles(1)
    state = arm.arm.state
    speed, most = contact.approach_speed(state.velocity), bound(state).speed
    arm.expect(
        speed <= MARGIN * most + ROUNDING, f"at most {most:.3f} m/s at the contact, got {speed:.3f}"
    )
    arm.expect(result.done() or arm.gap < NEARLY_THERE, "a refusal or an approach")
    arm.expect_sound()
