# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""What an impact did: streaming detectors, and estimators of what happened around an event."""

from impact_detector.detectors.acceleration import AccelerationDetector
from impact_detector.detectors.detector import StateDetector
from impact_detector.detectors.detector_kind import DETECTORS, DetectorKind
from impact_detector.detectors.force_threshold import ForceThresholdDetector
from impact_detector.detectors.fused import FusedDetector
from impact_detector.detectors.momentum import MomentumDetector
from impact_detector.detectors.torque_error import TorqueErrorDetector
from impact_detector.estimators.contact_law import contact_law_of
from impact_detector.estimators.contact_time import contact_time
from impact_detector.estimators.gross_methods import GROSS_METHODS, GrossMethod, Motion
from impact_detector.estimators.gross_velocity import GrossVelocity, gross_velocity, velocity_before
from impact_detector.estimators.impulse import Impulse, integrate_impulse
from impact_detector.estimators.measured_restitution import kinematic_restitution
from impact_detector.estimators.streaming import Estimate, ImpactEstimator
from impact_detector.estimators.torque_impulse import torque_impulse
from impact_detector.exceptions import DetectorError, EstimateError
from impact_detector.signals.model_torque import ModelTorque
from impact_detector.signals.reference_torque import ReferencePairing
from impact_detector.signals.sample import Detection, DetectionStatus, ForceSample, JointSample

__all__ = [
    "DETECTORS",
    "GROSS_METHODS",
    "AccelerationDetector",
    "Detection",
    "DetectionStatus",
    "DetectorError",
    "DetectorKind",
    "Estimate",
    "EstimateError",
    "ForceSample",
    "ForceThresholdDetector",
    "FusedDetector",
    "GrossMethod",
    "GrossVelocity",
    "ImpactEstimator",
    "Impulse",
    "JointSample",
    "ModelTorque",
    "MomentumDetector",
    "Motion",
    "ReferencePairing",
    "StateDetector",
    "TorqueErrorDetector",
    "contact_law_of",
    "contact_time",
    "gross_velocity",
    "integrate_impulse",
    "kinematic_restitution",
    "torque_impulse",
    "velocity_before",
]
