# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""One state of a robot by pinocchio, and the motion of any of its points."""
