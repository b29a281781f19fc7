# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Hit-and-push of van Steen 2025 as a collinear inelastic impact of two masses (H18).

v^+ = m_eff v^-/(m_eff + m_o) with m_eff = 1/(J_n (M + B)^-1 J_n^T): what the nonsmooth simulation
of van Steen 2025 gives for a central impact. Neither the pose nor the end-effector's mass is
published: both are varied.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import pinocchio as pin

from impact_analysis.present.table import Table, texts
from impact_predictor.inertia.inverse_inertia import effective_mass, generalized_momentum
from impact_robots import ArmDynamics, Robot, contact_rotation
from studies.published import parameter, read
from studies.reference_spreading.lateral_pose import NORMAL, lateral_pose
from studies.row import Row, judged

PICKED = (0.55, -0.10, 0.30)  # [m]; the figures below are for this one
POSES = tuple((x, y, z) for x in (0.45, 0.55, 0.65) for y in (-0.10, 0.10) for z in (0.2, 0.3, 0.4))
EXTRA_MASS = 0.63  # that makes the suite's tool as heavy as the Panda's hand [kg]
EXTRA_LEVER = -0.07  # where, along the tool's axis from the contact point [m]
INERTIAS = ("M+B_theta", "M+B_rho", "M")  # the order of the published columns
COLUMNS = (
    "v_pred_Btheta_m_per_s(derived)",
    "v_pred_Brho_m_per_s(derived)",
    "v_pred_B0_m_per_s(derived)",
)


@dataclass(frozen=True)
class PushPose:
    """One lateral pose; arrays in the order of INERTIAS, shape (3,)."""

    position: tuple[float, float, float]  # of the contact point [m]
    q: np.ndarray  # shape (7,) [rad]
    masses: np.ndarray  # effective, with the suite's tool [kg]
    heavy_masses: np.ndarray  # effective, with a tool as heavy as the hand [kg]


def velocity_after(masses: np.ndarray, before: float, pushed: float) -> np.ndarray:
    """Return the common velocity after the impact [m/s], of the shape of ``masses``.

    Args:
        masses: effective, of the arm [kg].
        before: velocity of the arm [m/s].
        pushed: mass of the object at rest [kg].
    """
    return masses / (masses + pushed) * before


def heavier(robot: Robot, mass: float = EXTRA_MASS) -> Robot:
    """Return the arm with a heavier tool: a sphere of ``mass`` [kg] more."""
    model = robot.model.copy()
    frame = model.frames[model.getFrameId(robot.contact_frame)]
    place = frame.placement * pin.SE3(np.eye(3), np.array([0.0, 0.0, EXTRA_LEVER]))
    model.appendBodyToJoint(frame.parentJoint, pin.Inertia.FromSphere(mass, 0.06), place)
    return replace(robot, model=model)


def push_poses(robot: Robot, seed: int) -> list[PushPose]:
    """Return the poses that the arm can reach within its limits, the picked one first."""
    heavy, found = heavier(robot), []
    for position in (PICKED, *(pose for pose in POSES if pose != PICKED)):
        q = lateral_pose(robot, np.array(position), np.random.default_rng(seed))
        if q is not None:
            found.append(PushPose(position, q, _masses(robot, q), _masses(heavy, q)))
    return found


def _masses(robot: Robot, q: np.ndarray) -> np.ndarray:
    """Return the effective mass along the normal by each inertia, shape (3,) [kg]."""
    state, rotation = ArmDynamics(robot)(q, np.zeros(robot.dof)), contact_rotation(NORMAL)
    return np.array(
        [
            effective_mass(generalized_momentum(state, rotation, robot.motor_inertias[name]))
            for name in INERTIAS
        ]
    )


def row(poses: list[PushPose]) -> Row:
    """Return the row H18: catfood, case 2."""
    published = np.array([float(_line()[column]) for column in COLUMNS])
    light, heavy = (
        _velocities([p.masses for p in poses]),
        _velocities([p.heavy_masses for p in poses]),
    )
    every = np.vstack([light, heavy])
    low, high = every.min(axis=0), every.max(axis=0)
    ordered = bool(np.all((every[:, 1] > every[:, 0]) & (every[:, 0] > every[:, 2])))
    relative = [values[0] / published - 1.0 for values in (light, heavy)]
    spread = " / ".join(f"{a:.3f}-{b:.3f}" for a, b in zip(low, high, strict=True))
    return judged(
        "H18",
        published=_text(published, "{:.4f}") + " m/s",
        ours=f"{_text(light[0], '{:.4f}')}; hand-heavy tool {_text(heavy[0], '{:.4f}')} m/s",
        difference=f"{_text(relative[0], '{:+.1%}')}; {_text(relative[1], '{:+.1%}')}",
        holds=bool(ordered and np.all(low <= published) and np.all(published <= high)),
        note=f"B_theta / B_rho / B=0 at p = {PICKED} m, tool along -y. Pose and tool mass are not"
        f" published; {len(poses)} lateral poses, tools of 0.1 and 0.73 kg, span {spread} m/s, the"
        " order always as published: consistent, no proof",
        figures={
            "velocity_after_b_theta_mps": float(light[0, 0]),
            "velocity_after_b_rho_mps": float(light[0, 1]),
            "velocity_after_without_motors_mps": float(light[0, 2]),
            "velocity_after_b_theta_heavy_tool_mps": float(heavy[0, 0]),
            "velocity_after_b_rho_heavy_tool_mps": float(heavy[0, 1]),
            "velocity_after_without_motors_heavy_tool_mps": float(heavy[0, 2]),
            "poses": len(poses),
        },
    )


def study(poses: list[PushPose]) -> Table:
    """Return the table of poses."""
    names = (*INERTIAS, *(f"{name}, heavy tool" for name in INERTIAS))
    masses = np.array([[*pose.masses, *pose.heavy_masses] for pose in poses])
    velocities = _velocities(masses)
    return Table(
        "hit_and_push",
        f"Lateral push, velocity after [m/s] of {_line()['object_mass_kg']} kg hit at"
        f" {_before():g} m/s",
        texts("p [m]", *names),
        [
            (", ".join(f"{x:.2f}" for x in pose.position), *(f"{v:.3f}" for v in line))
            for pose, line in zip(poses, velocities, strict=True)
        ],
        [
            {
                "contact_position_m": list(pose.position),
                "joint_positions_rad": pose.q.tolist(),
                "effective_mass_kg": dict(zip(names, mass.tolist(), strict=True)),
                "velocity_after_mps": dict(zip(names, line.tolist(), strict=True)),
            }
            for pose, mass, line in zip(poses, masses, velocities, strict=True)
        ],
    )


def _velocities(masses: list[np.ndarray] | np.ndarray) -> np.ndarray:
    """Return velocities after the published impact for effective masses [kg], same shape."""
    return velocity_after(np.array(masses), _before(), float(_line()["object_mass_kg"]))


def _before() -> float:
    """Return the published velocity before the impact [m/s]."""
    (before,) = parameter("rs.v_minus_catfood_case2")
    return before


def _line() -> dict[str, str]:
    """Return the line of Table II, van Steen 2025, that the claim is about."""
    table = read("rs2025_table2_hit_and_push")
    return next(line for line in table if (line["object"], line["case"]) == ("catfood", "2"))


def _text(values: np.ndarray, form: str) -> str:
    return " / ".join(form.format(value) for value in values)
