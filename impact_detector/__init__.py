# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""What an impact did: streaming detectors, and estimators of what happened around an event."""

from impact_detector.acceleration import AccelerationDetector, acceleration_onset
from impact_detector.approach import ApproachGate
from impact_detector.contact_law import contact_law_of
from impact_detector.damped_oscillation import OscillationFit, oscillation_fit
from impact_detector.estimate import Estimate, ImpactEstimator
from impact_detector.exceptions import DetectorError, EstimateError
from impact_detector.force_threshold import ForceThresholdDetector
from impact_detector.friction import PANDA_FRICTION, JointFriction
from impact_detector.fused import FusedDetector
from impact_detector.gross_velocity import GrossVelocity, gross_velocity
from impact_detector.impulse import Impulse, integrate_impulse
from impact_detector.measured_restitution import (
    ForceRestitution,
    kinematic_restitution,
    restitution_by_force,
)
from impact_detector.model_torque import ModelTorque
from impact_detector.momentum_observer import MomentumDetector, MomentumObserver
from impact_detector.reference import ReferencePairing
from impact_detector.sample import Detection, ForceSample, JointSample, Verdict, from_seconds
from impact_detector.sampling_error import resampled_share, sampling_share
from impact_detector.state_detector import StateDetector
from impact_detector.torque_error import TorqueErrorDetector
from impact_detector.torque_impulse import TorqueImpulse, torque_impulse
from impact_detector.touch_time import TouchTime, touch_time
from impact_detector.velocity_before import velocity_before
from impact_detector.velocity_window import WindowJump, window_jump

__all__ = [
    "PANDA_FRICTION",
    "AccelerationDetector",
    "ApproachGate",
    "Detection",
    "DetectorError",
    "Estimate",
    "EstimateError",
    "ForceRestitution",
    "ForceSample",
    "ForceThresholdDetector",
    "FusedDetector",
    "GrossVelocity",
    "ImpactEstimator",
    "Impulse",
    "JointFriction",
    "JointSample",
    "ModelTorque",
    "MomentumDetector",
    "MomentumObserver",
    "OscillationFit",
    "ReferencePairing",
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
