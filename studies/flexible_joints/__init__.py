# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Rey Arias 2024: arms with flexible joints, a planar simulation and the experiment."""
