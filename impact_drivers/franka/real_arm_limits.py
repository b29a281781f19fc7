# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Impact limits that are allowed with an FR3."""

from __future__ import annotations

from impact_drivers.exceptions import DriverError
from impact_qp.limits.impact_limits.registry import ON_A_REAL_ARM


def require_every_impulse(impact_limits: str) -> None:
    """Refuse impact limits that leave some admissible impulse unbounded; they are for simulation.

    They are refused for the fake arm as well, as it represents a real one.

    Raises:
        DriverError: names those that are allowed.
    """
    if impact_limits not in ON_A_REAL_ARM:
        raise DriverError(
            f"impact_limits: expected one of {', '.join(ON_A_REAL_ARM)} with an FR3, real or fake"
            f" (others do not bound every admissible impulse), got {impact_limits!r}"
        )
