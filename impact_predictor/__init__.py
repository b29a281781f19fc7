# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""What an impact will do: inverse inertia, impact maps, feasible sets, speed bounds."""

from impact_predictor.contact_force.contact_law import (
    CONTACT_LAWS,
    ContactModel,
    LumpedLaw,
    RateLaw,
)
from impact_predictor.contact_force.laws import (
    ExtendedHuntCrossley,
    HuntCrossley,
    Viscoelastic,
    contact_law,
    hertz_stiffness,
    viscoelastic_restitution,
)
from impact_predictor.contact_force.lumped_laws import Maxwell, VirtualSpring
from impact_predictor.contact_force.profile import ContactEnd, ContactProfile
from impact_predictor.contact_force.restitution import (
    asymptotic_restitution,
    exact_restitution,
    maxwell_restitution,
    spring_restitution,
)
from impact_predictor.contact_force.simulation import simulate_contact
from impact_predictor.exceptions import (
    NoImpulseError,
    NotApproachingError,
    PredictionError,
    SingularJacobianError,
    UnboundedSetError,
    UnknownNameError,
    UnsolvedImpactError,
)
from impact_predictor.identification.contact_estimate import ContactIdentification, FitFlag
from impact_predictor.identification.contact_identification import identify_contact
from impact_predictor.identification.friction_identification import (
    FrictionEstimate,
    MeasuredImpact,
    identify_friction,
    prediction_error,
)
from impact_predictor.impact_result import ContactMode, Flag, ImpactMapResult
from impact_predictor.inertia.impulse_maps import (
    angular_momentum_map,
    com_velocity_map,
    joint_torque_map,
    joint_velocity_map,
    mean_force_factor,
    minimum_norm_joint_velocity_map,
)
from impact_predictor.inertia.inertia_models import (
    INVERSE_INERTIAS,
    InverseInertia,
    named_inverse_inertia,
    normal_impulse,
)
from impact_predictor.inertia.inverse_inertia import (
    algebraic_mass,
    crb,
    effective_mass,
    flexible,
    generalized_momentum,
)
from impact_predictor.inertia.jacobian import contact_jacobian
from impact_predictor.laws.friction_law import FRICTION_LAWS, FrictionLaw
from impact_predictor.laws.impact_map import impact_map
from impact_predictor.laws.planar_impact import planar_impulse
from impact_predictor.laws.planar_law import PLANAR_LAWS, PlanarLaw
from impact_predictor.laws.tangential_compliance import compliant_impulse
from impact_predictor.multicontact.bodies import ArmBody, FreeBody, box
from impact_predictor.multicontact.contacts import BodyContact, Loop, face_points
from impact_predictor.multicontact.friction_cone import Residuals
from impact_predictor.multicontact.impact_system import ImpactSystem, SystemImpact, impact_system
from impact_predictor.multicontact.simultaneous_impact import simultaneous_impact
from impact_predictor.multicontact.simultaneous_result import SimultaneousImpact
from impact_predictor.prediction.batch import BatchPrediction, predict_many
from impact_predictor.prediction.predict import predict
from impact_predictor.prediction.prediction import Prediction
from impact_predictor.prediction.robot_contacts import RobotContact, predict_contacts
from impact_predictor.prediction.trust import caveats
from impact_predictor.prediction.velocity_interval import (
    VelocityInterval,
    contacts_interval,
    velocity_interval,
)
from impact_predictor.sets.derived_sets import (
    angular_momentum_jump_set,
    com_velocity_jump_set,
    force_set,
    impulsive_torque_set,
    joint_velocity_jump_set,
    velocity_after_set,
    velocity_jump_set,
)
from impact_predictor.sets.feasible_sets import (
    compression_set,
    friction_half_spaces,
    friction_pyramid,
    impulse_set,
    restitution_half_spaces,
    unit_impulses,
)
from impact_predictor.sets.polytope import Polytope
from impact_predictor.sets.robot_sets import SETS, robot_sets
from impact_predictor.sets.speed_bound import existential_speed_bound, robust_speed_bound
from impact_robots.exceptions import OutOfRangeError

__all__ = [
    "CONTACT_LAWS",
    "FRICTION_LAWS",
    "INVERSE_INERTIAS",
    "PLANAR_LAWS",
    "SETS",
    "ArmBody",
    "BatchPrediction",
    "BodyContact",
    "ContactEnd",
    "ContactIdentification",
    "ContactMode",
    "ContactModel",
    "ContactProfile",
    "ExtendedHuntCrossley",
    "FitFlag",
    "Flag",
    "FreeBody",
    "FrictionEstimate",
    "FrictionLaw",
    "HuntCrossley",
    "ImpactMapResult",
    "ImpactSystem",
    "InverseInertia",
    "Loop",
    "LumpedLaw",
    "Maxwell",
    "MeasuredImpact",
    "NoImpulseError",
    "NotApproachingError",
    "OutOfRangeError",
    "PlanarLaw",
    "Polytope",
    "Prediction",
    "PredictionError",
    "RateLaw",
    "Residuals",
    "RobotContact",
    "SimultaneousImpact",
    "SingularJacobianError",
    "SystemImpact",
    "UnboundedSetError",
    "UnknownNameError",
    "UnsolvedImpactError",
    "VelocityInterval",
    "VirtualSpring",
    "Viscoelastic",
    "algebraic_mass",
    "angular_momentum_jump_set",
    "angular_momentum_map",
    "asymptotic_restitution",
    "box",
    "caveats",
    "com_velocity_jump_set",
    "com_velocity_map",
    "compliant_impulse",
    "compression_set",
    "contact_jacobian",
    "contact_law",
    "contacts_interval",
    "crb",
    "effective_mass",
    "exact_restitution",
    "existential_speed_bound",
    "face_points",
    "flexible",
    "force_set",
    "friction_half_spaces",
    "friction_pyramid",
    "generalized_momentum",
    "hertz_stiffness",
    "identify_contact",
    "identify_friction",
    "impact_map",
    "impact_system",
    "impulse_set",
    "impulsive_torque_set",
    "joint_torque_map",
    "joint_velocity_jump_set",
    "joint_velocity_map",
    "maxwell_restitution",
    "mean_force_factor",
    "minimum_norm_joint_velocity_map",
    "named_inverse_inertia",
    "normal_impulse",
    "planar_impulse",
    "predict",
    "predict_contacts",
    "predict_many",
    "prediction_error",
    "restitution_half_spaces",
    "robot_sets",
    "robust_speed_bound",
    "simulate_contact",
    "simultaneous_impact",
    "spring_restitution",
    "unit_impulses",
    "velocity_after_set",
    "velocity_interval",
    "velocity_jump_set",
    "viscoelastic_restitution",
]
