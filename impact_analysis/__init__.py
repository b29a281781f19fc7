# SPDX-License-Identifier: Apache-2.0
"""Recordings and data sets in; comparisons, tables, plots and reports out. No ROS needed."""
