# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Impact maps and simulations of legged robots against recorded landings."""
