# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""One strike after another in one simulation, with detector and guarded controller in the loop."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from impact_detector.parameters import DetectorParameters, session_for
from impact_detector.session import DetectorSession
from impact_detector.signals.sample import FUSED, Detection
from impact_predictor.joint_load.load_limits import load_limits
from impact_predictor.strike.striker import Striker
from impact_qp.control.command import Command
from impact_qp.control.controller import ImpactController
from impact_qp.control.phases import Phase
from impact_qp.strike.strike_record import StrikeRows
from impact_robots.dynamics import ArmDynamics
from impact_ros.parameters import from_values
from impact_sim.arm.hammer_simulation import HammerSimulation
from impact_sim.arm.loaded_plant import LoadedPlant
from impact_sim.driver.simulation import START_NS
from impact_sim.exceptions import SimulationError
from impact_trials.in_process.guarded_answers import GuardedAnswers
from impact_trials.lockstep import ArmTurn, Cycle

LONGEST = 10.0  # of a strike, from rest to rest [s]
Record = Callable[[Cycle, Command], None]


class StrikeTruth(NamedTuple):
    """What a strike truly was."""

    speed: float  # of the head along the strike at contact [m/s]
    used: float  # largest fraction of a limit of the joints [-]
    depth: float  # of the nail after it [m]
    q: np.ndarray  # of the joints at contact, shape (n,) [rad]


class Strike(NamedTuple):
    """One strike as the controller knows it, and its truth."""

    rows: StrikeRows
    contact: float | None  # time of the detected contact [s]; None: nothing was hit
    truth: StrikeTruth | None  # None: nothing was hit
    fault: str = ""  # why the controller stopped


class StrikeBench:
    """A simulated arm with its tool in front of a target."""

    def __init__(self, simulation: HammerSimulation, striker: Striker, q: np.ndarray) -> None:
        """Put the arm somewhere.

        Args:
            simulation: of the arm with the true tool.
            striker: arm and tool as they are known; its window of the load counts.
            q: joint positions at the start, shape (n,) [rad].
        """
        self._simulation, self._striker = simulation, striker
        simulation.plant.window = striker.window
        self._measured = simulation.reset(q)

    @property
    def q(self) -> np.ndarray:
        """Measured joint positions, shape (n,) [rad]."""
        return self._measured.q

    def strike(self, controller: ImpactController, record: Record | None = None) -> Strike:
        """Carry out one strike, from rest to rest.

        Args:
            controller: of the strike, new.
            record: called with each cycle and its command.

        Raises:
            SimulationError: the arm does not come to rest.
            AnalysisError: the controller stopped; gives the reason.
        """
        controller.reset()
        answers = GuardedAnswers(controller)
        self._simulation.plant.forget()
        turn = ArmTurn(answers, self._session(controller))
        rows, found = list[tuple[np.ndarray, ...]](), list[Detection]()
        began, phase = self._measured.time, Phase.APPROACH
        let_go: int | None = None  # time [ns]
        while phase is not Phase.HOLD:
            measured = self._measured
            cycle = turn.answer(measured, turn.detect(measured))
            phase = answers.command.phase
            if let_go is None and phase is Phase.COAST:
                let_go = cycle.time
            found += [each for each in cycle.detections if each.detector == FUSED]
            row = measured.time, measured.q, measured.dq, measured.tau
            rows.append(tuple(np.array(each) for each in row))
            if record is not None:
                record(cycle, answers.command)
            self._measured = self._simulation.step(cycle.answer.command)
            if measured.time - began > LONGEST:
                raise SimulationError(f"strike: the arm does not come to rest within {LONGEST:g} s")
        columns = StrikeRows(*(np.array(each) for each in zip(*rows, strict=True)))
        contact = _contact(found, let_go)
        return Strike(columns, contact, self.truth, answers.guarded.fault)

    def _session(self, controller: ImpactController) -> DetectorSession:
        normal = controller.plan.contact.normal.tolist()
        values = {"contact_normal": normal, "wrench_normal": normal, "lockstep": True}
        parameters = from_values(DetectorParameters, values)
        return session_for(parameters, controller.robot, estimates=False)

    @property
    def truth(self) -> StrikeTruth | None:
        """The strike up to now as it truly is, None if nothing was hit."""
        plant, striker = self._simulation.plant, self._striker
        if plant.contact_start is None:
            return None
        start, wall = plant.contact_start, plant.wall
        assert wall is not None  # of every simulation of a tool
        state = ArmDynamics(plant.robot).state(start.q, start.dq)
        velocity = state.at(*plant.contact).velocity
        speed, q = wall.surface.approach_speed(velocity), start.q[: striker.robot.dof]
        return StrikeTruth(speed, float(true_use(plant, striker).max()), plant.wall_motion[0], q)


def true_use(plant: LoadedPlant, striker: Striker) -> np.ndarray:
    """Return the largest fraction of a limit that a strike used of each joint, shape (n,) [-].

    Args:
        plant: after the strike; its own torques count.
        striker: whose arm has the limits.

    Raises:
        SimulationError: there was no contact.
    """
    n, load = striker.robot.dof, striker.joints_of(plant.load)
    used = load_limits(striker.robot, plant.torque_before[:n]).used(load)
    return used[: 2 * n].reshape(2, n).max(axis=0)  # of changes and ranges


def _contact(found: list[Detection], let_go: int | None) -> float | None:
    """Return the time of the first impact after the arm let go [s]."""
    if let_go is None:
        return None
    times = [each.impact_time for each in found if each.impact_time >= let_go]
    return (times[0] - START_NS) * 1e-9 if times else None
