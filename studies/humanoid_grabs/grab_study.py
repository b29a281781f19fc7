# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The whole study: grabs of each scenario over seeds, bounds at the poses, a trial per failure."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from impact_sim.humanoid.grab_file import grab_names, load_grab
from impact_trials.grab.grab_trial import grab_trial
from impact_trials.grab.outcome import BoxOutcome, GrabOutcome, PalmOutcome
from impact_trials.processes import in_order
from studies.humanoid_grabs.pose_bound import pose_bound
from studies.humanoid_grabs.tracked_speed import PUBLISHED
from studies.humanoid_grabs.troubles import TROUBLES, run_trouble

TRIALS = 20  # of each scenario that something is promised of; of others one in five
FAST = ("qp_hrp4_grab_fast_narrow", "qp_hrp4_grab_fast", "qp_hrp4_grab_fast_wide")  # at .5 m/s
ASIDE = "qp_hrp4_grab_aside"  # one palm is first
TORQUE, POSITION = "qp_hrp4_grab_torque", "qp_hrp4_grab"  # the same grab by both interfaces
PROMISED = (PUBLISHED, *FAST, ASIDE, TORQUE)
OTHERS = 5  # one trial for as many of a scenario that something is promised of


class GrabTask(NamedTuple):
    """A trial that is to be made."""

    name: str  # of a scenario, or of a trouble
    seed: int
    trouble: bool = False


class GrabStudy(NamedTuple):
    """What was found."""

    seed: int
    grabs: dict[str, list[GrabOutcome]]  # trials by scenario
    bounds: dict[str, float]  # robust one on both palms at the box, by scenario [m/s]
    troubles: dict[str, GrabOutcome]

    @property
    def trials(self) -> list[GrabOutcome]:
        """Trials of all scenarios."""
        return [each for found in self.grabs.values() for each in found]

    def boxes(self, *names: str) -> list[BoxOutcome]:
        """Return the boxes of scenarios."""
        return [box for name in names for trial in self.grabs[name] for box in trial.boxes]

    def palms(self, *names: str) -> list[PalmOutcome]:
        """Return the palms that touched a box in scenarios."""
        return [palm for box in self.boxes(*names) for palm in box.palms]


def tasks(trials: int, seed: int) -> list[GrabTask]:
    """Return the runs; with more trials those of fewer stay as they are."""
    counts = {n: trials if n in PROMISED else max(1, trials // OTHERS) for n in grab_names()}
    grabs = [GrabTask(name, seed + k) for name, count in counts.items() for k in range(count)]
    return grabs + [GrabTask(name, seed, trouble=True) for name in TROUBLES]


def run(trials: int, seed: int, jobs: int, progress: Callable[[float, str], None]) -> GrabStudy:
    """Return what was found; the number of processes changes nothing.

    Args:
        trials: of each scenario that something is promised of.
        seed: of the first trial of each scenario, and of all troubles.
        jobs: processes; with 1 it is this one.
        progress: called with the fraction done and a note.

    Raises:
        AnalysisError: a process died.
    """
    wanted = tasks(trials, seed)
    found = GrabStudy(seed, {name: [] for name in grab_names()}, pose_bounds(), {})
    results = in_order(run_task, [(task,) for task in wanted], jobs, "reproduce hrp4")
    for done, (task, outcome) in enumerate(zip(wanted, results, strict=True), 1):
        if task.trouble:
            found.troubles[task.name] = outcome
        else:
            found.grabs[task.name].append(outcome)
        progress(done / len(wanted), f"{done} of {len(wanted)} trials")
    return found


def run_task(task: GrabTask) -> GrabOutcome:
    """Make one trial."""
    if task.trouble:
        return run_trouble(TROUBLES[task.name], task.seed)
    return grab_trial(load_grab(task.name), task.seed)


def pose_bounds() -> dict[str, float]:
    """Return the robust bound on both palms' speed at each scenario's box [m/s]."""
    return {name: pose_bound(load_grab(name)) for name in grab_names()}
