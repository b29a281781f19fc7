# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Computation time of predictions, compared with their floor.

Run it with ``./impact bench predictor``.
"""

from __future__ import annotations

from concurrent.futures import ProcessPoolExecutor
from time import perf_counter
from typing import Any

import numpy as np
import pinocchio as pin
from side_by_side import times

from impact_predictor import (
    INVERSE_INERTIAS,
    named_inverse_inertia,
    predict,
    predict_many,
    robot_sets,
    velocity_interval,
)
from impact_predictor.inertia.jacobian import contact_jacobian
from impact_predictor.laws.impact_map import map_state
from impact_predictor.prediction.predict import map_inertia
from impact_robots import ArmDynamics, Surface, load_robot

ROBOT = load_robot("panda")
SURFACE = Surface(None, [-1.0, 0.0, 0.0], 0.279, 0.1)
RANGES = Surface(None, [-1.0, 0.0, 0.0], (0.2, 0.4), (0.0, 0.3))
WALL = SURFACE.rotation
Q = np.array([0.2, -0.01, 0.56, -1.59, -1.76, 2.57, -2.02])
BATCH = 10_000


def measure() -> dict[str, float]:
    """Return all figures; times in microseconds, rates in predictions per second."""
    dynamics = ArmDynamics(ROBOT)
    start = dynamics(Q, np.zeros(7))
    dq = np.linalg.pinv(start.J[:3]) @ WALL @ np.array([0.02, 0.03, -0.2])
    state = dynamics(Q, dq)
    model, data, J = ROBOT.model, ROBOT.model.createData(), contact_jacobian(state, WALL)
    inertias = [map_inertia(state, ROBOT, name) for name in ROBOT.motor_inertias]

    def everything() -> None:
        for name in INVERSE_INERTIAS:
            named_inverse_inertia(state, WALL, name)
        for M_x in inertias:
            map_state(M_x, J, dq, friction=0.279, restitution=0.1, law="coulomb")
        robot_sets(state, RANGES, ROBOT)

    taken = times(
        {
            "pinocchio.impulseDynamics": lambda: pin.impulseDynamics(model, data, Q, dq, J),
            "constraint impulseDynamics": _by_constraint(dq),
            "dynamics": lambda: dynamics(Q, dq),
            "prediction": lambda: predict(dynamics(Q, dq), SURFACE, ROBOT),
            "inertias, maps and sets": everything,
            "interval": lambda: velocity_interval(state, RANGES, ROBOT),
        }
    )
    figures = {f"{name} [us]": 1e6 * seconds for name, seconds in taken.items()}
    full = taken["prediction"]
    figures["prediction / impulseDynamics"] = full / taken["pinocchio.impulseDynamics"]
    figures["prediction / constraint impulseDynamics"] = full / taken["constraint impulseDynamics"]
    figures["batch, one process [1/s]"] = _batch_rate()
    figures["batch, two processes [1/s]"] = _two_processes()
    return figures


def _by_constraint(dq: np.ndarray) -> Any:
    """Return pinocchio's impulse dynamics that works out the contact's Jacobian itself."""
    model, data = ROBOT.model, ROBOT.model.createData()
    frame = model.frames[model.getFrameId(ROBOT.contact_frame)]
    contact = pin.RigidConstraintModel(
        pin.ContactType.CONTACT_3D, model, frame.parentJoint, frame.placement
    )
    models, datas = pin.StdVec_RigidConstraintModel(), pin.StdVec_RigidConstraintData()
    models.append(contact)
    datas.append(contact.createData())
    pin.initConstraintDynamics(model, data, models, datas)
    settings = pin.ProximalSettings(1e-12, 1e-12, 10)
    return lambda: pin.impulseDynamics(model, data, Q, dq, models, datas, 0.0, settings)


def _batch(seed: int) -> float:
    """Return the time that one batch takes [s]."""
    random, limits = np.random.default_rng(seed), ROBOT.limits
    q = random.uniform(limits.position_lower, limits.position_upper, (BATCH, 7))
    dq = random.uniform(-1.0, 1.0, (BATCH, 7))
    dynamics = ArmDynamics(ROBOT)
    start = perf_counter()
    predict_many(dynamics.many(q, dq), SURFACE, ROBOT)
    return perf_counter() - start


def _batch_rate() -> float:
    """Return predictions per second of one process."""
    return BATCH / float(np.median([_batch(seed) for seed in range(5)]))


def _two_processes() -> float:
    """Return predictions per second of two processes side by side."""
    with ProcessPoolExecutor(2) as pool:
        list(pool.map(_batch, range(2)))  # start them
        slowest = [max(pool.map(_batch, (2 * i, 2 * i + 1))) for i in range(1, 6)]
    return 2 * BATCH / float(np.median(slowest))
