# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""What is reported of an answer by the controller of a grab."""

from __future__ import annotations

from typing import Any

from impact_msgs.msg import ControllerStatus, GrabStatus
from impact_qp.body.guarded_grab import GrabAnswer
from impact_qp.body.phase_modes import mode_of
from impact_qp.control.state_machine import Fault
from impact_qp.control.status import Counts
from impact_qp.ros.messages import status_message


def grab_status(
    answer: GrabAnswer, counts: Counts, stamp: Any, fault: Fault, limits: str
) -> ControllerStatus:
    """Return the status of an answer; what a single surface has, as gap and normal, is unknown.

    Args:
        answer: to a state.
        counts: so far.
        stamp: of the state.
        fault: why nothing may move, if so.
        limits: name of the impact limits in force.
    """
    said = answer.said
    return status_message(
        counts,
        answer.problem or said.phase,
        stamp,
        fault=fault,
        limits=limits,
        mode=mode_of(said.phase, held=bool(answer.problem)),
        active_constraints=list(answer.active),
        speed_bound=said.bound,
    )


def grab_message(answer: GrabAnswer, stamp: Any) -> GrabStatus:
    """Return how far the grab has got."""
    message = GrabStatus(**answer.said.fields())
    message.header.stamp = stamp
    return message
