# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Messages of impacts of arms on an object. Needs impact_msgs."""

from __future__ import annotations

import numpy as np
from geometry_msgs.msg import Twist
from std_msgs.msg import Header

from impact_msgs.msg import ObjectPrediction
from impact_predictor.prediction.object_question import ObjectAnswer
from impact_ros.messages import fill, set_vector


def object_message(
    answer: ObjectAnswer, joint_names: tuple[str, ...], header: Header
) -> ObjectPrediction:
    """Return the prediction by one map as a message; ``header`` has the time."""
    result = answer.result
    message = ObjectPrediction(
        header=header,
        model=answer.inertia,
        object_map=answer.kind,
        object_twist=_twist(result.body),
        arms=list(result.plates),
        plate_twists=[_twist(each) for each in result.plates.values()],
        joint_names=list(joint_names),
        energy_gain=result.impact.energy_gain,
    )
    fill(message.velocity_after, np.concatenate(list(result.joints.values())))
    return message


def _twist(twist: np.ndarray) -> Twist:
    """Return [linear; angular], shape (6,), as a message."""
    message = Twist()
    set_vector(message.linear, twist[:3])
    set_vector(message.angular, twist[3:])
    return message
