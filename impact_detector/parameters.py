# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Parameters of the node impact_detector, and the session that they describe. Needs no ROS."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace

from impact_detector.detectors.approach import ApproachGate
from impact_detector.detectors.detector import StateDetector
from impact_detector.detectors.detector_kind import DETECTORS, Setup
from impact_detector.detectors.force_threshold import ForceThresholdDetector
from impact_detector.detectors.latch import LONGEST_REARM
from impact_detector.estimators.gross_methods import GROSS_METHODS, POLYNOMIAL
from impact_detector.estimators.streaming import ImpactEstimator
from impact_detector.exceptions import DetectorError
from impact_detector.session import DetectorSession, Pairing
from impact_detector.signals.model_torque import ModelTorque
from impact_detector.signals.reference_torque import PREVIOUS, SAME, ReferencePairing
from impact_detector.signals.sample import FUSED
from impact_detector.signals.torque_watch import TorqueWatch
from impact_robots import Robot
from impact_ros.parameters import RobotParameters, Specification, parameter, parameters_of

_NAN = float("nan")


def thresholds() -> dict[str, str]:
    """Return the names of the threshold parameters, and of their detectors."""
    return {kind.parameter: kind.name for kind in DETECTORS.values()}


def _threshold_parameters() -> list[Specification]:
    """Return one parameter per detector, which may change while the node runs."""
    return [
        Specification(
            kind.parameter,
            float,
            is_list=False,
            default=kind.threshold,
            description=f"{kind.statistic.capitalize()}: more is an impact ({kind.name}).",
            unit=kind.unit,
            low=1e-6,
            read_only=False,
        )
        for kind in DETECTORS.values()
    ]


@dataclass(frozen=True)
class DetectorParameters(RobotParameters):
    """Parameters of the detector; all but the thresholds are fixed once it has started."""

    detectors: tuple[str, ...] = parameter(
        [FUSED],
        "Detectors on joint states, each publishing what it detects; the first gives the detection"
        f" status. Of {', '.join(DETECTORS)}.",
    )
    thresholds: Mapping[str, float] = parameters_of(_threshold_parameters)
    noise_multiples: bool = parameter(
        False,
        "Thresholds of torque_error and momentum are standard deviations of learnt noise, not N.m.",
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
        "A simulation waits for each detection status: pair with the torque that answered the state"
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
        "How the gross velocity is found: "
        + "; ".join(f"{each.name}: {each.description}" for each in GROSS_METHODS.values())
        + ".",
        choices=GROSS_METHODS,
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

    def threshold_of(self, detector: str) -> float:
        """Return the threshold of a detector [its unit].

        Raises:
            DetectorError: there is none of that name.
        """
        kind = DETECTORS.named(detector)
        return self.thresholds.get(kind.parameter, kind.threshold)

    def with_threshold(self, detector: str, value: float) -> DetectorParameters:
        """Return the parameters with another threshold of a detector [its unit].

        Raises:
            DetectorError: there is none of that name.
        """
        changed = {DETECTORS.named(detector).parameter: value}
        return replace(self, thresholds={**self.thresholds, **changed})


def session_for(
    parameters: DetectorParameters,
    robot: Robot,
    *,
    model: ModelTorque | None = None,
    pairing: Pairing | None = None,
    estimates: bool = True,
) -> DetectorSession:
    """Return the session that the parameters describe.

    Args:
        parameters: of the node.
        robot: that they name.
        model: replaces the model's torque with default settings.
        pairing: replaces that of the parameters.
        estimates: estimate what impacts did; each takes some milliseconds.

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
        estimator=_estimator(parameters, robot) if estimates else None,
    )


def _estimator(parameters: DetectorParameters, robot: Robot) -> ImpactEstimator:
    return ImpactEstimator(
        parameters.estimate_window,
        normal=parameters.wrench_normal,
        method=parameters.estimate_method,
        robot=robot,
        base_normal=parameters.contact_normal,
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
    return tuple(DETECTORS[name].make(_setup(name, parameters, robot)) for name in names)


def _setup(name: str, parameters: DetectorParameters, robot: Robot) -> Setup:
    """Return what the detector called ``name`` is made of."""
    return Setup(
        robot,
        parameters.threshold_of(name),
        rearm_time=parameters.rearm_time,
        bias_samples=parameters.bias_samples,
        noise_multiples=parameters.noise_multiples,
        joint_numbers=parameters.joints,
        normal=parameters.contact_normal,
    )


def _force_detector(parameters: DetectorParameters) -> ForceThresholdDetector | None:
    if math.isnan(parameters.force_threshold):
        return None
    return ForceThresholdDetector(
        parameters.force_threshold,
        debounce=parameters.force_debounce,
        rearm_time=parameters.rearm_time,
    )
