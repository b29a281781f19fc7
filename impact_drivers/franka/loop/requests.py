# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Who asks the loop for something: the node through shared memory, or a program of its own."""

from __future__ import annotations

from typing import Protocol

from impact_drivers.franka.memory.request import Request
from impact_qp.control.plan import Plan


class Requests(Protocol):
    """As :class:`impact_drivers.franka.memory.command_block.CommandReader`."""

    @property
    def beats(self) -> int:
        """How often the asking side has said that it lives."""

    @property
    def taken(self) -> int:
        """Number of the request taken last, 0 before the first."""

    def take(self, defaults: Plan) -> Request | None:
        """Return a request that was not taken yet, None without.

        Raises:
            ImpactError: the request cannot be used; it counts as taken.
        """
