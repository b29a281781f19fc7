# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Balance of a standing robot: which push makes it fall, in closed form."""
