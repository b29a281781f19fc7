# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Messages, requests and markers of the predictor's node."""
