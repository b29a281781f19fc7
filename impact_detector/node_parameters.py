# SPDX-License-Identifier: Apache-2.0
"""Parameters of the node impact_detector, and the session that they describe. Needs no ROS."""

from __future__ import annotations

import math
from dataclasses import dataclass

from impact_detector.estimate import ImpactEstimator
from impact_detector.force_threshold import ForceThresholdDetector
from impact_detector.model_torque import ModelTorque
from impact_detector.reference import PREVIOUS, SAME, ReferencePairing
from impact_detector.session import DetectorSession
from impact_detector.torque_error import TorqueErrorDetector
from impact_robots import Robot, RobotError
from impact_ros.parameters import parameter
from impact_ros.robot_parameters import RobotParameters

_NAN = float("nan")


@dataclass(frozen=True)
class DetectorParameters(RobotParameters):
    """What the node can be told; all fixed once it has started."""

    threshold: float = parameter(
        2.5, "Sum of torque errors that is an impact.", unit="N.m", low=1e-6
    )
    joints: tuple[int, ...] = parameter(
        [], "Joints whose torque errors are summed, counted from 1; empty: the robot's.", low=1
    )
    rearm_time: float = parameter(
        0.5, "Time below the threshold before the next impact is reported.", unit="s", low=0.0
    )
    bias_samples: int = parameter(
        50,
        "Quiet samples whose mean torque error is removed (slow model errors); 0: none.",
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
    contact_normal: tuple[float, ...] = parameter(
        [_NAN, _NAN, _NAN],
        "Outward normal of the surface in the axes of the wrench, for normal impulse and peak"
        " force; NaN: unknown.",
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
    detector = TorqueErrorDetector(
        detection_joints(robot, parameters.joints),
        parameters.threshold,
        rearm_time=parameters.rearm_time,
        bias_samples=parameters.bias_samples,
    )
    rule = PREVIOUS if parameters.lockstep else SAME
    return DetectorSession(
        detector,
        pairing=pairing or ReferencePairing(rule, parameters.max_reference_age),
        model=model if parameters.reference == "model" else None,
        gravity=model.gravity if parameters.reference_excludes_gravity else None,
        lockstep=parameters.lockstep,
        force_detector=_force_detector(parameters),
        estimator=ImpactEstimator(parameters.estimate_window, normal=parameters.contact_normal),
    )


def _force_detector(parameters: DetectorParameters) -> ForceThresholdDetector | None:
    if math.isnan(parameters.force_threshold):
        return None
    return ForceThresholdDetector(
        parameters.force_threshold,
        debounce=parameters.force_debounce,
        rearm_time=parameters.rearm_time,
    )
