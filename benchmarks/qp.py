# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The whole control cycle, state to command, beside its floor, Pink and TSID; no ROS.

The floor is pinocchio's ``computeAllTerms`` plus the bare solve of the same quadratic programs.
Pink solves less: a frame and a posture task under position and velocity limits, without torques,
jerk or impacts. TSID solves a frame and a posture task on accelerations under limits of positions,
velocities, accelerations and torques, without jerk or impacts; it runs in a process of its own
(``benchmarks/beside_tsid.py``), and is left out where it is not installed. A block goes through the
states of one approach with one of them; blocks take turns in random order, and a ratio is that of
two blocks of one round. Warm: one cycle after another. Cold: the caches are emptied before each
one; a node that is woken once a millisecond is in between. What ``joint_load`` does after a command
leaves little of the next cycle in the caches, so its floor is also measured right after that work.
Run it with ``./impact bench qp`` (two minutes, most of them for a million cycles that watch the
memory and the slowest ones).
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from time import perf_counter
from typing import Any
from unittest.mock import patch

import numpy as np
import pinocchio as pin
import quadprog
from beside_tsid import tsid_blocks
from side_by_side import WARM, Block, State, StateWork, cycle_times, in_blocks, spread

import impact_qp.control.acceleration
from impact_qp import Contact, ImpactController, Plan, solve
from impact_qp.control.standard_program import StandardProgram
from impact_robots import load_robot
from impact_sim.driver.sensors import PANDA_NOISE
from impact_sim.scenarios import load_scenario

ROBOT, SCENARIO = load_robot("panda"), load_scenario("qp_panda_demo")
CYCLES = 250  # states of the approach
MANY, SLOW = 1_000_000, 10.0  # cycles, and medians above which one is slow
MODES = ("unaware", "robust", "nominal", "existential", "joint_load")
RATIOS = {
    "robust / floor": ("robust", "floor"),
    "robust / pink": ("robust", "pink"),
    "robust / tsid": ("robust", "tsid"),
    "joint_load / floor": ("joint_load", "floor of joint_load"),
    "joint_load / floor after deferred work": ("joint_load", "floor after deferred work"),
}


def measure() -> dict[str, float]:
    """Return all figures; times in microseconds."""
    states, programs = _approach()
    controllers = {mode: _controller(mode) for mode in MODES}
    controllers["robust, daqp"] = _controller("robust", solver="daqp")
    blocks: dict[str, Block] = {
        name: partial(_block, _cycle(each), states, each) for name, each in controllers.items()
    }
    others = {"floor": _floor(programs), "pink": _pink(states)}
    works = {name: work for name, work in others.items() if work is not None}
    blocks |= {name: partial(_block, work, states) for name, work in works.items()}
    of_load = _approach("joint_load")
    floor = _floor(of_load[1])
    blocks["floor of joint_load"] = partial(_block, floor, of_load[0])
    between = partial(_block_between, floor, of_load[0], controllers["joint_load"])
    blocks["floor after deferred work"] = between
    for name in ("robust", "joint_load", *works):
        own = controllers.get(name)
        work = works[name] if own is None else _cycle(own)
        blocks[f"{name}, cold"] = partial(_block, work, states, own, cold=True)
    with tsid_blocks(ROBOT, states) as of_tsid:
        taken = in_blocks({**blocks, **of_tsid})
    figures: dict[str, float] = {}
    for name, values in taken.items():
        figures[f"{name}, p50 [us]"] = 1e6 * spread(values).median
        figures[f"{name}, p99 [us]"] = 1e6 * spread(values, percentile=99).median
    for ratio, (one, other) in RATIOS.items():
        for kind in ("", ", cold"):
            if one + kind in taken and other + kind in taken:
                values, over = taken[one + kind], taken[other + kind]
                figures |= spread(values, over).figures(ratio + kind)
    return figures | _many(states, programs)


def _controller(mode: str, **options: Any) -> ImpactController:
    contact = Contact(
        SCENARIO.surface_point(ROBOT),
        SCENARIO.normal,
        SCENARIO.friction,
        SCENARIO.restitution,
        SCENARIO.peak_factor,
        SCENARIO.impact_duration,
        SCENARIO.stiffness,
    )
    plan = Plan(contact, impact_limits=mode, speed=SCENARIO.reference_speed, **options)
    return ImpactController(ROBOT, plan)


