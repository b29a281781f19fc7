# SPDX-License-Identifier: Apache-2.0
"""What an impact will do: inverse inertia, impact maps, feasible sets, speed bounds."""

from impact_predictor.derived_sets import (
    angular_momentum_jump_set,
    com_velocity_jump_set,
    force_set,
    impulsive_torque_set,
    joint_velocity_jump_set,
    velocity_jump_set,
)
from impact_predictor.exceptions import (
    NoImpulseError,
    NotApproachingError,
    OutOfRangeError,
    PredictionError,
    SingularJacobianError,
    UnboundedSetError,
    UnknownNameError,
)
from impact_predictor.feasible_sets import friction_pyramid, impulse_set, unit_impulses
from impact_predictor.impact_map import FRICTION_LAWS, impact_map
from impact_predictor.impact_result import ContactMode, Flag, ImpactMapResult
from impact_predictor.impulse_maps import (
    angular_momentum_map,
    com_velocity_map,
    joint_torque_map,
    joint_velocity_map,
    mean_force_factor,
    minimum_norm_joint_velocity_map,
)
from impact_predictor.inverse_inertia import (
    contact_jacobian,
    crb,
    effective_mass,
    generalized_momentum,
)
from impact_predictor.polytope import Polytope
from impact_predictor.predict import INVERSE_INERTIAS, named_inverse_inertia, predict
from impact_predictor.prediction import Prediction
from impact_predictor.robot_sets import SETS, robot_sets
from impact_predictor.speed_bound import existential_speed_bound, robust_speed_bound

__all__ = [
    "FRICTION_LAWS",
    "INVERSE_INERTIAS",
    "SETS",
    "ContactMode",
    "Flag",
    "ImpactMapResult",
    "NoImpulseError",
    "NotApproachingError",
    "OutOfRangeError",
    "Polytope",
    "Prediction",
    "PredictionError",
    "SingularJacobianError",
    "UnboundedSetError",
    "UnknownNameError",
    "angular_momentum_jump_set",
    "angular_momentum_map",
    "com_velocity_jump_set",
    "com_velocity_map",
    "contact_jacobian",
    "crb",
    "effective_mass",
    "existential_speed_bound",
    "force_set",
    "friction_pyramid",
    "generalized_momentum",
    "impact_map",
    "impulse_set",
    "impulsive_torque_set",
    "joint_torque_map",
    "joint_velocity_jump_set",
    "joint_velocity_map",
    "mean_force_factor",
    "minimum_norm_joint_velocity_map",
    "named_inverse_inertia",
    "predict",
    "robot_sets",
    "robust_speed_bound",
    "unit_impulses",
    "velocity_jump_set",
]
