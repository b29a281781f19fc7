# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The controller: phases, plan, press, takeover, and what guards its commands."""
