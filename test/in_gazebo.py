# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The exported world and arm in Gazebo's physics, without Gazebo's server: a simulated driver.

What Gazebo has between ros2_control and the physics is here too: efforts are held over the steps of
a cycle. The physics is that of ``gazebo_plugin`` or ``gazebo_dart``.
"""

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from impact_detector.signals.sample import FUSED
from impact_robots import ArmDynamics, PointState
from impact_sim import load_scenario
from impact_sim.driver.simulation import CYCLE_NS, SAMPLES_PER_CYCLE, Measurement
from impact_sim.export.gazebo_files import gazebo_files
from impact_sim.export.gazebo_world import STEP
from impact_trials.in_process.impact_trial import qp_controller
from impact_trials.lockstep import lockstep
from impact_trials.trial import detector_session

LONGEST = 3.0  # [s]


class GazeboTouch(NamedTuple):
    """The step of the physics in which the arm first touched the wall."""

    time: float  # when it began [s]
    q: np.ndarray  # joint positions then, shape (n,) [rad]
    dq: np.ndarray  # joint velocities then, shape (n,) [rad/s]
    impulse: np.ndarray  # on the robot, base axes, shape (3,) [N.s]


class InGazebo:
    """The exported arm in front of the exported wall, as a driver: efforts in, states out.

    Attributes:
        touch: the first contact, None before it.
    """

    def __init__(self, physics):
        self.physics = physics

    def reset(self, q, dq=None):
        self.physics.place(q, np.zeros(len(q)) if dq is None else dq)
        self.steps, self.touch = 0, None
        return self._measure(np.zeros(3))

    def step(self, command):
        """Advance one cycle of the driver, with the same efforts at each step of the physics."""
        for _ in range(round(CYCLE_NS * 1e-9 / STEP)):
            q, dq, _ = self.physics.state()
            force = self.physics.step(command)
            if self.touch is None and force.any():
                self.touch = GazeboTouch(self.steps * STEP, q, dq, force * STEP)
            self.steps += 1
        return self._measure(force)

    def _measure(self, force):
        q, dq, torque = self.physics.state()
        forces = np.broadcast_to(force, (SAMPLES_PER_CYCLE, 3))
        return Measurement(round(self.steps * STEP * 1e9), q, dq, torque, forces)


class GazeboHit(NamedTuple):
    """A hit of the suite's controller; the plant's numbers."""

    state: PointState  # just before
    speed: float  # along the normal [m/s]
    impulse: float  # along the normal [N.s]
    detected_after: float  # by `fused` [s]
    largest: float  # statistic of `fused` before contact


def engine_robot(kind, robot):
    """Return the arm as an engine can have it: with weight, where links cannot be without."""
    return robot if kind.weightless else replace(robot, driver_compensates_gravity=False)


def hit(kind, robot, scenario, folder, speed):
    """Export as ``impact export gazebo`` does, and let controller and detector hit with that.

    The wall's friction is the scenario's, the controller's that of the scenario of that name.
    """
    for name, text in gazebo_files(folder, robot, scenario, speed).items():
        (folder / name).write_text(text)
    arm, told = InGazebo(kind(folder, robot.joint_names)), load_scenario(scenario.name)
    told = replace(told, controller=scenario.controller)
    controller, session, largest = qp_controller(told, robot), detector_session(told, robot), 0.0
    for cycle in lockstep(arm, controller, session, told.start(robot)):
        if any(found.detector == FUSED for found in cycle.detections):
            break
        if arm.touch is None and cycle.status.ready:
            largest = max(largest, cycle.status.statistic)
        assert cycle.measurement.time < LONGEST, "nothing was detected"
    assert arm.touch is not None, f"false alarm at {cycle.measurement.time} s"
    state, normal = ArmDynamics(robot)(arm.touch.q, arm.touch.dq), np.array(scenario.normal)
    return GazeboHit(
        state,
        -float(normal @ state.velocity),
        float(normal @ arm.touch.impulse),
        cycle.measurement.time - arm.touch.time,
        largest,
    )
