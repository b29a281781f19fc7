# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The row H23: HRP-4's palms arrive at .25 m/s, no impact limit slows them down."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from impact_sim.humanoid.grab_file import load_grab
from impact_trials.grab.grab_trial import grab_trial
from impact_trials.grab.outcome import PalmOutcome
from studies.humanoid_grabs.grab_spans import span, spanned, within
from studies.humanoid_grabs.pose_bound import pose_bound
from studies.row import Row, judged

PUBLISHED = "qp_hrp4_grab_published"  # the published experiment: two boxes at .25 m/s
SPEED = (0.235, 0.255)  # of palms that are asked for .25 [m/s]


def row_of_one_grab(seed: int) -> Row:
    """Return the row by one trial with the first of the boxes."""
    scenario = load_grab(PUBLISHED)
    trial = grab_trial(replace(scenario, box_masses=scenario.box_masses[:1]), seed)
    return speed_row([palm for box in trial.boxes for palm in box.palms], "one box, one seed")


def speed_row(palms: Sequence[PalmOutcome], setting: str) -> Row:
    """Return the row by palms of the published scenario.

    Args:
        palms: that touched a box.
        setting: how many trials they are from, in words.
    """
    speeds, robust = span(palm.speed for palm in palms), span(palm.bound for palm in palms)
    published = load_grab(PUBLISHED)
    wanted, limits = published.reference_speed, published.impact_limits
    start, at_box = (pose_bound(published, limits, at_box=each) for each in (False, True))
    least, most = (speed / wanted - 1.0 for speed in speeds)
    return judged(
        "H23",
        published=f"{wanted:g} m/s (here {SPEED[0]:g} to {SPEED[1]:g})",
        ours=f"{spanned(speeds)} m/s",
        difference=f"{least:+.1%} to {most:+.1%}",
        holds=within(speeds, SPEED) and speeds[1] < at_box,
        note="HRP-4 of this suite in MuJoCo, whole-body controller in position mode at 200 Hz,"
        f" noise and delay; {setting}. The {limits} bound, as published, is {at_box:.3f} m/s at the"
        f" box and {start:.3f} m/s where palms start: inactive. The robust one, in which palms"
        f" press on one another through the box, was {spanned(robust)} m/s there and would slow"
        " them down. A prototype had .2447 and .2470 m/s",
        figures={"palm_speed_least_mps": speeds[0], "palm_speed_most_mps": speeds[1]}
        | {"bound_at_box_mps": at_box, "bound_at_start_mps": start, "impacts": len(palms)}
        | {"robust_bound_least_mps": robust[0]},
    )
