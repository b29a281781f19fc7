# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""From a state of a Franka Research 3 to its command through libfranka, in blocks of random order.

The loop of the suite (detector and controller in the arm's own cycle, ``robust`` limits), the same
without rehearsing the next cycle while it waits for the arm, the same with ``joint_load``, the
same while a goal comes four times a second (of both limits, and some that are refused), a loop that
only echoes, and the way over DDS to controller and detector in another process and back,
against the fake arm in real time. "Loaded": a neighbour computes on the loop's core all the time;
the loop has a real-time priority there, and "unprotected" is the loop without. A round has a block
of each; differences from the echo are those of a round, with their spread over the rounds. Run it
with ``./impact bench fci`` (twelve minutes) or ``--quick`` (two minutes), and turn off what else
runs: the fake arm needs a core of its own. "Stolen" is the share of the processors' time that a
virtual machine wanted and its host gave to others: where that is not 0, something else ran.
"""

from __future__ import annotations

import contextlib
import gc
import multiprocessing
import os
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from dataclasses import replace
from functools import partial
from multiprocessing.connection import Connection
from typing import Any

import numpy as np
import psutil
from predictor_service import importable
from side_by_side import spread_of

from impact_drivers.fake_fr3.fake_process import FakeProcess
from impact_drivers.fake_fr3.fake_setup import FakeSetup
from impact_drivers.franka.arm.arm import ArmStoppedError
from impact_drivers.franka.arm.fr3_model import load_fr3
from impact_drivers.franka.arm.libfranka_arm import LibfrankaArm
from impact_drivers.franka.arm.real_time import claim
from impact_drivers.franka.arm.settings import ArmSettings
from impact_drivers.franka.hit import HELD
from impact_drivers.franka.hit_process import HitJob, detector
from impact_drivers.franka.loop.loop import FrankaLoop
from impact_drivers.franka.loop.loop_times import LoopTimes
from impact_drivers.franka.memory.request import Request, RequestKind
from impact_qp.control.plan import Plan
from impact_qp.limits import Contact
from impact_robots.dynamics import ArmDynamics

CYCLES, ROUNDS = 5_000, 8  # of a block, and rounds; one with --quick
DISTANCE, SPEED = 0.1, 0.001  # of the surface [m], so slow that it is never reached [m/s]
LOADED = ", loaded"  # beside a neighbour on the loop's core
WAYS = (
    *("echo", "loop", "goals", "unrehearsed", "joint_load", "dds"),
    *(f"{way}{LOADED}" for way in ("echo", "loop", "joint_load", "unprotected")),
)
OVER_ECHO = ("loop", "joint_load", "goals")  # whose differences from the echo are figures
EVERY = 250  # cycles a goal comes
SETTINGS = ArmSettings(realtime=False, longest_period=0.02, least_success_rate=0.0)


class Creep:
    """Asks to hold, to approach without ever arriving, and to end."""

    def __init__(self, plan: Plan, cycles: int) -> None:
        self.plan, self._cycles, self.seen = plan, cycles, 0
        self.taken = self.beats = 0

    def take(self, defaults: Plan) -> Request | None:
        """Return what is due."""
        self.beats, self.seen = self.beats + 1, self.seen + 1
        kind, plan = self.due()
        if kind is None:
            return None
        self.taken += 1
        return Request(self.taken, kind, plan)

    def due(self) -> tuple[RequestKind | None, Plan]:
        """Return what is asked for in this cycle, none without."""
        kinds = {1: RequestKind.HOLD, HELD: RequestKind.GOAL, self._cycles: RequestKind.END}
        return kinds.get(self.seen), self.plan


class Goals(Creep):
    """Asks for goals of every kind on the way, one in four of which is refused."""

    def due(self) -> tuple[RequestKind | None, Plan]:
        """Return what is asked for in this cycle, none without."""
        kind, plan = super().due()
        if kind is not None or self.seen <= HELD or self.seen % EVERY:
            return kind, plan
        limits = ("robust", "joint_load", "unaware", "joint_load")
        return RequestKind.GOAL, replace(plan, impact_limits=limits[self.seen // EVERY % 4])


def measure(quick: bool = False) -> dict[str, float]:
    """Return all figures; times in microseconds.

    Args:
        quick: a single round.
    """
    rounds, random = 1 if quick else ROUNDS, np.random.default_rng(0)
    blocks: dict[str, list[LoopTimes]] = defaultdict(list)
    stolen: dict[str, list[float]] = defaultdict(list)
    cores = os.sched_getaffinity(0)
    with importable():
        os.sched_setaffinity(0, {min(cores)})  # the fake arm's, which inherits it
        with FakeProcess(FakeSetup(lockstep=False)) as fake:
            os.sched_setaffinity(0, cores)
            for _ in range(rounds):
                for way in random.permutation(WAYS).tolist():
                    before = psutil.cpu_times()
                    beside = neighbour(max(cores)) if way.endswith(LOADED) else nullcontext()
                    with beside:
                        blocks[way].append(_block(way, fake.address, CYCLES))
                    stolen[way].append(_share_stolen(before, psutil.cpu_times()))
    shares = {f"{way}, stolen [%]": float(np.mean(stolen[way])) for way in WAYS}
    return _over_echo(blocks) | _figures(blocks) | shares


@contextlib.contextmanager
def neighbour(core: int) -> Iterator[None]:
    """Let a process compute on a core all the time, at an ordinary priority."""
    process = multiprocessing.get_context("spawn").Process(target=_compute, args=(core,))
    process.daemon = True
    process.start()
    try:
        yield
    finally:
        process.kill()
        process.join()


def _compute(core: int) -> None:
    """Go through more memory than the caches hold, for ever."""
    os.sched_setaffinity(0, {core})
    numbers = np.ones(4 << 20)
    while True:
        numbers.sum()


def _share_stolen(before: Any, after: Any) -> float:
    """Return what of the processors' time between two moments the host gave to others [%]."""
    return 100.0 * (after.steal - before.steal) / (sum(after) - sum(before))


def _block(way: str, address: str, cycles: int) -> LoopTimes:
    """Run one way for some cycles in a process of its own."""
    context = multiprocessing.get_context("spawn")
    pipe, other = context.Pipe()
    process = context.Process(target=_run, args=(way, address, cycles, other))
    process.start()
    other.close()
    try:
        answer = pipe.recv()
    finally:
        process.join()
    return answer


def _run(way: str, address: str, cycles: int, pipe: Connection) -> None:
    way = way.removesuffix(LOADED)
    ways: dict[str, Callable[[str, int], LoopTimes]] = {
        "echo": _echo,
        "loop": _loop,
        "goals": partial(_loop, asks=Goals),
        "unrehearsed": partial(_loop, rehearses=False),
        "joint_load": partial(_loop, impact_limits="joint_load"),
        "unprotected": partial(_loop, claims=False),
        "dds": _over_dds,
    }
    pipe.send(ways[way](address, cycles))


def _echo(address: str, cycles: int) -> LoopTimes:
    """Answer each state with zeros."""
    claim()
    arm, times, zeros = _connected(address), LoopTimes(cycles), np.zeros(7)
    _without_garbage(lambda: _answer(arm, times, cycles, lambda state: zeros))
    return times


def _loop(
    address: str,
    cycles: int,
    *,
    rehearses: bool = True,
    impact_limits: str = "robust",
    asks: type[Creep] = Creep,
    claims: bool = True,
) -> LoopTimes:
    """Approach a surface, with the real-time settings of the process or without."""
    if claims:
        claim()
    else:  # on the same core
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    arm, robot = _connected(address), load_fr3()
    point = ArmDynamics(robot)(arm.look().q, np.zeros(robot.dof))
    axis = point.rotation[:, 2]
    contact = Contact(point.position + DISTANCE * axis, -axis)
    plan = Plan(contact, impact_limits=impact_limits, speed=SPEED)
    job = HitJob(address, plan, SETTINGS)
    loop = FrankaLoop(
        arm,
        robot,
        plan,
        SETTINGS,
        lambda: detector(job, robot),
        asks(plan, cycles),
        lambda cycle: None,
        real_time=True,
        rehearses=rehearses,
    )
    loop.run()
    return loop.times


def _connected(address: str) -> LibfrankaArm:
    """Connect; the arm may have stopped for what was before."""
    arm = LibfrankaArm(address, realtime=False)
    if arm.look().errors:
        arm.recover()
    return arm


def _answer(
    arm: LibfrankaArm, times: LoopTimes, cycles: int, torque: Callable[[Any], np.ndarray]
) -> None:
    """Read, answer and write for some cycles, fewer if the arm stops for it."""
    arm.start()
    with contextlib.suppress(ArmStoppedError):
        for cycle in range(cycles):
            state = arm.read()
            answer = torque(state)
            (arm.finish if cycle == cycles - 1 else arm.write)(answer)
            times.add(time.perf_counter() - state.arrived, state.period, state.success_rate)


def _without_garbage(work: Callable[[], None]) -> None:
    gc.collect()
    gc.freeze()
    gc.disable()
    work()


def _over_dds(address: str, cycles: int) -> LoopTimes:
    """Send each state over DDS, and the arm what comes back; sent are zeros."""
    from fci_dds import suite_over_dds  # needs ROS 2

    arm, times = _connected(address), LoopTimes(cycles)
    with suite_over_dds(arm.look().q) as answer:
        claim()
        _without_garbage(lambda: _answer(arm, times, cycles, answer))
    return times


def _over_echo(blocks: dict[str, list[LoopTimes]]) -> dict[str, float]:
    """Return differences from the echo within a round, with their spread, in microseconds."""
    figures: dict[str, float] = {}
    for load in ("", LOADED):
        for way in OVER_ECHO:
            if f"{way}{load}" not in blocks:
                continue
            pairs = zip(blocks[f"{way}{load}"], blocks[f"echo{load}"], strict=True)
            reports = [(one.report(), echo.report()) for one, echo in pairs]
            for what in ("p50", "p99"):
                each = [getattr(one, what) - getattr(echo, what) for one, echo in reports]
                figures |= spread_of(each).figures(f"{way} - echo{load}, {what} [us]")
    return figures


def _figures(blocks: dict[str, list[LoopTimes]]) -> dict[str, float]:
    """Return percentiles over all blocks of a way, and the states that it never saw."""
    figures: dict[str, float] = {}
    for way in WAYS:
        parts = blocks[way]
        report = LoopTimes.joined(parts).report()
        figures[f"{way}, p50 [us]"] = report.p50
        figures[f"{way}, p99 [us]"] = report.p99
        figures[f"{way}, p99.9 [us]"] = report.p999
        figures[f"{way}, longest [us]"] = report.longest
        figures[f"{way}, cycles"] = report.cycles
        figures[f"{way}, states skipped"] = report.skipped
        figures[f"{way}, lowest success rate"] = report.success_rate
    return figures
