# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The suite's claims about learned walls, compared with the results of the study."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from studies.learned_walls.learn_run import HITS, RUN_UP, LearnRun
from studies.learned_walls.learn_study import LearnStudy
from studies.learned_walls.learn_tables import EXCHANGED, by_case, counted, covered, shares, study
from studies.learned_walls.learn_truth import BEFORE_EXCHANGE, KINDS
from studies.row import OURS, ClaimTable, Row, promised

# Least speed over the highest safe one at the last hit: median, and the 5 % of soft walls, of which
# nobody knows how hard they are deeper; lowest fraction of true intervals.
FAST, SOFT, COVERED = 0.85, 0.3, 0.9


def table(found: LearnStudy) -> ClaimTable:
    """Return the claims with their results and reasons."""
    known = [run for kind in KINDS if kind.known_form for run in found.of(kind.name)]
    steady = [run for run in known if run.kind != EXCHANGED]
    rows = (
        _safe("W1", "walls and arms of a form that the model knows", known),
        _safe("W2", "joint friction, links of another mass: unknown to the model", _others(found)),
        _fast("W3", steady, 50, FAST),
        _fast("W4", steady, 5, SOFT),
        *_exchanged("W5", found.of(EXCHANGED)),
        _intervals("W6", known),
    )
    cases = study(found)
    return ClaimTable("learn", "Walls and joints learned from hits", rows, (cases,), by_case(cases))


def _others(found: LearnStudy) -> list[LearnRun]:
    """Return the runs whose truth has a form that the model does not know."""
    return [run for kind in KINDS if not kind.known_form for run in found.of(kind.name)]


def _safe(id_: str, which: str, runs: Sequence[LearnRun]) -> Row:
    loads = counted(runs)
    over, highest = int((loads > 1.0).sum()), float(loads.max())
    return promised(
        id_,
        OURS,
        f"no hit takes a joint over its limit of change or range: {which}",
        "0",
        f"{over}/{len(loads)}; highest load {highest:.3f} of its limit",
        str(over),
        over == 0,
        f"closed loop, sensor noise, {len(runs)} drawn walls and arms, {HITS} hits each, 12 poses;"
        " without the first hit on an exchanged wall",
        figures={
            "truths": len(runs),
            "hits": len(loads),
            "over_limit": over,
            "highest_load": highest,
        },
    )


def _fast(id_: str, runs: Sequence[LearnRun], percent: int, least: float) -> Row:
    share = float(np.nanpercentile(shares(runs)[:, -1], percent))
    name = "median" if percent == 50 else f"{percent} %"
    limited = sum(run.arm_limits for run in runs)
    return promised(
        id_,
        OURS,
        f"speed of hit {HITS} over that which perfect knowledge would allow: {name}",
        f">= {least:g}",
        f"{share:.3f}",
        f"{share / least - 1.0:+.0%}",
        share >= least,
        f"{len(runs)} drawn walls and arms; at {limited} of them more is safe than the arm keeps"
        f" on a run-up of {RUN_UP:g} m within its joints' speed limits, which then counts instead",
        figures={"truths": len(runs), "speed_share": share, "arm_limits": limited},
    )


def _exchanged(id_: str, runs: Sequence[LearnRun]) -> list[Row]:
    if not runs:
        return []
    noticed = sum(run.changed[BEFORE_EXCHANGE] for run in runs)
    later = np.array([run.loads[BEFORE_EXCHANGE + 1 :] for run in runs])
    over, first = int((later > 1.0).sum()), counted(runs, at_exchange=True)
    return [
        promised(
            id_,
            OURS,
            "a wall that is exchanged and nobody says so is noticed by the first hit on it, and"
            " never hit too fast afterwards",
            "all noticed, 0 above",
            f"{noticed}/{len(runs)} noticed, {over} above afterwards",
            f"{len(runs) - noticed}; {over}",
            noticed == len(runs) and over == 0,
            f"after hit {BEFORE_EXCHANGE} a drawn one, its stiffness another by three times or"
            f" more; that first hit itself is above a limit in {int((first > 1.0).sum())} of"
            f" {len(first)}, up to {first.max():.1f}: only who says so is spared it",
            figures={
                "truths": len(runs),
                "noticed": int(noticed),
                "over_limit_afterwards": over,
                "over_limit_at_exchange": int((first > 1.0).sum()),
                "highest_load_at_exchange": float(first.max()),
            },
        )
    ]


def _intervals(id_: str, runs: Sequence[LearnRun]) -> Row:
    wall, joints = (covered(runs, what) for what in ("wall", "joints"))
    return promised(
        id_,
        OURS,
        "the ranges that are learned hold the truth",
        f">= {COVERED:.0%}",
        f"wall {wall:.1%}, joints {joints:.1%}",
        f"{min(wall, joints) - COVERED:+.1%}",
        min(wall, joints) >= COVERED,
        "three standard deviations on either side, as they are written to YAML, after the last"
        " hit: each figure of the wall, each of the joints",
        figures={"wall_in_interval": wall, "joints_in_interval": joints},
    )
