# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Spins nodes until a message has arrived."""

import time

from impact_ros.node.spin import run_callbacks

TIME_OUT = 60.0  # for anything that must come [s]
LOOK_EVERY = 0.002  # at what is waited for [s]


def serve(executor, until):
    """Run callbacks until a condition holds; fails when it never does."""
    end = time.monotonic() + TIME_OUT
    while not until():
        assert time.monotonic() < end, "timed out"
        run_callbacks(executor, LOOK_EVERY)
