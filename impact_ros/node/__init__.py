# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The life of a node: started, spun, guarded where messages come in, ended in order."""
