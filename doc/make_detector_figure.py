# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Draws what each detector sees of one simulated impact.

Run with ``./impact shell -- python doc/make_detector_figure.py``.
"""

from __future__ import annotations

from pathlib import Path

import matplotlib
import numpy as np

matplotlib.use("Agg")
import matplotlib.pyplot as plt

from impact_detector import (
    AccelerationDetector,
    FusedDetector,
    JointSample,
    MomentumDetector,
    StateDetector,
    TorqueErrorDetector,
)
from impact_predictor.contact_force.laws import Viscoelastic
from impact_robots import ArmDynamics, load_robot
from impact_robots.state.momentum_observer import MomentumObserver
from impact_sim.arm.passive_impact import passive_impact
from impact_sim.driver.sensors import PANDA_NOISE

FIGURE = Path(__file__).parent / "figures" / "detectors.png"
Q = np.array([0.43, -0.61, 0.18, -2.16, 0.04, 3.13, -0.73])  # iim_cfg_1
NORMAL, LEAD = np.array([-1.0, 0.0, 0.0]), 400
ROBOT = load_robot("panda")


def samples() -> tuple[list[JointSample], float]:
    """Return noisy samples of an arm that hits a wall at 0.12 m/s, and the touch [s]."""
    state = ArmDynamics(ROBOT)(Q, np.zeros(7))
    dq = np.linalg.pinv(state.J) @ np.append(-0.12 * NORMAL, np.zeros(3))
    run = passive_impact(ROBOT, Q, dq, NORMAL, Viscoelastic(1.2e5, 8e6), friction=0.15)
    rows = [(Q + (k - LEAD) * 1e-3 * dq, dq, run.tau[0]) for k in range(LEAD)]
    rows += zip(run.q, run.dq, run.tau, strict=True)
    random, noise = np.random.default_rng(0), PANDA_NOISE
    found = []
    for k, (q, velocity, tau) in enumerate(rows):
        e = random.standard_normal((3, 7))
        found.append(
            JointSample(
                k * 1_000_000,
                q + noise.position * e[0],
                velocity + noise.velocity * e[1],
                tau + noise.torque * e[2],
                run.tau[0],
            )
        )
    return found, LEAD * 1e-3 + run.contact_start.time


def main() -> None:
    """Draw the statistics over their thresholds."""
    given, touch = samples()
    detectors: list[StateDetector] = [
        FusedDetector(ROBOT),
        TorqueErrorDetector(ROBOT.detection_joints, 2.5),
        MomentumDetector(MomentumObserver(ROBOT, 500.0), ROBOT.detection_joints),
        AccelerationDetector(range(6)),
    ]
    figure, axes = plt.subplots(figsize=(6.8, 4.0), layout="constrained")
    t = 1e3 * (np.array([sample.time for sample in given]) * 1e-9 - touch)
    for detector in detectors:
        statistics = np.array([detector.update(sample).statistic for sample in given])
        axes.plot(t, statistics / detector.threshold, ".-", label=detector.name, markersize=5)
    axes.axhline(1.0, color="black", linewidth=0.8)
    axes.axvline(0.0, color="0.5", linewidth=0.8)
    axes.set(
        xlim=(-10, 12),
        ylim=(0, 4),
        xlabel="time since the touch [ms]",
        ylabel="statistic / threshold [-]",
    )
    axes.set_title("A Panda hits a wall at 0.12 m/s, sensor noise as measured", fontsize=10)
    axes.legend(loc="upper left")
    axes.grid(alpha=0.3)
    figure.savefig(FIGURE, dpi=150)


if __name__ == "__main__":
    main()
