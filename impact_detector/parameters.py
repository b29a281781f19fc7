# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Parameters of the node impact_detector, and the session that they describe. Needs no ROS."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from impact_detector.detectors.acceleration import AccelerationDetector
from impact_detector.detectors.approach import ApproachGate
from impact_detector.detectors.detector import StateDetector
from impact_detector.detectors.force_threshold import ForceThresholdDetector
from impact_detector.detectors.fused import FusedDetector
from impact_detector.detectors.latch import LONGEST_REARM
from impact_detector.detectors.momentum import MomentumDetector, MomentumObserver
from impact_detector.detectors.torque_error import TorqueErrorDetector
from impact_detector.estimators.gross_methods import METHODS, POLYNOMIAL
from impact_detector.estimators.streaming import ImpactEstimator
from impact_detector.exceptions import DetectorError
from impact_detector.session import DetectorSession
from impact_detector.signals.model_torque import ModelTorque
from impact_detector.signals.reference_torque import PREVIOUS, SAME, ReferencePairing
from impact_detector.signals.sample import ACCELERATION, FUSED, MOMENTUM, TORQUE_ERROR
from impact_detector.signals.torque_watch import TorqueWatch
from impact_robots import Robot, RobotError
from impact_ros.parameters import parameter
from impact_ros.robot_parameters import RobotParameters

OBSERVER_GAIN = 700.0  # of the momentum observer [1/s]
THRESHOLDS = {
    "fused_threshold": FUSED,
    "threshold": TORQUE_ERROR,
    "momentum_threshold": MOMENTUM,
    "acceleration_threshold": ACCELERATION,
}  # parameters that may change while the node runs, and whose they are
DETECTORS = (FUSED, TORQUE_ERROR, MOMENTUM, ACCELERATION)
_NAN = float("nan")


@dataclass(frozen=True)
class DetectorParameters(RobotParameters):
    """What the node can be told; all but the thresholds fixed once it has started."""

    detectors: tuple[str, ...] = parameter(
        [FUSED],
        "Detectors on joint states, each publishing what it detects; the first one's verdict is the"
        f" status. Of {', '.join(DETECTORS)}.",
    )
    fused_threshold: float = parameter(
        15.0,
        "Velocity jump without a torque that explains it, in standard deviations, that is an"
        " impact (fused).",
        low=1e-6,
        read_only=False,
    )
    threshold: float = parameter(
        2.5,
        "Sum of torque errors that is an impact (torque_error).",
        unit="N.m",
        low=1e-6,
        read_only=False,
    )
    momentum_threshold: float = parameter(
        5.0,
        "Sum of observed external torques that is an impact (momentum).",
        unit="N.m",
        low=1e-6,
        read_only=False,
    )
    acceleration_threshold: float = parameter(
        25.0,
        "Joint acceleration that is an impact (acceleration).",
        unit="rad/s^2",
        low=1e-6,
        read_only=False,
    )
    noise_multiples: bool = parameter(
        False,
        "Thresholds of torque_error and momentum are standard deviations of noise learnt while"
        " moving, not N.m.",
    )
    joints: tuple[int, ...] = parameter(
        [],
        "Joints whose torque errors or external torques are summed, counted from 1; empty: the"
        " robot's.",
        low=1,
    )
    rearm_time: float = parameter(
        0.5,
        "Time below the threshold before the next impact is reported.",
        unit="s",
        low=0.0,
        high=LONGEST_REARM,
    )
    bias_samples: int = parameter(
        50,
        "Quiet samples whose mean error is removed (slow model errors); 0: none, for fused 1.",
        low=0,
        high=100000,
    )
    force_threshold: float = parameter(
        _NAN,
        "Norm of the measured force that is an impact too (20 N at a wrist in the literature);"
        " NaN: off.",
        unit="N",
        low=1e-6,
    )
    force_debounce: int = parameter(
        1, "Successive force samples above the threshold that are an impact.", low=1
    )
    reference: str = parameter(
        "desired",
        "Torque to compare with: desired (messages) or model (of the measured motion).",
        choices=["desired", "model"],
    )
    reference_excludes_gravity: bool = parameter(
        False, "The desired torque lacks gravity, as franka_ros2's does: the model's is added."
    )
    lockstep: bool = parameter(
        False,
        "A simulation waits for each verdict: pair with the torque that answered the state"
        " before, and wait for it.",
    )
    max_reference_age: float = parameter(
        0.05, "Oldest desired torque used, relative to the state.", unit="s", low=1e-6
    )
    estimate_window: float = parameter(
        0.1, "Length of the fit that gives the gross velocity.", unit="s", low=0.005, high=1.0
    )
    estimate_method: str = parameter(
        POLYNOMIAL,
        "How the gross velocity is found: polynomial (published), release, oscillation, window.",
        choices=list(METHODS),
    )
    contact_normal: tuple[float, ...] = parameter(
        [_NAN, _NAN, _NAN],
        "Outward normal of the surface in base axes, for restitution, an impulse from torques and"
        " the gate; NaN: unknown but for announcements.",
    )
    wrench_normal: tuple[float, ...] = parameter(
        [_NAN, _NAN, _NAN],
        "The same in the axes of the wrench, for its normal impulse and peak force; NaN: unknown.",
    )
    approach_gate: bool = parameter(
        False,
        "Detect only while the contact point moves against contact_normal, and for 50 ms after.",
    )


