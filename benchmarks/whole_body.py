# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""A humanoid's control cycle, state to command, compared with its floor; no ROS.

HRP-4's palms come to a box at more than the robust bound, so that impact limits bind. The floor is
pinocchio's ``computeAllTerms`` plus the bare solve, by daqp, of the very programs. Times are the
process's own (CPU), so that what else the machine does counts less. Run it with
``./impact bench whole_body`` (half a minute).
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Sequence
from time import process_time
from typing import Any

import daqp
import numpy as np
import pinocchio as pin

from impact_qp import Contact
from impact_qp.whole_body import Arrival, PalmApproach, WholeBodyController
from impact_robots import ArmDynamics, load_robot

ROBOT = load_robot("hrp4")
CYCLES, ROUNDS, PERIOD = 100, 20, 0.005
SPEED, GAP = 0.5, 0.1  # asked for [m/s], between palms and box [m]
BENT = {"HIP_P": -0.52, "KNEE_P": 0.74, "ANKLE_P": -0.29}  # of both legs [rad]
MODES = ("unaware", "robust", "nominal", "existential")
NO_FORCES = np.zeros((2, 3))


def measure() -> dict[str, float]:
    """Return all figures; times in microseconds of the processor."""
    figures: dict[str, float] = {}
    for mode in MODES:
        figures |= {f"{mode}, {name}": each for name, each in _of(mode).items()}
    figures["robust / floor"] = figures["robust, p50 [us]"] / figures["robust, floor p50 [us]"]
    return figures


def _of(mode: str) -> dict[str, float]:
    """Return the figures of a reading of the impact."""
    cycles: list[float] = []
    floors: list[float] = []
    binding, rest = 0, np.zeros(ROBOT.nv)
    programs, states = _recorded(mode)
    for _ in range(ROUNDS):
        controller, start = _controller(mode)
        gc.disable()
        for k in range(CYCLES):
            began = process_time()
            command = controller.update(k * PERIOD, start, rest, NO_FORCES)
            cycles.append(process_time() - began)
            binding += any(name.startswith("impact") for name in command.active)
        floors += _floor(programs, states)
        gc.enable()
    figures = {
        "p50 [us]": 1e6 * float(np.percentile(cycles, 50)),
        "p99 [us]": 1e6 * float(np.percentile(cycles, 99)),
        "floor p50 [us]": 1e6 * float(np.percentile(floors, 50)),
        "floor p99 [us]": 1e6 * float(np.percentile(floors, 99)),
    }
    if mode != "unaware":
        figures["cycles in which the impact limit binds [%]"] = 100 * binding / len(cycles)
    return figures


def _controller(mode: str) -> tuple[WholeBodyController, np.ndarray]:
    """Return a controller whose palms face a box, and where it stands."""
    q = ROBOT.positions(ROBOT.stance)
    for side in "LR":
        for joint, angle in BENT.items():
            q[7 + ROBOT.joint_names.index(f"{side}_{joint}")] = angle
    state = ArmDynamics(ROBOT, "all").state(q, np.zeros(ROBOT.nv))
    arrivals = []
    for palm, side in (("left_palm", 1.0), ("right_palm", -1.0)):
        normal = np.array([0.0, side, 0.0])
        point = state.at(palm).position - GAP * normal
        arrivals.append(Arrival(palm, Contact(point, normal, 0.79, (0.0, 0.3))))
    phases = PalmApproach(arrivals, SPEED)
    return WholeBodyController(ROBOT, q, phases, impact_limits=mode), q


def _recorded(
    mode: str,
) -> tuple[list[tuple[Any, ...]], list[tuple[np.ndarray, np.ndarray]]]:
    """Return programs and states of the cycles, which are the same each time."""
    controller, start = _controller(mode)
    rest, programs, states = np.zeros(ROBOT.nv), _kept(controller), []
    for k in range(CYCLES):
        controller.update(k * PERIOD, start, rest, NO_FORCES)
        states.append(controller.reference)
    return programs, states


def _kept(controller: WholeBodyController) -> list[tuple[Any, ...]]:
    """Let a controller keep its programs as daqp takes them."""
    programs: list[tuple[Any, ...]] = []
    build: Callable[..., Any] = controller.program

    def keeping(state: Any) -> Any:
        program = build(state)
        programs.append(_for_daqp(program))
        return program

    controller.program = keeping  # type: ignore[method-assign]
    return programs


def _for_daqp(program: Any) -> tuple[Any, ...]:
    """Return copies of a program's parts in daqp's order."""
    H, c, G, h, _, *others = program
    A, b, _, lower, upper, _ = others  # all of them, where soles hold
    rows, none = np.vstack([G, A]), np.full(len(h), -1e30)
    high = np.concatenate([np.minimum(upper, 1e30), h, b])
    low = np.concatenate([np.maximum(lower, -1e30), none, b])
    kinds = np.zeros(len(high), dtype=np.int32)
    kinds[-len(b) :] = 5
    return H.copy(), c.copy(), rows, high, low, kinds


def _floor(
    programs: Sequence[tuple[Any, ...]], states: Sequence[tuple[np.ndarray, np.ndarray]]
) -> list[float]:
    """Return what no cycle can do without, cycle by cycle [s]."""
    data, taken = ROBOT.model.createData(), []
    for program, state in zip(programs, states, strict=True):
        began = process_time()
        pin.computeAllTerms(ROBOT.model, data, *state)
        daqp.solve(*program)
        taken.append(process_time() - began)
    return taken
