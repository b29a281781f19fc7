# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""A whole-body controller of HRP-4 in front of a box, on an ideally integrated state."""

import numpy as np
from hrp4_grab import grab_posture, palm_arrivals

from impact_qp.whole_body import PalmTarget, WholeBodyController, WholeBodyTargets
from impact_robots import ArmDynamics

PERIOD = 0.005
NO_FORCES = np.zeros((2, 3))


class Apart:
    """Palms leave their faces at a speed for half a second, and stop."""

    def __init__(self, arrivals, speed=0.2):
        self.arrivals, self.speed, self.rotations = arrivals, speed, None

    def targets(self, time, palms, palm_forces):
        self.rotations = self.rotations or [palm.rotation for palm in palms]
        away = self.speed if time < 0.5 else 0.0
        return WholeBodyTargets(
            tuple(
                PalmTarget(
                    each.contact.normal, away * each.contact.normal, each.contact.point, rotation
                )
                for each, rotation in zip(self.arrivals, self.rotations, strict=True)
            )
        )


class Ideal:
    """A controller in position mode, and a robot that does what is commanded."""

    def __init__(self, robot, half_width=0.2, phases=None, **options):
        self.robot, self.arrivals = robot, palm_arrivals(half_width)
        self.start = grab_posture(robot, half_width)
        phases = phases or Apart(self.arrivals)
        self.controller = WholeBodyController(robot, self.start, phases, **options)
        self.time, self._dynamics = 0.0, ArmDynamics(robot, "all")

    def step(self, forces=NO_FORCES):
        """Run a cycle; return its command."""
        rest = np.zeros(self.robot.nv)
        command = self.controller.update(self.time, self.start, rest, forces)
        self.time += PERIOD
        return command

    @property
    def state(self):
        """The state that is commanded."""
        return self._dynamics.state(*self.controller.reference)

    def gaps_and_speeds(self):
        """Return how far each palm is from its face, and how fast it nears it."""
        found = []
        for each in self.arrivals:
            palm = self.state.at(each.frame)
            found.append(
                (each.contact.gap(palm.position), each.contact.approach_speed(palm.velocity))
            )
        return np.array(found).T

    def hit(self, phases, most=600):
        """Come apart, then run phases until a palm arrives; return both palms' speeds."""
        while self.time < 0.7:
            assert self.step().solved
        self.controller.phases = phases
        for _ in range(most):
            assert self.step().solved
            gaps, speeds = self.gaps_and_speeds()
            if gaps.min() < 0.0:
                return speeds
        raise AssertionError(f"no palm arrived, {gaps} m away")
