# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""An announcement that was received holds the surface, its ranges and its window."""

import numpy as np
import pytest

from impact_detector.exceptions import DetectorError
from impact_detector.ros.conversion import announcement
from impact_msgs.msg import ImpactAnnouncement
from impact_ros.messages import from_nanoseconds, set_vector


def message(**surface):
    made = ImpactAnnouncement()
    from_nanoseconds(3_000_000, made.header.stamp)
    from_nanoseconds(2_000_000, made.window_start)
    made.contact.frame, made.contact.surface.friction_high = "panda_link8", 0.3
    set_vector(made.contact.normal, [0.0, -2.0, 0.0])
    for name, value in surface.items():
        setattr(made.contact.surface, name, value)
    return made


def test_it_has_the_ranges_and_the_contact_point():
    given = message(friction_low=0.2, friction_high=0.4, restitution_high=0.3)
    set_vector(given.contact.offset, [0.0, 0.1, 0.0])
    said = announcement(given)
    assert said.surface.friction == (0.2, 0.4)
    assert said.surface.restitution == (0.0, 0.3)
    np.testing.assert_array_equal(said.surface.normal, [0.0, -1.0, 0.0])
    assert (said.time, said.start, said.end) == (3_000_000, 2_000_000, None)
    assert (said.frame, said.offset) == ("panda_link8", (0.0, 0.1, 0.0))
    assert not said.withdrawn


def test_a_withdrawn_one_means_nothing_else():
    given = message(friction_low=float("nan"))
    given.withdrawn = True
    assert announcement(given).withdrawn


@pytest.mark.parametrize(
    ("surface", "line"),
    [
        ({"friction_low": float("nan")}, "announcement: friction: expected a finite number"),
        ({"friction_low": -1.0}, "announcement: friction: expected a finite number"),
        ({"restitution_high": 1.5}, "announcement: restitution: expected low, high with 0 <="),
    ],
)
def test_impossible_numbers_are_refused(surface, line):
    with pytest.raises(DetectorError, match=line):
        announcement(message(**surface))


def test_a_normal_of_no_length_is_refused():
    given = message()
    set_vector(given.contact.normal, [0.0, 0.0, 0.0])
    with pytest.raises(DetectorError, match="announcement: normal: expected three"):
        announcement(given)


@pytest.mark.parametrize("offset", [float("nan"), float("inf"), 1e308, -1e6])
def test_an_offset_that_is_none_is_refused(offset):
    """With 1e308 m no event within its window was published."""
    given = message()
    set_vector(given.contact.offset, [0.0, offset, 0.0])
    with pytest.raises(DetectorError, match="announcement: offset: expected three finite numbers"):
        announcement(given)
