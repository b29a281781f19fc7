# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Contact forces over time: laws, their restitution and integration."""

from impact_robots.registry import import_modules

# Each law registers itself; the order is that of options and messages.
import_modules(__name__, __path__, first=("lumped_laws", "laws"))
