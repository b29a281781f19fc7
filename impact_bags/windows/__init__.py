# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Contact windows of recordings as tables, in HDF5 or Parquet."""
