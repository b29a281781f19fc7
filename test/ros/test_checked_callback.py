# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""A message that cannot be used is dropped with a line, and ends nothing."""

import pytest

from impact_robots.exceptions import ImpactError
from impact_ros.node.checked_callback import checked_callback


class Logs:
    """A node's logger that stores its lines."""

    def __init__(self):
        self.lines = []

    def get_logger(self):
        return self

    def warning(self, line):
        self.lines.append(("warning", line))

    def error(self, line):
        self.lines.append(("error", line))


@pytest.mark.parametrize(
    ("raised", "level", "line"),
    [
        (ImpactError("expected two, got one"), "warning", "states dropped: expected two, got one"),
        (OverflowError("too\nlarge"), "error", "states dropped: OverflowError: too large"),
    ],
)
def test_what_cannot_be_used_is_dropped_with_a_line(raised, level, line):
    logs, dropped = Logs(), []

    def callback(message):
        raise raised

    checked_callback(logs, "states", callback, dropped.append)(1)
    assert logs.lines == [(level, line)]
    assert dropped == [line]


def test_what_can_be_used_passes():
    logs, taken, dropped = Logs(), [], []
    checked_callback(logs, "states", taken.append, dropped.append)(1)
    assert taken == [1]
    assert not logs.lines and not dropped


def test_the_end_of_the_process_is_not_held_up():
    def callback(message):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        checked_callback(Logs(), "states", callback)(1)
