# SPDX-License-Identifier: Apache-2.0
"""A message that says nothing holds no number that could be taken for one."""

import math

import pytest

pytest.importorskip("rclpy")

from impact_msgs.msg import ImpactEstimate, ImpactPrediction
from impact_ros.unknown import unknown


@pytest.mark.parametrize("kind", [ImpactEstimate, ImpactPrediction])
def test_every_number_is_nan_and_the_stamp_zero(kind):
    def numbers(message):
        for name in message.get_fields_and_field_types():
            value = getattr(message, name)
            if isinstance(value, float):
                yield value
            elif hasattr(value, "get_fields_and_field_types"):
                yield from numbers(value)

    message = unknown(kind())
    found = list(numbers(message))
    assert len(found) > 10
    assert all(map(math.isnan, found))
    assert (message.header.stamp.sec, message.header.stamp.nanosec) == (0, 0)
    assert len(message.joint_names) == len(message.velocity_after) == 0
