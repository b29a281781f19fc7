# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Pushes and grabs with failures: the loop of a trial, with injected faults."""

from dataclasses import dataclass, replace

import numpy as np

from impact_sim.cell.cell_simulation import CellSimulation
from impact_sim.cell.watched_cell import WatchedCell
from impact_trials.in_process.spread_controller import SpreadAnswers, spread_answers
from impact_trials.in_process.spreading_trial import cell_session
from impact_trials.lockstep import ArmTurn, cell_lockstep
from impact_trials.trial import DetectorLog
from impact_trials.truth.cell_truth import CellLog

FAR = 5.0  # where a box is in nobody's way [m]


@dataclass
class Mishap:
    """What happened in one trial."""

    log: CellLog
    answers: tuple[SpreadAnswers, ...]

    @property
    def times(self):
        return np.array(self.log.times)

    @property
    def torques(self):
        """Sensed, shape (k, arms, n)."""
        return np.array(self.log.torques)

    @property
    def positions(self):
        """Of the joints, shape (k, arms, n)."""
        return np.array(self.log.links)[:, :, 0]

    @property
    def speeds(self):
        """Of the joints, shape (k, arms, n)."""
        return np.array(self.log.links)[:, :, 1]

    def column(self, name):
        """Return an entry of each arm's commands, one row an arm."""
        return [[getattr(each, name) for each in answer.commands] for answer in self.answers]

    @property
    def stops(self):
        return [answer.controller.stop for answer in self.answers]


def run(scenario, duration, *, announced=None, hand=None, hears=None, seed=0):
    """Run a scenario for a ``duration`` [s].

    Args:
        scenario: of the plant.
        duration: from the start on.
        announced: scenario of the controllers; None: the plant's.
        hand: gets plant and time before each cycle; may do anything.
        hears: gets time, arm and whether its detector holds that it has hit; returns that anew.
        seed: of the noise and of where the box stands.
    """
    plant = WatchedCell(scenario.layout(scenario.drawn(seed)))
    answers = spread_answers(announced or scenario)
    turns = [ArmTurn(answer, cell_session(scenario, arm)) for arm, answer in enumerate(answers)]
    log = CellLog(plant, tuple(DetectorLog() for _ in turns))

    def heard(statuses):
        if hand is not None:
            hand(plant, plant.time)
        if hears is None:
            return statuses
        return [
            each._replace(impact=hears(plant.time, arm, each.impact))
            for arm, each in enumerate(statuses)
        ]

    start = [np.array(q) for q in scenario.q_start]
    for cycles in cell_lockstep(CellSimulation(plant, seed=seed), turns, start, heard=heard):
        log.add(cycles)
        if log.times[-1] >= duration:
            return Mishap(log, answers)
    raise AssertionError("the lockstep has no end")


def missing(scenario):
    """Return the scenario without its box: it stands where nobody comes."""
    return replace(scenario, box_offset=(FAR, 0.0, 0.0))


def vanishes(after):
    """Return a hand that takes the box away at a time [s]."""

    def hand(plant, time):
        if time >= after:
            first = plant.model.nq - 7
            plant.data.qpos[first : first + 3] = [FAR, 0.0, 0.3]

    return hand


def slips(after):
    """Return a hand that takes the plates' friction away at a time [s]: the box falls out."""

    def hand(plant, time):
        if time >= after:
            for pair in range(plant.model.npair):
                if "plate" in plant.model.pair(pair).name:
                    plant.model.pair_friction[pair, :2] = 1e-4

    return hand


def drawn(scenario, hit, seed):
    """Return the scenario with a box from the inside of the ranges of a hit.

    The plant's damper is linear: its ratio, not the restitution, is drawn, from that of a free box
    that leaves with 0.3 to a critical one.
    """
    random = np.random.default_rng([seed, 77])
    mass = random.uniform(*hit.mass)
    stiffness = np.exp(random.uniform(*np.log(hit.stiffness)))
    return replace(
        scenario,
        box_mass=mass,
        contact_frequency=float(np.sqrt(stiffness / mass)),
        contact_damping=random.uniform(0.55, 1.0),
        plate_friction=random.uniform(*hit.friction),
        box_offset=(0.0, random.uniform(-0.015, 0.015), 0.0),
        variation={},
    )


def loaded(mass, after):
    """Return a hand that hangs a payload [kg] on each arm's last link at a time [s]."""

    def hand(plant, time):
        model = plant.model
        links = [k for k in range(model.nbody) if model.body(k).name.endswith("joint7")]
        if time >= after and not known:
            known.extend(links)
            model.body_mass[links] += mass

    known: list[int] = []
    return hand
