# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Draws doc/figures/simultaneous_impacts.png: what a pushed object's mass does to the speed after.

Example:
    ./impact shell -- python doc/make_simultaneous_figure.py
"""

from pathlib import Path

import matplotlib as mpl

mpl.use("Agg")

import matplotlib.pyplot as plt
import numpy as np

from impact_predictor import ArmBody, BodyContact, impact_system
from impact_predictor.multicontact.bodies import box
from impact_predictor.multicontact.contacts import face_points
from impact_robots import ArmDynamics, PointState, contact_rotation, load_robot

FILE = Path(__file__).with_name("figures") / "simultaneous_impacts.png"
SPEED = 0.7  # of the hand before, along -y [m/s]
SIZE = np.array([0.16, 0.10, 0.20])  # of the object, assumed [m]
# A pose with the tool along -y at (0.55, -0.10, 0.30) m; the published one is not known [rad].
POSE = np.array([1.196, 0.688, -1.122, -2.096, -1.014, 1.888, 0.718])
COLORS = {"M": "tab:green", "M+B_theta": "tab:blue", "M+B_rho": "tab:red"}
LABELS = {"M": "$M$", "M+B_theta": r"$M+B_\theta$", "M+B_rho": r"$M+B_\rho$"}
# van Steen et al., Table II, case 2: predicted v+ [m/s] of parcel, cat food and juice, derived from
# the printed errors, and the measured speeds.
MASSES = [0.6, 1.3, 2.2]
PUBLISHED = {
    "M": [0.6006, 0.5257, 0.4601],
    "M+B_theta": [0.6126, 0.5437, 0.4824],
    "M+B_rho": [0.6259, 0.5648, 0.5008],
}
MEASURED = [0.587, 0.534, 0.469]


def pushing_arm() -> tuple[PointState, dict[str, np.ndarray]]:
    """Return the arm's state before, its hand moving without turning, and its motor inertias."""
    robot = load_robot("panda")
    dynamics = ArmDynamics(robot)
    J = dynamics(POSE, np.zeros(7)).J
    dq = np.linalg.pinv(J) @ [0.0, -SPEED, 0.0, 0.0, 0.0, 0.0]
    return dynamics(POSE, dq), robot.motor_inertias


def speed_after(
    state: PointState, motor_inertia: np.ndarray, mass: float, flat: bool = True
) -> float:
    """Return the hand's speed after the impact along -y [m/s].

    Args:
        state: of the arm before.
        motor_inertia: diagonal of B, shape (7,) [kg.m^2].
        mass: of the object, which stands on a table [kg].
        flat: the hand is a square of 6 cm that touches at its corners; else a point.
    """
    touch, half = state.position, SIZE / 2
    center = touch - [0.0, half[1], 0.0]
    bodies = {"arm": ArmBody(state, motor_inertia), "object": box(mass, SIZE, center)}
    hand = face_points(touch, contact_rotation([0, 1, 0]), [0.03, 0.03]) if flat else [touch]
    feet = face_points(center - [0.0, 0.0, half[2]], np.eye(3), half[:2])
    contacts = [BodyContact(point, [0, 1, 0], "arm", "object", friction=0.8) for point in hand]
    contacts += [BodyContact(foot, [0, 0, 1], "object", friction=0.3) for foot in feet]
    result = impact_system(bodies, contacts).solve()
    return -float(state.J[1] @ result.velocities["arm"])


def figure() -> plt.Figure:
    """Return the figure."""
    state, motors = pushing_arm()
    masses = np.linspace(0.1, 4.0, 40)
    drawing, axes = plt.subplots(figsize=(7.5, 4.8), layout="constrained")
    for model, color in COLORS.items():
        flat = [speed_after(state, motors[model], mass) for mass in masses]
        point = [speed_after(state, motors[model], mass, flat=False) for mass in masses]
        axes.plot(masses, flat, color=color, label=f"{LABELS[model]}: flat hand, 4 points")
        axes.plot(masses, point, color=color, linestyle=":", label=f"{LABELS[model]}: 1 point")
        axes.plot(MASSES, PUBLISHED[model], "o", color=color, label=f"{LABELS[model]}: published")
    axes.plot(MASSES, MEASURED, "kx", markersize=8, label="measured (published)")
    axes.set_xlabel("mass of the pushed object [kg]")
    axes.set_ylabel("speed of the hand after the impact [m/s]")
    axes.set_title(f"Panda pushes an object on a table: {SPEED} m/s before, restitution 0")
    axes.set_xlim(0.0, 4.0)
    axes.grid(alpha=0.3)
    axes.legend(fontsize=8, ncols=2)
    return drawing


def main() -> None:
    """Write the file."""
    figure().savefig(FILE, dpi=130)


if __name__ == "__main__":
    main()
