# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""How results are shown: tables as text, JSON, CSV and HTML; numbers; JSON documents."""
