# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""What a robot did, in 3-D in the browser: live, or from a recording."""
