# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Impact laws of one contact: from velocities before to impulse and velocities after."""

from impact_robots.registry import import_modules

import_modules(__name__, __path__)  # each law registers itself
