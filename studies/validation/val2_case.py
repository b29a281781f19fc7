# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Use cases of the study: object, push or grab, axis, and predictions of the impact maps."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product
from typing import NamedTuple

import numpy as np

from impact_predictor.prediction.predict import motor_inertia
from impact_qp.arms.plans import SpreadChoice, expected_impact
from impact_qp.references import AfterImpact
from impact_robots import ArmDynamics, PointState, Robot
from impact_sim.cell.spreading_file import load_spreading
from impact_sim.cell.spreading_scenario import SpreadingScenario
from studies.validation.held_feedback import held_mass

KINDS = ("push", "grab")
OBJECTS = ("parcel", "catfood", "juice")  # the order of the published tables
CASES = (1, 2, 3)
INERTIAS = ("M+B_theta", "M+B_rho", "M")  # the order of the published columns
HELD = AfterImpact(hold=0.7, stop=0.7)  # of a push: the velocity stays throughout the window
BRAKED = AfterImpact(hold=0.0, stop=0.8)  # of a grab, which would lift the arms out of reach


class UseCase(NamedTuple):
    """One line of the published tables."""

    kind: str  # of KINDS
    object: str  # of OBJECTS
    case: int  # of CASES

    @property
    def scenario(self) -> SpreadingScenario:
        """Return its scenario."""
        return load_spreading(f"rs_{self.kind}_{self.object}_case{self.case}")

    @property
    def axis(self) -> np.ndarray:
        """Return the direction in which velocities are compared, world axes, shape (3,)."""
        return np.array([0.0, -1.0, 0.0] if self.kind == "push" else [0.0, 0.0, 1.0])

    @property
    def choice(self) -> SpreadChoice:
        """Return how it is run: a push by the map with friction, a grab by the locked one."""
        object_map, then = ("points", HELD) if self.kind == "push" else ("locked", BRAKED)
        return SpreadChoice(object_map=object_map, then=then)


USE_CASES = tuple(UseCase(*each) for each in product(KINDS, OBJECTS, CASES))


class CasePrediction(NamedTuple):
    """What is known of a use case before a trial."""

    locked: Mapping[str, float]  # velocity after the impact by each of INERTIAS [m/s]
    points: Mapping[str, float]  # the same by the map with four points a plate [m/s]
    slope: float  # of the line that trials should give [-]


def prediction(use: UseCase, robot: Robot) -> CasePrediction:
    """Return what the maps say, the mean of the arms along the axis.

    Raises:
        ImpactError: the scenario's arms are not where they can hit the object.
    """
    scenario, dynamics = use.scenario, ArmDynamics(robot)
    contacts = [
        dynamics(np.array(q), np.array(dq))
        for q, dq in zip(scenario.q_impact, scenario.dq_impact, strict=True)
    ]

    def velocity(inertia: str, object_map: str) -> float:
        choice = SpreadChoice(inertia=inertia, object_map=object_map)
        plates = expected_impact(scenario, choice).plates
        return float(np.mean([twist[:3] @ use.axis for twist in plates.values()]))

    locked, points = (
        {name: velocity(name, object_map) for name in INERTIAS}
        for object_map in ("locked", "points")
    )
    return CasePrediction(locked, points, _slope(use, robot, contacts))


def _slope(use: UseCase, robot: Robot, contacts: list[PointState]) -> float:
    r"""Return :math:`1 + m_o/m`: the object's inertia takes part in what the feedback must do.

    m is the mass that the arms have along the axis with B_theta: of a push with the plate free, of
    a grab with both plates on the object.
    """
    B = motor_inertia(robot, "M+B_theta")
    if use.kind == "grab":
        mobility = np.linalg.inv(held_mass(contacts, B))
    else:
        J = contacts[0].J[:3]
        mobility = J @ np.linalg.solve(contacts[0].robot_state.inertia(B), J.T)
    return 1.0 + use.scenario.box_mass * float(use.axis @ mobility @ use.axis)
