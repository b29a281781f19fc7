# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The whole control cycle, state to command, compared with its floor and with Pink; no ROS.

The floor is pinocchio's ``computeAllTerms`` plus the bare solve of the same quadratic programs.
Pink solves less: a frame and a posture task under position and velocity limits, without torques,
jerk or impacts. All take turns on the same states of an approach. Run it with ``./impact bench qp``
(three minutes, most of them for a million cycles that watch the memory).
"""

from __future__ import annotations

import gc
import os
from collections.abc import Callable, Sequence
from pathlib import Path
from time import perf_counter
from typing import Any
from unittest.mock import patch

import numpy as np
import pinocchio as pin
import quadprog

import impact_qp.control.acceleration
from impact_qp import Contact, ImpactController, Plan, solve
from impact_qp.control.standard_program import StandardProgram
from impact_robots import load_robot
from impact_sim.driver.sensors import PANDA_NOISE
from impact_sim.scenarios import load_scenario

ROBOT, SCENARIO = load_robot("panda"), load_scenario("qp_panda_demo")
CYCLES, ROUNDS = 250, 20  # states of the approach, and how often they are gone through
MANY = 1_000_000
MODES = ("unaware", "robust", "nominal", "existential", "joint_load")
State = tuple[np.ndarray, np.ndarray]


def measure() -> dict[str, float]:
    """Return all figures; times in microseconds."""
    states, programs = _approach()
    controllers = {mode: _controller(mode) for mode in MODES}
    controllers["robust, daqp"] = _controller("robust", solver="daqp")
    works = {name: _cycle(each) for name, each in controllers.items()}
    works["joint_load, after its command"] = lambda k, state: controllers["joint_load"].catch_up()
    works["floor"] = _floor(programs)
    if (pink := _pink(states)) is not None:
        works["pink"] = pink
    figures: dict[str, float] = {}
    taken = _times(works, states, lambda: [each.reset() for each in controllers.values()])
    for name, times in taken.items():
        figures[f"{name}, p50 [us]"] = 1e6 * float(np.percentile(times, 50))
        figures[f"{name}, p99 [us]"] = 1e6 * float(np.percentile(times, 99))
    figures["robust / floor"] = figures["robust, p50 [us]"] / figures["floor, p50 [us]"]
    if pink is not None:
        figures["robust / pink"] = figures["robust, p50 [us]"] / figures["pink, p50 [us]"]
    figures[f"memory grown in {MANY} cycles [kB]"] = _growth(states)
    return figures


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


def _cycle(controller: ImpactController) -> Callable[[int, State], object]:
    return lambda k, state: controller.update(*state)


def _for_quadprog(program: Any) -> tuple[np.ndarray, ...]:
    """Return copies of a program's parts in quadprog's order."""
    H, c, G, h = program[:4]
    return H.copy(), -c, np.ascontiguousarray(-G.T), -h


def _floor(programs: Sequence[tuple[np.ndarray, ...]]) -> Callable[[int, State], object]:
    """Return what no cycle can do without."""
    model, data = ROBOT.model, ROBOT.model.createData()

    def work(k: int, state: State) -> object:
        pin.computeAllTerms(model, data, *state)
        return quadprog.solve_qp(*programs[k])

    return work


def _pink(states: Sequence[State]) -> Callable[[int, State], object] | None:
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


def _times(
    works: dict[str, Callable[[int, State], object]],
    states: Sequence[State],
    reset: Callable[[], object],
) -> dict[str, list[float]]:
    """Return the time of every cycle, in turns."""
    taken: dict[str, list[float]] = {name: [] for name in works}
    gc.collect()
    gc.disable()
    try:
        for turn in range(ROUNDS):
            reset()
            for k, state in enumerate(states):
                for name, work in works.items():
                    start = perf_counter()
                    work(k, state)
                    if turn:  # the first one warms up
                        taken[name].append(perf_counter() - start)
    finally:
        gc.enable()
    return taken


def _growth(states: Sequence[State]) -> float:
    """Return by how much the process has grown in a million robust cycles [kB]."""
    controller = _controller("robust")

    def run(cycles: int) -> None:
        for k in range(cycles):
            if k % len(states) == 0:
                controller.reset()
            controller.update(*states[k % len(states)])

    run(20 * len(states))
    before = _resident()
    run(MANY)
    return _resident() - before


def _resident() -> float:
    """Return the memory of this process [kB]."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1024
