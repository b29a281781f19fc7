# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""A simulator on its own: begins when somebody listens, ends with a failure, says when it ends."""

from __future__ import annotations

import time
from typing import Any

from impact_ros.parameters import parameter
from impact_sim.exceptions import SimulationError

HEARD_WITHIN = 0.5  # that it is over, before the process may end [s]
AGAIN = "start it again for another run"  # how to go on


def shutdown_when_over() -> Any:
    """Return the field of a parameter, for the parameters of a simulator."""
    return parameter(
        False, "End the process, and so the launch, when it is over; false: it stays until Ctrl-C"
    )


class Standalone:
    """To be mixed into a simulator's node, before it, with :func:`shutdown_when_over`.

    Attributes:
        again: how to go on when it is over, in words.
    """

    again = AGAIN
    _over_since: float | None = None  # when that was logged [s of the monotonic clock]

    def _tick(self: Any) -> None:
        """Look at the time, as the node does."""
        if not self._started and self.peers:
            self.start()
        if self.waits:
            self._answered = time.monotonic()
        super()._tick()  # type: ignore[misc]  # the node's
        if self.failure:
            raise SimulationError(self.failure)
        if not self.finished:
            return
        if self._over_since is None:
            self._over_since = time.monotonic()
            ending = (
                "it ends now"
                if self.parameters.shutdown_when_over
                else "Ctrl-C ends it, with shutdown_when_over:=true it does so by itself"
            )
            seconds = self.simulation.time_ns * 1e-9
            self.get_logger().info(f"over after {seconds:.2f} s simulated; {ending}; {self.again}")

    @property
    def ended(self: Any) -> bool:
        """Whether the process shall end: it is over, and others have heard so."""
        if self._over_since is None or not self.parameters.shutdown_when_over:
            return False
        return bool(time.monotonic() - self._over_since > HEARD_WITHIN)
