# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""One hit in a process of its own: connect, hold, approach, report."""

from __future__ import annotations

import multiprocessing
import os
import signal
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from multiprocessing.connection import Connection
from typing import Any

from impact_detector.parameters import DetectorParameters, session_for
from impact_detector.session import DetectorSession
from impact_drivers.exceptions import DriverError
from impact_drivers.franka.arm.arm import Arm
from impact_drivers.franka.arm.collision_behavior import CollisionBehavior
from impact_drivers.franka.arm.fr3_model import NAME, load_fr3
from impact_drivers.franka.arm.libfranka_arm import LibfrankaArm
from impact_drivers.franka.arm.real_time import claim
from impact_drivers.franka.arm.settings import ArmSettings
from impact_drivers.franka.child import Wanted
from impact_drivers.franka.hit import Hit
from impact_drivers.franka.loop.loop import FrankaLoop
from impact_drivers.franka.loop.loop_cycle import LoopCycle
from impact_drivers.franka.loop.loop_times import TimesReport
from impact_drivers.franka.loop.protection import STILL_RAISED
from impact_drivers.franka.restore_main import connected, restore
from impact_drivers.franka.strike_order import StrikeOrder
from impact_qp.control.plan import Plan
from impact_qp.limits.impact_limits.registry import refuse_weak_limits
from impact_robots.exceptions import ImpactError
from impact_robots.robot import Robot
from impact_ros.interrupts import interrupts_blocked
from impact_ros.parameters import from_values

BRAKED_WITHIN = 10.0  # after an interrupt [s]


@dataclass(frozen=True)
class HitJob:
    """Settings of a hit."""

    address: str
    plan: Plan
    settings: ArmSettings
    threshold: float = 2.5  # of the torque errors [N.m]
    dry_run: bool = False
    robot: str = NAME  # or path of a YAML with another tool
    alone: bool = False  # reserve a core and set a real-time priority
    need: CollisionBehavior | None = None  # see `hit_need`; None: thresholds stay low
    strike: StrikeOrder | None = None  # with a tool; its speed is that of the plan

    def __post_init__(self) -> None:
        """Check the plan.

        Raises:
            ControlError: its impact limits do not bound every admissible impulse.
        """
        refuse_weak_limits(self.plan.impact_limits)


@dataclass(frozen=True)
class HitOutcome:
    """Result of a hit."""

    cycles: list[LoopCycle]
    times: TimesReport
    fault: str = ""  # why the motion ended, "" if in order
    refusal: str = ""  # why there was no approach
    notes: list[str] = field(default_factory=list)  # settings that the system refused

    @property
    def controlled(self) -> list[LoopCycle]:
        """The cycles in torque control."""
        return [cycle for cycle in self.cycles if cycle.sent is not None]

    @property
    def reflexes(self) -> tuple[str, ...]:
        """Errors by which the arm has stopped itself, by libfranka's names."""
        after = [cycle.errors for cycle in self.cycles if cycle.errors]
        return tuple(after[-1].split(", ")) if after else ()


def perform(
    arm: Arm,
    robot: Robot,
    job: HitJob,
    *,
    now: Callable[[], int],
    stopped: Callable[[], bool] = lambda: False,
) -> HitOutcome:
    """Hit, with an arm that is connected.

    Args:
        arm: connected.
        robot: model of the arm, without the tool of a strike.
        job: settings of the hit.
        now: stamps the first state of the motion [ns].
        stopped: whether the hit is to end.

    Raises:
        ImpactError: the arm cannot be reached, or the plan cannot be used.
    """
    hit, order, make_controller = Hit(job.plan, job.need), job.strike, None
    if order is not None:
        make_controller = partial(order.controller, robot)
        robot = order.arm(robot)
    loop = FrankaLoop(
        arm,
        robot,
        replace(job.plan, strike=None),
        job.settings,
        lambda: detector(job, robot),
        hit,
        hit.report,
        dry_run=job.dry_run,
        real_time=job.alone,
        make_controller=make_controller,
        now=now,
        stopped=stopped,
    )
    loop.run()
    return HitOutcome(hit.cycles, loop.times.report(), loop.fault, hit.refusal)


def detector(job: HitJob, robot: Robot) -> DetectorSession:
    """Return the detector of a hit: the node's default, without estimates."""
    normal = [float(component) for component in job.plan.contact.normal]
    values = {"threshold": job.threshold, "contact_normal": normal, "lockstep": True}
    return session_for(from_values(DetectorParameters, values), robot, estimates=False)


def run_hit(job: HitJob, now: Callable[[], int]) -> HitOutcome:
    """Hit, in a process of its own; an interrupt, or the end of this one, lets the arm brake first.

    Raises:
        DriverError: as :func:`perform`.
        KeyboardInterrupt: interrupted; the arm stands.
    """
    context = multiprocessing.get_context("spawn")
    pipe, other = context.Pipe()
    process = context.Process(target=_run, args=(job, now, other, os.getpid()), daemon=True)
    with interrupts_blocked():  # inherited until the process can brake on an interrupt
        process.start()
    other.close()
    try:
        answer = _received(pipe)
        process.join(BRAKED_WITHIN)
        if answer is None:
            answer = died(connected(job.address), job.settings)
        elif isinstance(answer, HitOutcome) and STILL_RAISED in answer.fault:
            answer.notes.append(_lowered(connected(job.address), job.settings))
    finally:
        process.join(BRAKED_WITHIN)
    if isinstance(answer, str):
        raise DriverError(answer)
    return answer


def died(connect: Callable[[], Arm], settings: ArmSettings) -> str:
    """Return the message for a dead loop process; lowers the thresholds that it raised.

    Args:
        connect: to the arm.
        settings: of the arm.
    """
    line = "the loop's process has died; the arm stops by itself without commands"
    if not settings.raise_thresholds:
        return line
    return f"{line}; {_lowered(connect, settings)}"


def _lowered(connect: Callable[[], Arm], settings: ArmSettings) -> str:
    """Lower the thresholds of an arm whose loop has ended; return the result in words."""
    reason = restore(connect, settings)
    return f"{STILL_RAISED}{reason}" if reason else "its thresholds are low again"


def _received(pipe: Connection) -> Any:
    """Return the process's result, or None if it has died."""
    try:
        return pipe.recv()
    except EOFError:
        return None
    except KeyboardInterrupt:
        if pipe.poll(BRAKED_WITHIN):  # it received the same interrupt, and brakes
            pipe.recv()
        raise


def _run(job: HitJob, now: Callable[[], int], pipe: Connection, parent: int) -> None:
    wanted = Wanted(parent)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    try:
        notes = claim() if job.alone else []
        arm = LibfrankaArm(job.address, realtime=job.settings.realtime)
        outcome = perform(arm, load_fr3(job.robot), job, now=now, stopped=wanted.no_longer)
        outcome.notes.extend(notes)
        answer: HitOutcome | str = outcome
    except ImpactError as error:
        answer = str(error)
    with suppress(BrokenPipeError):  # nobody waits for it any more
        pipe.send(answer)
