# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Figures of the papers, from the files in data/; data/README.md lists their sources."""

from __future__ import annotations

import csv
from functools import cache
from pathlib import Path

DATA = Path(__file__).parent / "data"
PLANAR_ARM = DATA / "panda_planar.yaml"


def read(name: str) -> list[dict[str, str]]:
    """Return the rows of ``data/NAME.csv``."""
    with (DATA / f"{name}.csv").open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


@cache
def claims() -> dict[str, dict[str, str]]:
    """Return the rows of headline_results.csv by their id."""
    return {row["id"]: row for row in read("headline_results")}


@cache
def decisions() -> dict[str, str]:
    """Return what would decide a claim by its id: all published ones, and own ones that differ."""
    return {row["id"]: row["decided_by"] for row in read("decided_by")}


@cache
def _parameters() -> dict[str, str]:
    return {row["key"]: row["value"] for row in read("parameters")}


def parameter(key: str) -> tuple[float, ...]:
    """Return the numbers of an entry of parameters.csv, in its unit, such as ``qp.mu_cfg1``."""
    return tuple(float(part) for part in _parameters()[key].split(";"))
