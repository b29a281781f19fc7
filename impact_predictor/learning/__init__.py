# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Wall and joints learned from an arm's own hits, and the speed that is safe for the next one."""
