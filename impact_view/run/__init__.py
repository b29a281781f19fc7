# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""What is shown of a run: collected from a recording, or as it is made."""
