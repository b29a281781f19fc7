# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""A line that is due in every cycle is written once in a while, each kind for itself."""

from types import SimpleNamespace

import pytest

from impact_ros.node.throttled_log import ThrottledLog


@pytest.fixture
def clock():
    return SimpleNamespace(now=100.0)


@pytest.fixture
def lines():
    return []


@pytest.fixture
def log(clock, lines):
    logger = SimpleNamespace(
        warning=lambda line: lines.append(("warning", line)),
        error=lambda line: lines.append(("error", line)),
    )
    return ThrottledLog(logger, 5.0, now=lambda: clock.now)


def test_a_line_is_written_once_in_a_period(log, lines, clock):
    for _ in range(12):
        log.warning(f"no effort at {clock.now:g} s")
        clock.now += 1.0
    times = [100, 105, 110]
    assert lines == [("warning", f"no effort at {each} s") for each in times]


def test_kinds_do_not_wait_for_each_other(log, lines):
    log.warning("no effort", "effort")
    log.error("no arm", "arm")
    log.warning("still no effort", "effort")
    assert lines == [("warning", "no effort"), ("error", "no arm")]
