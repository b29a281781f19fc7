# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""A grab by plain inverse kinematics, a step per cycle to the palms' poses: a baseline."""

import numpy as np

from impact_qp.body.grab_phases import GrabPhases, box_arrivals
from impact_qp.body.guarded_grab import GrabAnswer
from impact_qp.body.progress import GrabProgress
from impact_qp.limits.impact_limits.contact import NO_BOUND
from impact_qp.whole_body import arrival_speed
from impact_robots import load_robot
from impact_robots.task.palm_task import PALMS, PERIOD
from impact_robots.task.stance import Stance


class StanceFollower:
    """Answers states as ``GuardedGrab`` does; soles and centre of mass stay.

    It has no dynamics, no guards and no limits but the joint ranges, and uses only the measured
    forces on the palms.
    """

    def __init__(self, task):
        robot = load_robot(task.robot)
        arrivals, at_box = box_arrivals(task, robot), task.grabbing(robot)
        cap = arrival_speed(robot, at_box, arrivals, task.impact_limits).speed
        self._phases = GrabPhases(task, PERIOD, arrivals, cap)
        self._solver, self._q, self._zero = task.solver(robot), task.start(robot), None
        whole = self._solver.stance(self._q)
        soles = [each.name for each in robot.contacts if each.half_extents]
        self._soles = {name: whole.contacts[name] for name in soles}
        self._com = whole.com

    @property
    def state(self):
        return self._phases.state

    def answer(self, stamp, state, timeout):
        self._zero = stamp if self._zero is None else self._zero
        places = self._solver.stance(self._q).contacts
        self._phases.advance(
            (stamp - self._zero) * 1e-9,
            np.array([places[palm].translation for palm in PALMS]),
            state.palm_forces,
        )
        stance = Stance(self._soles | self.state.pair.poses, self._com)
        self._q, _ = self._solver.step(self._q, stance)
        said = GrabProgress.of(self.state, NO_BOUND.speed, solved=True)
        return GrabAnswer(self._q[7:].copy(), np.zeros(len(self._q) - 7), (), said, "")
