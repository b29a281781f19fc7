# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""What the controller's status says of a cycle of the loop. Needs no ROS."""

from __future__ import annotations

from typing import Any

from impact_drivers.franka.loop.loop_cycle import LoopCounts, LoopCycle
from impact_qp.control.state_machine import Fault
from impact_qp.control.status import BLIND, Counts, command_fields, remark, status_fields


def loop_status(kind: Any, cycle: LoopCycle, limits: str, *, idle: bool) -> dict[str, Any]:
    """Return the fields of an impact_msgs/ControllerStatus, all but the header.

    Args:
        kind: class of the message.
        cycle: of the loop; without an answer nothing is commanded any more.
        limits: name of the impact limits in force.
        idle: no goal came since the activation.
    """
    fault = Fault.STOPPED if cycle.fault else Fault.NONE
    counts, answer = counts_of(cycle.counts), cycle.answer
    if answer is None:
        return status_fields(kind, counts, cycle.fault, fault=fault, limits=limits)
    blind = cycle.verdict is None or not cycle.verdict.ready
    return status_fields(
        kind,
        counts,
        remark(answer, fault=cycle.fault, waits=BLIND if blind else ""),
        fault=fault,
        limits=limits,
        solve_time=cycle.solve_time,
        cycle_time=cycle.cycle_time,
        **command_fields(answer, idle=idle),
    )


def counts_of(counts: LoopCounts, note: str = "") -> Counts:
    """Return the loop's counts, and a note, as the controller's messages have them."""
    return Counts(
        answered=counts.answered,
        missed=counts.missed,
        dropped=counts.dropped,
        infeasible=counts.infeasible,
        note=note,
    )
