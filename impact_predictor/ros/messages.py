# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Writes predictions and polytopes as messages of impact_msgs, which it needs."""

from __future__ import annotations

from array import array
from typing import TYPE_CHECKING

import numpy as np
from std_msgs.msg import Header

from impact_msgs.msg import ImpactPrediction
from impact_msgs.msg import Polytope as PolytopeMessage
from impact_predictor.prediction.prediction import Prediction
from impact_predictor.prediction.velocity_interval import VelocityInterval
from impact_predictor.ros.markers import write_pose
from impact_predictor.sets.polytope import Polytope
from impact_ros.messages import fill, set_vector

if TYPE_CHECKING:  # compiled: loads slowly
    from impact_predictor.prediction.predicted_load import PredictedLoad


def prediction_message(
    prediction: Prediction, interval: VelocityInterval | None, header: Header
) -> ImpactPrediction:
    """Return a prediction as a new message; arguments as of :func:`write_prediction`."""
    message = ImpactPrediction()
    write_prediction(message, prediction, interval, header)
    return message


def write_prediction(
    message: ImpactPrediction,
    prediction: Prediction,
    interval: VelocityInterval | None,
    header: Header,
) -> None:
    """Write all of a prediction but loads, overwriting the message.

    Args:
        message: is written to.
        prediction: to write.
        interval: of the joint velocities after the impact; None: the fields are empty.
        header: the state's time and the base frame.
    """
    message.header = header
    message.model = prediction.inertia
    message.inverse_inertia = prediction.inverse_inertia
    message.contact = prediction.contact
    write_pose(message.contact_pose, prediction)
    message.friction = prediction.friction
    message.restitution = prediction.restitution
    message.friction_law = prediction.friction_law
    message.joint_names = list(prediction.joint_names)
    message.velocity_before = array("d", prediction.dq_before.tolist())
    message.velocity_after = array("d", prediction.dq_after.tolist())
    low, high = ([], []) if interval is None else (interval.low.tolist(), interval.high.tolist())
    message.velocity_low, message.velocity_high = array("d", low), array("d", high)
    set_vector(message.task_velocity_before, prediction.velocity_before)
    set_vector(message.task_velocity_after, prediction.velocity_after)
    set_vector(message.impulse, prediction.impulse)
    message.effective_mass = prediction.effective_mass
    message.contact_mode = int(prediction.mode)
    set_vector(message.delta_com_velocity, prediction.delta_com_velocity)
    set_vector(message.delta_angular_momentum, prediction.delta_angular_momentum)
    message.energy_gain = prediction.energy_gain
    message.flags = int(prediction.flags)
    message.approximate_to_exact_ratio = prediction.approximate_to_exact_ratio
    message.jacobian_condition = prediction.jacobian_condition


def add_load(message: ImpactPrediction, load: PredictedLoad, torque: np.ndarray) -> None:
    """Write the loads of the joints, and the published impulsive ``torque``, shape (n,) [N.m]."""
    fill(message.joint_load, load.change)
    fill(message.joint_load_low, load.change_low)
    fill(message.joint_load_high, load.change_high)
    fill(message.joint_torque, load.torque)
    fill(message.joint_torque_low, load.torque_low)
    fill(message.joint_torque_high, load.torque_high)
    fill(message.joint_load_time, load.time)
    fill(message.impulsive_torque, torque)
    message.joint_load_note = load.note


def polytope_message(polytope: Polytope, header: Header) -> PolytopeMessage:
    """Return a polytope as a message; ``header`` has the state's time and the axes' frame."""
    message = PolytopeMessage(
        header=header,
        name=polytope.name,
        unit=polytope.unit,
        axes=list(polytope.axes),
        dimension=polytope.dimension,
        empty=False,
    )
    fill(message.a, polytope.A)
    fill(message.b, polytope.b)
    fill(message.vertices, polytope.vertices)
    return message
