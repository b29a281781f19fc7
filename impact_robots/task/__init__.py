# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Tasks of robots (hit, push, grab), with the known data of object or surface."""
