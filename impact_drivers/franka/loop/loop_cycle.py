# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The loop's report of one cycle, also as the controller's status. Needs no ROS."""

from __future__ import annotations

from enum import IntEnum
from typing import Any, NamedTuple

import numpy as np

from impact_detector.signals.sample import Detection, DetectionStatus
from impact_qp.control.command import Command
from impact_qp.control.state_machine import Fault
from impact_qp.control.status import BLIND, Counts, command_fields, remark, status_fields


def loop_status(kind: Any, cycle: LoopCycle, limits: str, *, idle: bool) -> dict[str, Any]:
    """Return the fields of an impact_msgs/ControllerStatus, all but the header.

    Args:
        kind: class of the message.
        cycle: of the loop; without an answer there is no command.
        limits: name of the impact limits in force.
        idle: no goal since the activation.
    """
    fault = Fault.STOPPED if cycle.fault else Fault.NONE
    counts, answer = counts_of(cycle.counts), cycle.answer
    if answer is None:
        return status_fields(kind, counts, cycle.fault, fault=fault, limits=limits)
    blind = cycle.status is None or not cycle.status.ready
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
    """Return the loop's counts, and a note, for the controller's messages."""
    return Counts(
        answered=counts.answered,
        missed=counts.missed,
        dropped=counts.dropped,
        infeasible=counts.infeasible,
        note=note,
    )


class LoopState(IntEnum):
    """State of the loop; in CONTROLLING the phase of its command applies."""

    CONNECTED = 0  # reads states, commands nothing
    CONTROLLING = 1  # torque control: holds, or carries out a goal
    STOPPING = 2  # brakes; then the motion is finished
    FAULT = 3  # stopped for a fault, or by the arm's reflex; commands nothing
    ENDED = 4  # the last cycle: finished in order
    CHANGING = 5  # between two motions, for other collision thresholds; then it controls again


class LoopCounts(NamedTuple):
    """Since torque control began."""

    answered: int = 0
    missed: int = 0  # cycles of the arm without a command that reached it, or answered too late
    dropped: int = 0  # states that could not be used
    infeasible: int = 0  # cycles with relaxed limits


class LoopCycle(NamedTuple):
    """One state of the arm and its processing; arrays of shape (7,)."""

    time: int  # stamp of the measurement by the wall clock; grows with the arm's own [ns]
    q: np.ndarray  # [rad]
    dq: np.ndarray  # [rad/s]
    tau: np.ndarray  # measured, gravity included [N.m]
    state: LoopState = LoopState.CONNECTED
    period: int = 0  # since the state before, by the arm's clock [ns]
    success_rate: float = float("nan")  # of the last 100 commands, as the arm counts them [-]
    answer: Command | None = None  # of the controller; None: no answer
    sent: np.ndarray | None = None  # torque sent to the arm, without gravity [N.m]
    status: DetectionStatus | None = None  # of the detector on this state
    detection: Detection | None = None  # the last one so far, also of earlier cycles
    detections: int = 0  # so far
    counts: LoopCounts = LoopCounts()
    solve_time: float = float("nan")  # to compute the command [s]
    cycle_time: float = float("nan")  # from the state's arrival to the command's leaving [s]
    acknowledged: int = 0  # number of the request decided on last
    begun: int = 0  # number of the goal begun last in this torque control, 0 without
    refusal: str = ""  # why that request is not carried out, "" if it is
    fault: str = ""  # why the arm was stopped, "" while it was not
    errors: str = ""  # of the arm, by libfranka's names; "" without
    raised: bool = False  # the collision thresholds are raised for a hit
    external: np.ndarray | None = None  # torques, as the arm estimates them [N.m]; None: unknown
    reported: int = 0  # time of the report, monotonic clock; 0: unknown [ns]
