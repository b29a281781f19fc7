# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Reports of an answer of the controller of a grab."""

from __future__ import annotations

from typing import Any

from impact_msgs.msg import ControllerStatus, GrabStatus
from impact_qp.body.guarded_grab import GrabAnswer
from impact_qp.control.status import Counts
from impact_qp.ros.messages import status_message


def grab_status(answer: GrabAnswer, counts: Counts, stamp: Any, limits: str) -> ControllerStatus:
    """Return the status of an answer.

    Args:
        answer: to a state.
        counts: so far.
        stamp: of the state.
        limits: name of the impact limits in force.
    """
    return status_message(counts, stamp=stamp, limits=limits, **answer.status)


def grab_message(answer: GrabAnswer, stamp: Any) -> GrabStatus:
    """Return the progress of the grab."""
    message = GrabStatus(**answer.said.fields)
    message.header.stamp = stamp
    return message
