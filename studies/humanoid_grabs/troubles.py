# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Failure cases of a grab: scenarios that differ in one parameter, and pushes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from impact_sim.humanoid.grab_file import load_grab
from impact_sim.humanoid.plant import HumanoidPlant
from impact_sim.humanoid.senses import HumanoidNoise
from impact_trials.grab.grab_trial import GrabTrial
from impact_trials.grab.haste import HASTE
from impact_trials.grab.outcome import GrabOutcome

FORWARD, BACK = (1.0, 0.0, 0.0), (-1.0, 0.0, 0.0)
LEFT, DOWN = (0.0, 1.0, 0.0), (0.0, 0.0, -1.0)


@dataclass(frozen=True)
class PhasePush:
    """A push for a while, from a phase's beginning on."""

    force: float  # [N]
    direction: tuple[float, float, float]
    contact: str = ""  # of the robot; empty: its base
    phase: str = "approach"
    duration: float = 0.2  # [s]

    def __call__(self, plant: HumanoidPlant, phase: str, elapsed: float) -> None:
        """Push, or do not, ``elapsed`` after the beginning of a phase [s]."""
        pushes = phase == self.phase and elapsed < self.duration
        force = self.force * np.array(self.direction) if pushes else np.zeros(3)
        plant.push(force, self.contact)


@dataclass(frozen=True)
class Trouble:
    """How a trial differs from the scenario of the paper with its first box."""

    changes: Mapping[str, Any] = field(default_factory=dict)  # of the scenario's entries
    push: PhasePush | None = None
    delay: float = 0.002  # of the sensors [s]
    noise: float = 1.0  # times the usual one


TROUBLES: dict[str, Trouble] = {
    "nothing": Trouble(),
    "a box of 2.5 kg": Trouble({"box_masses": (2.5,)}),
    "a box of 5 kg": Trouble({"box_masses": (5.0,)}),
    "a box of 5 kg, gripped at 60 N": Trouble({"box_masses": (5.0,), "grip_force": 60.0}),
    "weight 40 mm left of the box's middle": Trouble({"box_com": (0.0, 0.04, 0.0)}),
    "weight 40 mm behind the box's middle": Trouble({"box_com": (-0.04, 0.0, 0.0)}),
    "a box turned by .2 rad": Trouble({"box_yaw": 0.2}),
    "a box 15 mm aside": Trouble({"box_offset": (0.0, 0.015, 0.0)}),
    "a box 40 mm aside": Trouble({"box_offset": (0.0, 0.04, 0.0)}),
    "no box": Trouble({"box_offset": (0.5, 0.0, 0.0)}),
    "palms' friction .3": Trouble({"friction": 0.3}),
    "floor's friction .2": Trouble({"floor_friction": 0.2}),
    "contacts of 4 ms": Trouble({"contact_stiffness": 1e6, "contact_damping": 190.0}),
    "unaware at .5 m/s": Trouble({"reference_speed": 0.5, "impact_limits": "unaware"}),
    "unaware at 1 m/s": Trouble({**HASTE, "impact_limits": "unaware"}),
    "toss at .6 m/s": Trouble({"toss_speed": 0.6}),
    "toss at .9 m/s": Trouble({"toss_speed": 0.9}),
    "clamp at once": Trouble({"clamp_delay": 0.0}),
    "delay of 10 ms": Trouble(delay=0.010),
    "delay of 30 ms": Trouble(delay=0.030),
    "noise times 10": Trouble(noise=10.0),
    "push of 60 N forward at the base": Trouble(push=PhasePush(60.0, FORWARD)),
    "push of 100 N forward at the base": Trouble(push=PhasePush(100.0, FORWARD)),
    "push of 60 N back at the base": Trouble(push=PhasePush(60.0, BACK)),
    "push of 100 N back at the base": Trouble(push=PhasePush(100.0, BACK)),
    "push of 100 N left at the base": Trouble(push=PhasePush(100.0, LEFT)),
    "push of 50 N back at a palm": Trouble(push=PhasePush(50.0, BACK, "left_palm")),
    "push of 100 N back at a palm": Trouble(push=PhasePush(100.0, BACK, "left_palm")),
    "push of 100 N back at a palm for 1 s": Trouble(
        push=PhasePush(100.0, BACK, "left_palm", "lift", 1.0)
    ),
    "push of 100 N down at a palm": Trouble(push=PhasePush(100.0, DOWN, "left_palm")),
}


def troubled_trial(trouble: Trouble, seed: int = 0) -> GrabTrial:
    """Return a trial of the paper's scenario with one box, but for the trouble."""
    scenario = replace(load_grab("qp_hrp4_grab"), **{"box_masses": (1.08,), **trouble.changes})
    usual = vars(HumanoidNoise())
    noise = HumanoidNoise(**{name: trouble.noise * value for name, value in usual.items()})
    return GrabTrial(scenario, seed=seed, noise=noise, delay=trouble.delay, disturb=trouble.push)


def run_trouble(trouble: Trouble, seed: int = 0) -> GrabOutcome:
    """Return what came of a trial in trouble."""
    return troubled_trial(trouble, seed).run()
