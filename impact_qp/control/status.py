# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Status of a controller: the fields of impact_msgs/ControllerStatus. Needs no ROS."""

from __future__ import annotations

from dataclasses import dataclass
from math import nan
from typing import Any

from impact_qp.control.command import Command
from impact_qp.control.phases import Phase
from impact_qp.control.state_machine import Fault
from impact_ros.message_fields import constant

MAX_COUNT = 2**32 - 1  # of a uint32
BLIND = "waiting: the detector is not ready"
_UNKNOWN = ("slack", "solve_time", "cycle_time", "normal_speed", "speed_bound", "gap", "factor")


@dataclass
class Counts:
    """Since the activation."""

    answered: int = 0
    missed: int = 0  # periods without a state, and answers later than a period
    passed: int = 0  # states that arrived faster than the rate
    dropped: int = 0  # unusable states
    infeasible: int = 0
    note: str = ""  # load that the model does not explain, in the last cycle


def status_fields(
    kind: Any,
    counts: Counts,
    text: str = "",
    *,
    fault: Fault = Fault.NONE,
    limits: str = "unknown",
    mode: str = "stopped",
    **known: Any,
) -> dict[str, Any]:
    """Return all fields but the header.

    Args:
        kind: class of the message.
        counts: so far.
        text: message.
        fault: whether and how motion is blocked.
        limits: name of the impact limits in force.
        mode: name of the mode; by default nothing is commanded.
        **known: further fields; unknown numbers are NaN.
    """
    return {
        "mode": constant(kind, "MODE", mode),
        "impact_limits": constant(kind, "IMPACT_LIMITS", limits),
        "active_constraints": [],
        "relaxed_constraints": [],
        **dict.fromkeys(_UNKNOWN, nan),
        "infeasible_cycles": min(counts.infeasible, MAX_COUNT),
        "missed_cycles": min(counts.missed, MAX_COUNT),
        "dropped_inputs": min(counts.dropped, MAX_COUNT),
        "fault": constant(kind, "FAULT", fault.value),
        "message": text,
        **known,
    }


def command_fields(command: Command, *, idle: bool = False) -> dict[str, Any]:
    """Return the additions of a command to :func:`status_fields`.

    Args:
        command: of an arm.
        idle: the arm holds its position at activation: no goal received yet.
    """
    waits = idle and command.phase is Phase.HOLD
    return {
        "mode": "idle" if waits else command.phase.value,
        "active_constraints": list(command.active),
        "relaxed_constraints": list(command.relaxed),
        "slack": command.slack,
        "normal_speed": command.normal_speed,
        "speed_bound": command.speed_bound,
        "gap": command.gap,
    }


def remark(command: Command, *, fault: str = "", waits: str = "") -> str:
    """Return the message text: why an arm is stopped or waits, and its unexplained load.

    Args:
        command: that is sent.
        fault: why the arm is stopped, "" if it is not.
        waits: why it may not approach, "" if it may.
    """
    reason = fault or (waits if command.phase is Phase.APPROACH else "")
    return "; ".join(filter(None, (reason, command.note)))
