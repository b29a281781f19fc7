# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The simulated robot in lockstep, hit by hit: it stands still after each until it is to go on."""

from __future__ import annotations

from impact_sim.arm.loaded_plant import LoadedPlant
from impact_sim.node import ImpactSimNode


class RepeatedSimNode(ImpactSimNode):
    """Keeps the truth about each hit, and waits `after_contact` later: :meth:`go_on` goes on.

    It waits with its first state, too, and without a contact after `duration`. So no simulated time
    goes by while something is computed between two hits, and what the arm does is the same on every
    machine.
    """

    _began: int | None = None  # when it went on [ns of simulated time]

    @property
    def finished(self) -> bool:
        """It stands still, its last state answered, or has failed."""
        if self.failure:
            return True
        if self._newest_command < self._stamp_ns:
            return False
        now, first = self.simulation.time_ns, self.first_contact_ns
        if self._began is None or now - self._began >= self.parameters.duration * 1e9:
            return True
        return first is not None and now - first >= self.parameters.after_contact * 1e9

    def _plant(self) -> LoadedPlant:
        self.truth = LoadedPlant(self.robot, self.scenario.wall(self.robot))
        return self.truth

    def go_on(self) -> None:
        """Forget the last hit and publish the next state."""
        self.truth.forget()
        self.first_contact_ns, self._began = None, self.simulation.time_ns
        self._advance(self._command)
