# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""A simulator on its own: begins when somebody listens, ends with a failure, says when it ends."""

from __future__ import annotations

import time
from typing import Any

from impact_sim.exceptions import SimulationError


class Standalone:
    """To be mixed into a simulator's node, before it."""

    _end_logged = False  # that the experiment is over

    def _tick(self: Any) -> None:
        """Look at the time, as the node does."""
        if not self._started and self.peers:
            self.start()
        if self.waits:
            self._answered = time.monotonic()
        super()._tick()  # type: ignore[misc]  # the node's
        if self.failure:
            raise SimulationError(self.failure)
        if self.finished and not self._end_logged:
            self._end_logged = True
            self.get_logger().info(f"over after {self.simulation.time_ns * 1e-9:.2f} s simulated")
