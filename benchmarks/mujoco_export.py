# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The exported arm in MuJoCo, compared with the predictor's models and the plant; no times.

Hits under gravity compensation, and hits of the suite's controller and detectors with a Panda's
noise. Run it with ``./impact bench mujoco_export``.
"""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

import numpy as np

from impact_detector.signals.sample import FUSED
from impact_robots import ArmDynamics, Robot, load_robot
from impact_sim import PANDA_NOISE, load_scenario
from impact_sim.arm.passive_impact import passive_impact
from impact_sim.driver.sensors import NoisySensors
from impact_sim.export.arm_mjcf import ExportedArm
from impact_sim.export.mjcf import scenario_wall
from impact_trials.in_process.impact_trial import qp_controller
from impact_trials.lockstep import lockstep
from impact_trials.trial import detector_session

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "test"))
from exported_arm import Exported, hit

ROBOT, SCENARIO = load_robot("panda"), load_scenario("qp_panda_demo")
SPEEDS = (0.08, 0.12, 0.5)  # [m/s]
LIMITS = {"robust": 0.08, "joint_load": 0.12, "unaware": 0.5}  # and about how fast they hit [m/s]


class Noisy(Exported):
    """The exported arm with a Panda's sensors."""

    def __init__(self, arm, q, wall):
        self.sensors = NoisySensors(PANDA_NOISE, seed=0)
        super().__init__(arm, q, wall)

    def _measure(self):
        exact = super()._measure()
        q, dq, tau = self.sensors.joints(exact.q, exact.dq, exact.tau)
        return replace(exact, q=q, dq=dq, tau=tau)


class AsInGazebo(Noisy):
    """The same with actuators' torques as efforts."""

    @property
    def torque(self):
        """What is published as the joints' effort."""
        return self.data.qfrc_actuator.copy()


def measure() -> dict[str, float]:
    """Return all figures."""
    figures: dict[str, float] = {}
    for flexible in (False, True):
        for loop in (True, False):
            arm = ExportedArm(ROBOT, flexible, loop)
            for speed in SPEEDS:
                name = f"{_name(arm)}, {speed:g} m/s"
                figures |= {f"{name}: {key}": value for key, value in _hit(arm, speed).items()}
        for limits in LIMITS:
            arm = ExportedArm(ROBOT, flexible)
            name = f"{_name(arm)}, {limits}"
            figures |= {f"{name}: {key}": value for key, value in _loop(arm, limits).items()}
    bare = load_robot(Path(__file__).resolve().parents[1] / "config" / "panda_gazebo.yaml")
    for name, known in (("unknown to the controller", ROBOT), ("known", bare)):
        found = _loop(ExportedArm(bare), "robust", known, AsInGazebo)
        figures |= {f"no motor inertia, {name}: {key}": value for key, value in found.items()}
    return figures


def _name(arm: ExportedArm) -> str:
    joints = "flexible" if arm.flexible else "rigid"
    return joints if arm.torque_loop else f"{joints}, no torque loop"


def _hit(arm: ExportedArm, speed: float) -> dict[str, float]:
    """Return what one hit does, and how far the models are off."""
    exported, state, dq = hit(arm, SCENARIO, speed)
    jump, wall = exported.dq - dq, SCENARIO.wall(ROBOT)
    normal, by_impulse = wall.surface.normal, state.J[:3].T @ exported.impulse
    errors = {
        f"error of {name} [deg/s]": _rms(
            np.linalg.solve(state.M + np.diag(motors), by_impulse) - jump
        )
        for name, motors in ROBOT.motor_inertias.items()
    }
    run = passive_impact(
        ROBOT,
        np.array(SCENARIO.q_impact),
        dq,
        normal,
        SCENARIO.law,
        friction=wall.friction,
        after_contact=0.04,
        torque_loop=arm.torque_loop,
    )
    return {
        "change [deg/s]": _rms(jump),
        **errors,
        "impulse [N.s]": float(exported.impulse @ normal),
        "the plant's [N.s]": float(run.contact_force.sum(axis=0) @ normal * run.contact_step),
        "peak [N]": float((exported.force @ normal).max()),
        "the plant's [N]": float((run.contact_force @ normal).max()),
    }


def _rms(values: np.ndarray) -> float:
    return float(np.rad2deg(np.sqrt(np.mean(values**2))))


def _loop(
    arm: ExportedArm, limits: str, known: Robot = ROBOT, kind: type[Noisy] = Noisy
) -> dict[str, float]:
    """Return how a controller that knows a robot hits, and how soon its detector knows."""
    scenario, largest = replace(SCENARIO, controller=limits), 0.0
    wall = scenario_wall(arm, scenario, LIMITS[limits])
    exported = kind(arm, scenario.start(ROBOT), wall)
    controller, session = qp_controller(scenario, known), detector_session(scenario, known)
    for cycle in lockstep(exported, controller, session, None):
        if any(found.detector == FUSED for found in cycle.detections):
            break
        if exported.touch is None and cycle.status.ready:
            largest = max(largest, cycle.status.statistic)
    if exported.touch is None:
        return {"false alarm at [s]": cycle.measurement.time}
    time, q, dq = exported.touch
    velocity = ArmDynamics(ROBOT)(q, dq).J[:3] @ dq
    return {
        "contact speed [mm/s]": 1e3 * wall.surface.approach_speed(velocity),
        "detected after [ms]": 1e3 * (cycle.measurement.time - time),
        "largest statistic before": largest,
    }