def detection_joints(robot: Robot, numbers: tuple[int, ...]) -> tuple[int, ...]:
    """Return joints counted from 1 as indices; the robot's own for none.

    Raises:
        RobotError: a number that the robot has no joint for.
    """
    if any(not 1 <= number <= robot.dof for number in numbers):
        got = ",".join(str(number) for number in numbers)
        raise RobotError(f"joints: expected numbers from 1 to {robot.dof}, got {got}")
    return tuple(number - 1 for number in numbers) or robot.detection_joints


def session_for(
    parameters: DetectorParameters,
    robot: Robot,
    *,
    model: ModelTorque | None = None,
    pairing: ReferencePairing | None = None,
) -> DetectorSession:
    """Return the session that the parameters describe.

    Args:
        parameters: of the node.
        robot: that they name.
        model: replaces the model's torque with default settings.
        pairing: replaces that of the parameters.

    Raises:
        ImpactError: a value does not fit the robot, or another value.
    """
    model = model or ModelTorque(robot)
    rule = PREVIOUS if parameters.lockstep else SAME
    return DetectorSession(
        *state_detectors(parameters, robot),
        approaches=ApproachGate(robot, parameters.contact_normal)
        if parameters.approach_gate
        else None,
        pairing=pairing or ReferencePairing(rule, parameters.max_reference_age),
        model=model if parameters.reference == "model" else None,
        gravity=model.gravity if parameters.reference_excludes_gravity else None,
        lockstep=parameters.lockstep,
        torque_watch=TorqueWatch(model.gravity),
        force_detector=_force_detector(parameters),
        estimator=ImpactEstimator(
            parameters.estimate_window,
            normal=parameters.wrench_normal,
            method=parameters.estimate_method,
            robot=robot,
            base_normal=parameters.contact_normal,
        ),
    )


def state_detectors(parameters: DetectorParameters, robot: Robot) -> tuple[StateDetector, ...]:
    """Return the detectors on joint states that the parameters name, in their order.

    Raises:
        DetectorError: no names, a name that is none or twice, or a value out of its range.
        RobotError: a joint that the robot has not.
    """
    names = parameters.detectors
    wrong = [name for name in names if name not in DETECTORS]
    if not names or wrong or len(set(names)) < len(names):
        choices = ", ".join(DETECTORS)
        raise DetectorError(
            f"detectors: expected some of {choices}, each once, got {', '.join(names) or 'none'}"
        )
    return tuple(_detector(name, parameters, robot) for name in names)


def _detector(name: str, parameters: DetectorParameters, robot: Robot) -> StateDetector:
    """Return the detector called ``name``."""
    rearm_time = parameters.rearm_time
    if name == FUSED:
        bias = max(1, parameters.bias_samples)
        return FusedDetector(
            robot,
            parameters.fused_threshold,
            rearm_time=rearm_time,
            bias_samples=bias,
            velocity_noise=robot.velocity_noise,
            torque_noise=robot.torque_noise,
        )
    if name == ACCELERATION:
        joints = range(max(1, robot.dof - 1))  # as published for seven joints
        return AccelerationDetector(
            joints, parameters.acceleration_threshold, rearm_time=rearm_time
        )
    common: dict[str, Any] = {
        "joints": detection_joints(robot, parameters.joints),
        "rearm_time": rearm_time,
        "bias_samples": parameters.bias_samples,
        "multiples": parameters.noise_multiples,
    }
    if name == MOMENTUM:
        observer = MomentumObserver(robot, OBSERVER_GAIN)
        return MomentumDetector(observer, threshold=parameters.momentum_threshold, **common)
    return TorqueErrorDetector(threshold=parameters.threshold, **common)


def _force_detector(parameters: DetectorParameters) -> ForceThresholdDetector | None:
    if math.isnan(parameters.force_threshold):
        return None
    return ForceThresholdDetector(
        parameters.force_threshold,
        debounce=parameters.force_debounce,
        rearm_time=parameters.rearm_time,
    )
