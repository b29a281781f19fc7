# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The exported arm in Gazebo's physics under the suite's controller; no times.

Run it with ``./impact bench gazebo_export``: in each engine that is there, with the demo's friction
and without, the contact speed, the normal impulse of the contact's step, and what the inertia of
the links and that of links and motors (M+B_theta) make of that speed without friction.
"""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from impact_robots import Robot, load_robot
from impact_sim import load_scenario
from impact_sim.export.mjcf_files import APPROACH_SPEED

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "test"))
from gazebo_dart import DartPy
from gazebo_plugin import GazeboPlugin
from in_gazebo import engine_robot, hit

PANDA, SCENARIO = load_robot("panda"), load_scenario("qp_panda_demo")
SHIPPED = load_robot(Path(__file__).resolve().parents[1] / "config" / "panda_gazebo.yaml")
LIMITS = ("robust", "existential", "unaware")


def measure() -> dict[str, float]:
    """Return all figures."""
    figures: dict[str, float] = {}
    for engine in (GazeboPlugin, DartPy):
        if reason := engine.missing():
            print(f"{engine.__name__}: {reason}", file=sys.stderr)
            continue
        for limits in LIMITS:
            for friction in (SCENARIO.friction, 0.0):
                name = f"{engine.__name__}, {limits}, friction {friction:g}"
                found = _figures(engine, SHIPPED, limits, friction)
                figures |= {f"{name}: {key}": value for key, value in found.items()}
        found = _figures(engine, PANDA, "robust", 0.0)
        figures[f"{engine.__name__}, B_theta in the controller: contact speed [mm/s]"] = found[
            "contact speed [mm/s]"
        ]
    return figures


def _figures(engine: type, robot: Robot, limits: str, friction: float) -> dict[str, float]:
    """Return what one hit does, the robot being the controller's."""
    scenario = replace(SCENARIO, controller=limits, friction=friction)
    with TemporaryDirectory() as folder:
        found = hit(engine, engine_robot(engine, robot), scenario, Path(folder), APPROACH_SPEED)
    along, M = np.array(SCENARIO.normal) @ found.state.J[:3], found.state.M
    return {
        "contact speed [mm/s]": 1e3 * found.speed,
        "impulse [mN.s]": 1e3 * found.impulse,
        "M's, nothing returned [mN.s]": 1e3 * found.speed / _mobility(M, along),
        "M+B_theta's [mN.s]": 1e3
        * found.speed
        / _mobility(M + np.diag(PANDA.apparent_motor_inertia), along),
        "detected after [ms]": 1e3 * found.detected_after,
        "largest statistic before": found.largest,
    }


def _mobility(M: np.ndarray, along: np.ndarray) -> float:
    """Return the inverse of the effective mass along a row of the Jacobian (n,) [1/kg]."""
    return float(along @ np.linalg.solve(M, along))
