# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Contact forces over time: laws, their restitution and integration."""
