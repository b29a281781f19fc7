# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Writes the messages of the controller's node; needs impact_msgs to import."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus, KeyValue
from sensor_msgs.msg import JointState

from impact_msgs.action import ExecuteImpact
from impact_msgs.msg import (
    ControllerStatus,
    ImpactAnnouncement,
    ImpactEstimate,
    ImpactPrediction,
    JointCommand,
)
from impact_qp.control.plan import Plan
from impact_qp.control.status import Counts, status_fields
from impact_qp.goals.goal import End
from impact_robots import Robot
from impact_ros.message_fields import joint_command_fields, stamped, write
from impact_ros.messages import fill, set_vector, to_nanoseconds
from impact_ros.surface_message import announcement_fields

NAN = float("nan")


def command_message(robot: Robot, interface: str, values: np.ndarray, stamp: Any) -> JointCommand:
    """Return a command; ``stamp`` is that of the state which it answers."""
    message = JointCommand()
    message.header.stamp = stamp
    write(message, joint_command_fields(JointCommand, robot, interface, values))
    return message


def desired_message(names: Sequence[str], stamp: Any, **motion: np.ndarray) -> JointState:
    """Return the commanded motion; its effort is the expected joint torque measurement.

    Args:
        names: of the joints.
        stamp: of the state which it answers.
        **motion: ``position``, ``velocity`` and ``effort``, if known, shape (n,) each.
    """
    message = JointState(name=names)
    message.header.stamp = stamp
    for name, values in motion.items():
        fill(getattr(message, name), values)
    return message


def status_message(counts: Counts, text: str, stamp: Any, **known: Any) -> ControllerStatus:
    """Return a status; arguments as of :func:`.status_fields`."""
    message = ControllerStatus()
    message.header.stamp = stamp
    write(message, status_fields(ControllerStatus, counts, text, **known))
    return message


def announcement_message(robot: Robot, plan: Plan, due: bool, stamp: Any) -> ImpactAnnouncement:
    """Return the announcement of an impact, or its withdrawal."""
    time = to_nanoseconds(stamp)
    fields = announcement_fields(None)
    if due:
        fields = announcement_fields(plan.contact, time, frame=robot.contact_frame)
    message = ImpactAnnouncement()
    write(message, stamped(time, robot.base_frame, fields))
    return message


def feedback_message(status: ControllerStatus) -> ExecuteImpact.Feedback:
    """Return the progress in a status."""
    active = status.active_constraints
    return ExecuteImpact.Feedback(
        distance=status.gap,
        speed=-status.normal_speed,
        bound=status.speed_bound,
        active_limit=active[0] if active else "",
        phase=status.mode,
    )


def result_message(end: End) -> ExecuteImpact.Result:
    """Return the result of a goal, with all measured fields unknown."""
    result = ExecuteImpact.Result(
        success=end.success,
        code=end.code,
        message=end.message,
        contact_speed=NAN,
        speed_bound=NAN,
    )
    _make_unknown(result.measured, ImpactEstimate)
    _make_unknown(result.announced, ImpactPrediction)
    return result


def _make_unknown(message: Any, kind: Any) -> None:
    """Set every number of a message to NaN, those of its vectors too."""
    for name, type_name in kind.get_fields_and_field_types().items():
        if type_name in ("double", "float"):
            setattr(message, name, NAN)
        elif type_name == "geometry_msgs/Vector3":
            set_vector(getattr(message, name), [NAN] * 3)


def diagnostics_message(
    name: str, stamp: Any, fault: str, counts: Counts, publishers: dict[str, int]
) -> DiagnosticArray:
    """Return the diagnostics of the node called ``name``, with the publishers of its topics."""
    values = {
        "answered states": counts.answered,
        "missed cycles": counts.missed,
        "states faster than the rate": counts.passed,
        "dropped states": counts.dropped,
        "cycles without a solution": counts.infeasible,
        **{f"publishers of {topic}": count for topic, count in publishers.items()},
    }
    level, text = DiagnosticStatus.OK, "controlling"
    if counts.note:
        level, text = DiagnosticStatus.WARN, counts.note
    for topic, count in publishers.items():
        if count != 1:
            level, text = DiagnosticStatus.WARN, f"{topic} has {count} publishers, expected one"
    if fault:
        level, text = DiagnosticStatus.ERROR, fault
    status = DiagnosticStatus(
        level=level,
        name=f"{name}: control cycle",
        message=text,
        values=[KeyValue(key=key, value=str(value)) for key, value in values.items()],
    )
    message = DiagnosticArray(status=[status])
    message.header.stamp = stamp
    return message
