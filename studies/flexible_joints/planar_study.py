# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The simulation of Rey Arias 2024: which inertia predicts a planar arm's gross velocity jump."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from impact_detector.estimators.gross_velocity import gross_velocity
from impact_predictor import impact_map
from impact_predictor.contact_force.laws import ExtendedHuntCrossley
from impact_predictor.inertia.jacobian import contact_jacobian
from impact_robots import ArmDynamics, Robot, Surface, contact_rotation
from impact_sim.arm.direct_run import DirectRun, direct_run
from impact_sim.plant.compliant_wall import CompliantWall
from impact_sim.plant.plant import CONTACT_STEP, FlexibleJointPlant
from studies.flexible_joints.line_command import line_command
from studies.flexible_joints.planar_arm import inverse_plane_kinematics, planar_arm
from studies.flexible_joints.planar_case import PlanarCase
from studies.published import parameter

RUN_UP = 0.04  # length of the line before the surface [m]
AFTER = 0.11  # simulated after contact, more than the window of the fit [s]
UP = np.array([0.0, 0.0, 1.0])


@dataclass(frozen=True)
class PlanarResult:
    """What one run gives; velocities of shape (3,) [rad/s]."""

    case: PlanarCase
    before: np.ndarray  # joint velocities at contact
    after: np.ndarray  # gross joint velocities after it
    predicted: dict[str, np.ndarray]  # by each inertia
    approach_speed: float  # of the contact point along the normal at contact [m/s]
    restitution: float  # of the normal velocity, by the gross velocity [-]
    predicted_with_restitution: np.ndarray  # by M + B_theta and that restitution
    run: DirectRun

    @property
    def rms(self) -> dict[str, float]:
        """Error of each prediction over the joints [rad/s]."""
        return {name: self._error(dq) for name, dq in self.predicted.items()}

    @property
    def rms_with_restitution(self) -> float:
        """Error of M + B_theta that knows the gross restitution [rad/s]."""
        return self._error(self.predicted_with_restitution)

    @property
    def best(self) -> str:
        """The inertia that predicts best."""
        return min(self.rms, key=self.rms.__getitem__)

    def _error(self, predicted: np.ndarray) -> float:
        return float(np.sqrt(np.mean((predicted - self.after) ** 2)))


def planar_law() -> ExtendedHuntCrossley:
    """Return the contact, a steel sphere on wood; Rey Arias 2024 (7), figures assumed."""
    (stiffness,) = parameter("flex.contact.kc_used_by_us")
    (damping,) = parameter("flex.contact.dc_used_by_us")
    return ExtendedHuntCrossley(stiffness, damping)


def simulate_planar(
    case: PlanarCase, *, contact_step: float = CONTACT_STEP, robot: Robot | None = None
) -> PlanarResult:
    """Simulate one case and predict it.

    Args:
        case: the case.
        contact_step: of the integration [s].
        robot: replaces the study's arm.
    """
    robot = robot or planar_arm(case.stiffness, case.damping)
    run = _run(case, robot, contact_step)
    (window,), (degree,) = parameter("flex.fit_window"), parameter("flex.fit_degree")
    after = gross_velocity(run.t, run.q, run.contact_start.time, window, int(degree)).velocity
    state = ArmDynamics(robot)(run.contact_start.q, run.contact_start.dq)
    J = contact_jacobian(state, contact_rotation(UP))
    restitution = float(J[2] @ after) / run.approach_speed
    predicted = {
        name: impact_map(state.M, motors, J, state.dq).dq_after
        for name, motors in robot.motor_inertias.items()
    }
    known = impact_map(
        state.M,
        robot.apparent_motor_inertia,
        J,
        state.dq,
        restitution=min(1.0, max(0.0, restitution)),
    ).dq_after
    return PlanarResult(
        case, state.dq, after, predicted, run.approach_speed, restitution, known, run
    )


def _run(case: PlanarCase, robot: Robot, contact_step: float) -> DirectRun:
    """Simulate the approach and what follows contact."""
    (speed,) = parameter("flex.sim.speed")
    x, z, _ = case.pose
    velocity = speed * np.array([np.cos(case.approach), -np.sin(case.approach), 0.0])
    start = np.array(case.pose) - RUN_UP / speed * velocity
    wall = CompliantWall(Surface([x, 0.0, z], UP), planar_law())
    plant = FlexibleJointPlant(robot, wall, contact_step=contact_step)
    plant.reset(inverse_plane_kinematics(robot, start))
    motors = robot.motor_inertias["M+B_theta" if case.torque_loop else "M+B_rho"]
    command = line_command(start, velocity, motors, coast=case.after == "coast")
    return direct_run(plant, command, after_contact=AFTER, torque_loop=case.torque_loop)


def planar_study(
    cases: Sequence[PlanarCase], progress: Callable[[float, str], None] = lambda *_: None
) -> list[PlanarResult]:
    """Simulate the cases; ``progress`` called with the fraction done and a note."""
    results = []
    for index, case in enumerate(cases):
        progress(index / len(cases), f"planar run {index + 1} of {len(cases)}")
        results.append(simulate_planar(case))
    return results
