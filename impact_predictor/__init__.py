# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Prediction of impacts: inverse inertia, impact maps, feasible sets, speed bounds."""

from impact_predictor.contact_force.contact_law import CONTACT_LAWS, ContactModel
from impact_predictor.contact_force.laws import contact_law
from impact_predictor.contact_force.simulation import simulate_contact
from impact_predictor.exceptions import PredictionError
from impact_predictor.identification.contact_identification import identify_contact
from impact_predictor.identification.friction_identification import identify_friction
from impact_predictor.impact_result import ContactMode, Flag, ImpactMapResult
from impact_predictor.inertia.inertia_models import INVERSE_INERTIAS, named_inverse_inertia
from impact_predictor.laws.friction_law import FRICTION_LAWS, FrictionLaw
from impact_predictor.laws.impact_map import impact_map
from impact_predictor.laws.planar_impact import planar_impulse
from impact_predictor.laws.planar_law import PLANAR_LAWS, PlanarLaw
from impact_predictor.multicontact.bodies import ArmBody, FreeBody
from impact_predictor.multicontact.contacts import BodyContact
from impact_predictor.multicontact.impact_system import impact_system
from impact_predictor.multicontact.simultaneous_impact import simultaneous_impact
from impact_predictor.prediction.batch import BatchPrediction, predict_many
from impact_predictor.prediction.predict import predict
from impact_predictor.prediction.prediction import Prediction
from impact_predictor.prediction.robot_contacts import RobotContact, predict_contacts
from impact_predictor.prediction.trust import caveats
from impact_predictor.prediction.velocity_interval import VelocityInterval, velocity_interval
from impact_predictor.sets.polytope import Polytope
from impact_predictor.sets.robot_sets import SETS, robot_sets
from impact_predictor.sets.speed_bound import existential_speed_bound, robust_speed_bound

__all__ = [
    "CONTACT_LAWS",
    "FRICTION_LAWS",
    "INVERSE_INERTIAS",
    "PLANAR_LAWS",
    "SETS",
    "ArmBody",
    "BatchPrediction",
    "BodyContact",
    "ContactMode",
    "ContactModel",
    "Flag",
    "FreeBody",
    "FrictionLaw",
    "ImpactMapResult",
    "PlanarLaw",
    "Polytope",
    "Prediction",
    "PredictionError",
    "RobotContact",
    "VelocityInterval",
    "caveats",
    "contact_law",
    "existential_speed_bound",
    "identify_contact",
    "identify_friction",
    "impact_map",
    "impact_system",
    "named_inverse_inertia",
    "planar_impulse",
    "predict",
    "predict_contacts",
    "predict_many",
    "robot_sets",
    "robust_speed_bound",
    "simulate_contact",
    "simultaneous_impact",
    "velocity_interval",
]
