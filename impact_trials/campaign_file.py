# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The settings of a campaign, stored in its folder: only the same call can resume it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from impact_robots.cell import robot_named
from impact_robots.exceptions import UsageError
from impact_sim.scenario_choice import AnyScenario, robots_of

CAMPAIGN = "campaign.json"
_ASKED = ("seed", "trials", "robots", "scenarios")
_STORAGE = {"keep_bags": 1, "parquet": False}  # what is not written


def campaign_text(
    scenarios: Sequence[AnyScenario],
    count: int,
    seed: int,
    *,
    keep_bags: int = 1,
    parquet: bool = False,
) -> str:
    """Return a JSON document of all settings that determine the numbers of a campaign.

    Args:
        scenarios: each with the contents of its file.
        count: trials of each.
        seed: of the first trial.
        keep_bags: one trial in so many is recorded.
        parquet: the rows are in Parquet files.
    """
    names = [name for each in scenarios for name in robots_of(each)]
    robots = {name: robot_named(name).checksum for name in names}
    asked = {
        "seed": seed,
        "trials": count,
        "robots": robots,
        "scenarios": {each.name: asdict(each) for each in scenarios},
    }
    storage = {"keep_bags": keep_bags, "parquet": parquet}
    asked |= {key: value for key, value in storage.items() if value != _STORAGE[key]}
    return json.dumps(asked, indent=1) + "\n"


def check_campaign(folder: Path, asked: str) -> None:
    """Check that a folder was recorded by the same call.

    Raises:
        UsageError: by another, or its ``campaign.json`` is damaged; names the difference.
    """
    path = folder / CAMPAIGN
    try:
        before, now = json.loads(path.read_text(encoding="utf-8")), json.loads(asked)
        seed, trials, robots, scenarios = (before[key] for key in _ASKED)
        keep_bags, parquet = (before.get(key, usual) for key, usual in _STORAGE.items())
        names, wanted = ", ".join(scenarios), ", ".join(now["scenarios"])
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise UsageError(f"--record: {path} is damaged: {error}: name another folder") from None

    def differs(key: str) -> bool:
        return bool(before.get(key, _STORAGE[key]) != now.get(key, _STORAGE[key]))

    differences = (
        (f"scenario {names}, got {wanted}", list(scenarios) != list(now["scenarios"])),
        (f"--trials {trials}, got {now['trials']}", trials != now["trials"]),
        (f"--seed {seed}, got {now['seed']}", seed != now["seed"]),
        (f"--keep-bags {keep_bags}, got {now.get('keep_bags', 1)}", differs("keep_bags")),
        ("rows in Parquet files" if parquet else "rows in trials.csv", differs("parquet")),
        ("scenarios of these names, but other contents", _differ(scenarios, now["scenarios"])),
        ("robots of these names, but other contents", robots != now["robots"]),
    )
    for what, differ in differences:
        if differ:
            raise UsageError(
                f"--record: {folder} holds a campaign of {what}: give the same, or name another"
                " folder"
            )


def _differ(one: Any, other: Any) -> bool:
    """Return whether two JSON values differ; NaN equals NaN."""
    return json.dumps(one) != json.dumps(other)
