# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Van Steen 2025: hit-and-push, grabbing, and control by predicted velocities."""
