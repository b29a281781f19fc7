# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Motion of the arm when the controller dies and the driver holds the last command; no times.

Run it with ``./impact bench dead_controller``: the demo's robust approach, by interface and by when
the controller dies.
"""

from __future__ import annotations

import sys
from pathlib import Path

from impact_sim import Interface

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "test"))
from held_command import held_command

DEATHS = (0.02, 0.05, 0.1, 0.4, 1.2)  # since the start of the approach [s]


def measure() -> dict[str, float]:
    """Return all figures."""
    figures: dict[str, float] = {}
    for interface in Interface:
        for death in DEATHS:
            found, name = held_command(interface, death), f"{interface.value}, {1e3 * death:g} ms"
            figures |= {
                f"{name}: contact speed [mm/s]": 1e3 * found.contact_speed,
                f"{name}: joint velocity [% of limit]": 1e2 * found.velocity_share,
                f"{name}: joint too fast after [s]": found.too_fast_after,
                f"{name}: force [N]": found.force,
            }
    return figures
