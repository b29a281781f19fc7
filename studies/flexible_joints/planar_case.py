# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The cases of the planar study, as an earlier simulation by other code ran them."""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np

from studies.published import read

JOINTS = (2, 4, 6)  # of the Panda
INERTIAS = {"M": "rms_M_degps", "M+B_theta": "rms_MBtheta_degps", "M+B_rho": "rms_MBrho_degps"}


@dataclass(frozen=True)
class PlanarCase:
    """One impact, and what the earlier simulation got for it."""

    torque_loop: bool  # without it the motors follow the desired torque
    stiffness: tuple[float, ...]  # K, shape (3,) [N.m/rad]
    damping: tuple[float, ...]  # D, shape (3,) [N.m.s/rad]
    pose: tuple[float, float, float]  # x [m], z [m], pitch [rad] at contact
    approach: float  # of the line below horizontal [rad]
    after: str  # "coast" or "track"
    reference_rms: dict[str, float]  # of each inertia's prediction [rad/s]
    reference_after: tuple[float, ...]  # gross velocities, shape (3,) [rad/s]


def planar_cases(*, torque_loop: bool = True) -> tuple[PlanarCase, ...]:
    """Return the 18 cases with a torque loop of flex_rrr_sim_results.csv, or the 9 without."""
    cases = [_case(line) for line in read("flex_rrr_sim_results")]
    return tuple(case for case in cases if case.torque_loop == torque_loop)


def _case(line: dict[str, str]) -> PlanarCase:
    """Return one case; its first column reads K=10k/10k/5k D=10/10/4."""
    stiffness, damping = re.findall(r"[KD]=(\S+)", line["K_D"])
    return PlanarCase(
        torque_loop=line["mode"] == "torque-loop",
        stiffness=tuple(1e3 * float(part.rstrip("k")) for part in stiffness.split("/")),
        damping=tuple(float(part) for part in damping.split("/")),
        pose=(float(line["x_m"]), float(line["z_m"]), float(line["pitch_rad"])),
        approach=_radians(line["approach_deg"]),
        after=line["ctrl"],
        reference_rms={name: _radians(line[column]) for name, column in INERTIAS.items()},
        reference_after=tuple(_radians(line[f"qd_plus_est_{joint}_degps"]) for joint in JOINTS),
    )


def _radians(text: str) -> float:
    return float(np.radians(float(text)))
