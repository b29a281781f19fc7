# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""A hit of the FR3's loop: as the record of an experiment, and as a recording."""
