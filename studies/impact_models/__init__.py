# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Wang 2022: inverse inertias, contact models, approximations and detection of one impact."""
