# SPDX-License-Identifier: Apache-2.0
"""What an impact did: streaming detectors, and estimators of what happened around an event."""

from impact_detector.acceleration import AccelerationDetector, acceleration_onset
from impact_detector.approach import ApproachGate
from impact_detector.estimate import Estimate, ImpactEstimator
from impact_detector.exceptions import DetectorError, EstimateError
from impact_detector.force_threshold import ForceThresholdDetector
from impact_detector.friction import PANDA_FRICTION, JointFriction
from impact_detector.fused import FusedDetector
from impact_detector.gross_velocity import GrossVelocity, gross_velocity
from impact_detector.impulse import Impulse, integrate_impulse
from impact_detector.model_torque import ModelTorque
from impact_detector.momentum_observer import MomentumDetector, MomentumObserver
from impact_detector.reference import ReferencePairing
from impact_detector.sample import Detection, ForceSample, JointSample, Verdict, from_seconds
from impact_detector.state_detector import StateDetector
from impact_detector.torque_error import TorqueErrorDetector

__all__ = [
    "PANDA_FRICTION",
    "AccelerationDetector",
    "ApproachGate",
    "Detection",
    "DetectorError",
    "Estimate",
    "EstimateError",
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
    "ReferencePairing",
    "StateDetector",
    "TorqueErrorDetector",
    "Verdict",
    "acceleration_onset",
    "from_seconds",
    "gross_velocity",
    "integrate_impulse",
]
