# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The controller: phases, plan, press, takeover, and the guards of its commands."""
