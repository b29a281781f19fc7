# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Sends requests to the Franka loop at given cycles, and records the replies."""

import numpy as np

from impact_drivers.franka.hit import HELD
from impact_drivers.franka.memory.request import Request, RequestKind
from impact_qp.control.plan import Plan


class Script:
    """Asks for things at given cycles, and hears what comes of it; ends after the last cycle.

    What is asked is a kind of request, or a plan: a goal of it.
    """

    def __init__(self, asked, last, *, silent_from=None, need=None):
        self._asked, self._last, self._silent = dict(asked), last, silent_from
        self._need = need
        self.cycles, self.taken, self._beats = [], 0, 0

    @property
    def beats(self):
        alive = self._silent is None or len(self.cycles) < self._silent
        self._beats += alive
        return self._beats

    def take(self, defaults):
        at = len(self.cycles)
        kind = RequestKind.END if at == self._last else self._asked.get(at)
        if kind is None:
            return None
        self.taken += 1
        if isinstance(kind, Plan):
            return Request(self.taken, RequestKind.GOAL, kind, self._need)
        plan = defaults if kind is RequestKind.GOAL else None
        return Request(self.taken, kind, plan, None if plan is None else self._need)


HOLDING, GOING = {1: RequestKind.HOLD}, {1: RequestKind.HOLD, HELD: RequestKind.GOAL}


def sent(cycles):
    """Torques that the arm was sent, one row a cycle."""
    return np.array([cycle.sent for cycle in cycles if cycle.sent is not None])
