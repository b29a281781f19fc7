# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Reports of an arm of a controller of several arms."""

from __future__ import annotations

from typing import Any

from impact_msgs.msg import ControllerStatus
from impact_qp.control.state_machine import Fault
from impact_qp.control.status import Counts
from impact_qp.ros.messages import status_message
from impact_qp.spreading.command import SpreadCommand
from impact_qp.spreading.modes import Mode

MODES = {
    Mode.ANTE: "approach",
    Mode.INTERIM: "press",
    Mode.POST: "press",
    Mode.STOP: "brake",
}


def spread_status(
    command: SpreadCommand | None, counts: Counts, text: str, stamp: Any, fault: Fault
) -> ControllerStatus:
    """Return the status of a command; None: nothing is commanded any more.

    Surface quantities, such as speed bound and gap, are unknown.
    """
    if command is None:
        return status_message(counts, text, stamp, fault=fault)
    doing = command.mode.value
    said = doing if command.stop is None else f"{doing}: {command.stop.value}"
    return status_message(
        counts,
        text or said,
        stamp,
        fault=fault,
        mode="hold" if command.held else MODES[command.mode],
        active_constraints=list(command.active),
    )