def _approach(mode: str = "robust") -> tuple[list[State], list[tuple[np.ndarray, ...]]]:
    """Return measured states of an approach, and the programs that were solved."""
    with patch.object(StandardProgram, "of", return_value=None):  # it solves without a program
        random, controller = np.random.default_rng(0), _controller(mode)
    q, dq = SCENARIO.start(ROBOT).copy(), np.zeros(ROBOT.dof)
    states: list[State] = []
    programs: list[tuple[np.ndarray, ...]] = []

    def recording(program: Any, *options: Any) -> Any:
        programs.append(_for_quadprog(program))
        return solve(program, *options)

    impact_qp.control.acceleration.solve = recording
    try:
        for _ in range(CYCLES):
            measured = (
                q + PANDA_NOISE.position * random.standard_normal(q.shape),
                dq + PANDA_NOISE.velocity * random.standard_normal(q.shape),
            )
            states.append(measured)
            dq = dq + 1e-3 * controller.update(*measured).ddq
            q = q + 1e-3 * dq
    finally:
        impact_qp.control.acceleration.solve = solve
    return states, programs


def _cycle(controller: ImpactController) -> StateWork:
    return lambda k, state: controller.update(*state)


def _for_quadprog(program: Any) -> tuple[np.ndarray, ...]:
    """Return copies of a program's parts in quadprog's order."""
    H, c, G, h = program[:4]
    return H.copy(), -c, np.ascontiguousarray(-G.T), -h


def _floor(programs: Sequence[tuple[np.ndarray, ...]]) -> StateWork:
    """Return what no cycle can do without."""
    model, data = ROBOT.model, ROBOT.model.createData()

    def work(k: int, state: State) -> object:
        pin.computeAllTerms(model, data, *state)
        return quadprog.solve_qp(*programs[k])

    return work


def _pink(states: Sequence[State]) -> StateWork | None:
    """Return Pink's cycle, none where it is not installed."""
    try:
        import pink
        from pink.tasks import FrameTask, PostureTask
    except ImportError:
        return None
    configuration = pink.Configuration(ROBOT.model, ROBOT.model.createData(), states[0][0])
    frame = FrameTask(ROBOT.contact_frame, position_cost=1.0, orientation_cost=0.3)
    posture = PostureTask(cost=1e-2)
    for task in (frame, posture):
        task.set_target_from_configuration(configuration)

    def work(k: int, state: State) -> object:
        configuration.update(state[0])
        return pink.solve_ik(configuration, (frame, posture), 1e-3, "quadprog", safety_break=False)

    return work


def _block(
    work: StateWork,
    states: Sequence[State],
    controller: ImpactController | None = None,
    *,
    cold: bool = False,
) -> list[float]:
    """Return the times of the cycles of one approach [s]."""
    if controller is None:
        return cycle_times(work, states, cold=cold)
    controller.reset()
    return cycle_times(work, states, controller.catch_up, cold=cold)  # after its command


def _block_between(
    work: StateWork, states: Sequence[State], controller: ImpactController
) -> list[float]:
    """Return the time of a work before each cycle of a controller, as its deferred work left it."""
    controller.reset()
    taken = []
    for k, state in enumerate(states):
        start = perf_counter()
        work(k, state)
        taken.append(perf_counter() - start)
        controller.update(*state)
        controller.catch_up()
    return taken[WARM:]


def _many(states: Sequence[State], programs: Sequence[tuple[np.ndarray, ...]]) -> dict[str, float]:
    """Return what a million robust cycles add to the memory, and how many are slow.

    Those of the floor in turn with them say how many are the machine's.
    """
    controller, passes = _controller("robust"), MANY // len(states)
    works = {"robust": _cycle(controller), "floor": _floor(programs)}
    blocks: dict[str, Block] = {
        "robust": partial(_block, works["robust"], states, controller),
        "floor": partial(_block, works["floor"], states),
    }
    in_blocks(blocks)
    before, slow = _resident(), dict.fromkeys(blocks, 0)
    typical = {name: spread(values).median for name, values in in_blocks(blocks).items()}
    for _ in range(passes):
        for name, block in blocks.items():
            slow[name] += int(np.sum(np.array(block()) > SLOW * typical[name]))
    return {
        f"memory grown in {MANY} cycles [kB]": _resident() - before,
        f"robust, cycles above {SLOW:g} medians in {MANY}": float(slow["robust"]),
        f"floor, cycles above {SLOW:g} medians in {MANY}": float(slow["floor"]),
    }


def _resident() -> float:
    """Return the memory of this process [kB]."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1024
