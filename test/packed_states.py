# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""States in the form in which a control cycle computes them."""

import numpy as np

from impact_robots import PointState
from impact_robots.state.packed_state import PackedState


def packed(point: PointState) -> PackedState:
    """Return a state of an arm with a fixed base as a control cycle would compute it."""
    state = point.robot_state
    rows = state.q, state.dq, state.h, state.g, state.A_G, point.J, state.M
    rest = state.com, state.rotational_inertia, point.twist, point.drift, point.rotation
    parts = (*rows, *rest, point.position, state.mass)
    block = np.concatenate([np.ravel(each) for each in parts])
    return PackedState(block, len(state.dq), point.frame, state.memory)
