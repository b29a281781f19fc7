# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Position-controlled arms that hit at 200 Hz: contact speed and effective mass; no times.

Run it with ``./impact bench position_control``.
"""

from __future__ import annotations

import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from impact_predictor.contact_force.laws import Viscoelastic

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "test"))
from other_arms import ARMS
from position_hits import effective_masses, position_case, position_hit

STIFFNESS = (1.2e5, 3e5, 1e6)  # of walls, which are damped alike [N/m]
DAMPING = 40.0  # c over k of them [s/m]


def measure() -> dict[str, float]:
    """Return all figures."""
    figures: dict[str, float] = {}
    with TemporaryDirectory() as folder:
        for name in ("panda", *ARMS):
            robot, q, contact, law = position_case(name, Path(folder))
            for limits in ("robust", "joint_load", "unaware")[: None if name == "panda" else 1]:
                friction = contact.friction[1]
                found = position_hit(robot, q, contact, law, limits, friction=friction)
                figures |= {
                    f"{name}, {limits}: contact speed [mm/s]": 1e3 * found.speed,
                    f"{name}, {limits}: bound [mm/s]": 1e3 * found.bound,
                    f"{name}, {limits}: change of torque [% of limit]": 1e2
                    * found.torque_share.max(),
                    f"{name}, {limits}: velocity [% of limit]": 1e2 * found.velocity_share.max(),
                    f"{name}, {limits}: torque_error after [ms]": 1e3 * found.detected_after,
                }
        robot, q, contact, _ = position_case("panda", Path(folder))
        for stiffness in STIFFNESS:
            law = Viscoelastic(stiffness, DAMPING * stiffness)
            found = position_hit(robot, q, contact, law, "robust")
            name = f"panda, wall of {stiffness:g} N/m"
            figures |= {
                f"{name}: compression [ms]": 1e3 * found.compression_time,
                f"{name}: mass [kg]": found.compression / found.speed,
            }
        masses = effective_masses(robot, found, contact.normal)
        figures |= {f"panda, mass of {key} [kg]": value for key, value in masses.items()}
        del figures["panda, mass of M+B_theta [kg]"]  # without a torque loop that of B_rho
    return figures
