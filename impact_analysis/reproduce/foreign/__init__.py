# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""How true an analysis is of arms that the suite does not know."""
