# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""What robots are to do, and what is known of the object or surface: hit, push, grab."""
