# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""What a strike does to its target, and to the handle."""

from __future__ import annotations

from math import inf
from typing import NamedTuple

import numpy as np

from impact_predictor.joint_load.load import DURATION
from impact_predictor.joint_load.motion_records import TICK
from impact_predictor.strike.strike_case import NailCase, StrikeCase
from impact_predictor.strike.strike_loads import StrikeLoads

FOLLOWED = 0.1  # time for which a strike is followed [s]


class StrikeEffect(NamedTuple):
    """Of one strike, all its contacts together."""

    impulse: float  # along the normal [N.s]
    early_impulse: float  # within 30 ms [N.s]
    work: float  # that drove the nail [J]
    peak_force: float  # [N]
    depth: float  # by which the nail was driven [m]
    deflection: float  # largest of the handle [m]


def strike_effect(loads: StrikeLoads, case: StrikeCase, speed: float) -> StrikeEffect:
    """Return what a strike does within 0.1 s.

    Args:
        loads: of arm and tool.
        case: the tool and the surface.
        speed: of the head along the axis [m/s].
    """
    run = loads.run(case, speed, FOLLOWED)
    run.go_on(round(DURATION / TICK))
    early = float(run.load().impulse[0, 2])
    run.go_on()
    load = run.load()
    depth = float(load.sunk[0])
    work = case.surface.law().work(depth) if isinstance(case.surface, NailCase) else 0.0
    deflection = 0.0
    if case.tool.stiffness < inf:
        deflection = float(load.change[-1]) / case.tool.stiffness
    return StrikeEffect(
        float(load.impulse[0, 2]), early, work, float(np.max(load.peak_force)), depth, deflection
    )
