# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""What an impact did: streaming detectors, and estimators of what happened around an event."""

from impact_detector.detectors.acceleration import AccelerationDetector, acceleration_onset
from impact_detector.detectors.approach import ApproachGate
from impact_detector.detectors.detector import StateDetector
from impact_detector.detectors.detector_kind import DETECTORS, DetectorKind, Setup
from impact_detector.detectors.force_threshold import ForceThresholdDetector
from impact_detector.detectors.fused import FusedDetector
from impact_detector.detectors.momentum import MomentumDetector, MomentumObserver
from impact_detector.detectors.torque_error import TorqueErrorDetector
from impact_detector.estimators.contact_law import contact_law_of
from impact_detector.estimators.damped_oscillation import OscillationFit, oscillation_fit
from impact_detector.estimators.gross_methods import GROSS_METHODS, GrossMethod, Motion
from impact_detector.estimators.gross_velocity import GrossVelocity, gross_velocity
from impact_detector.estimators.impulse import Impulse, integrate_impulse
from impact_detector.estimators.measured_restitution import (
    ForceRestitution,
    kinematic_restitution,
    restitution_by_force,
)
from impact_detector.estimators.sampling_error import resampled_share, sampling_share
from impact_detector.estimators.streaming import Estimate, ImpactEstimator
from impact_detector.estimators.torque_impulse import TorqueImpulse, torque_impulse
from impact_detector.estimators.touch_time import TouchTime, touch_time
from impact_detector.estimators.velocity_before import velocity_before
from impact_detector.estimators.velocity_window import WindowJump, window_jump
from impact_detector.exceptions import DetectorError, EstimateError
from impact_detector.signals.model_torque import ModelTorque
from impact_detector.signals.reference_torque import ReferencePairing
from impact_detector.signals.sample import (
    Detection,
    ForceSample,
    JointSample,
    Verdict,
    from_seconds,
)
from impact_robots.joint_friction import PANDA_FRICTION, JointFriction

__all__ = [
    "DETECTORS",
    "GROSS_METHODS",
    "PANDA_FRICTION",
    "AccelerationDetector",
    "ApproachGate",
    "Detection",
    "DetectorError",
    "DetectorKind",
    "Estimate",
    "EstimateError",
    "ForceRestitution",
    "ForceSample",
    "ForceThresholdDetector",
    "FusedDetector",
    "GrossMethod",
    "GrossVelocity",
    "ImpactEstimator",
    "Impulse",
    "JointFriction",
    "JointSample",
    "ModelTorque",
    "MomentumDetector",
    "MomentumObserver",
    "Motion",
    "OscillationFit",
    "ReferencePairing",
    "Setup",
    "StateDetector",
    "TorqueErrorDetector",
    "TorqueImpulse",
    "TouchTime",
    "Verdict",
    "WindowJump",
    "acceleration_onset",
    "contact_law_of",
    "from_seconds",
    "gross_velocity",
    "integrate_impulse",
    "kinematic_restitution",
    "oscillation_fit",
    "resampled_share",
    "restitution_by_force",
    "sampling_share",
    "torque_impulse",
    "touch_time",
    "velocity_before",
    "window_jump",
]
