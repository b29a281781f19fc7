# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""An exported arm in MuJoCo with the hardware interface of ros2_control."""

import mujoco
import numpy as np

from impact_robots import ArmDynamics
from impact_sim.driver.arm_driver import CYCLE_NS
from impact_sim.driver.simulation import SAMPLES_PER_CYCLE, Measurement
from impact_sim.export.mjcf import mjcf_of, scenario_wall
from impact_sim.export.wall_mjcf import WALL


class Exported:
    """The exported arm as ``mujoco_ros2_control`` runs it: commands in, states and sensors out."""

    def __init__(self, arm, q, wall=None):
        self.arm = arm
        self.model = mujoco.MjModel.from_xml_string(mjcf_of(arm, q, wall))
        self.data = mujoco.MjData(self.model)
        self.links, self.motors = (
            np.array([self.model.joint(name).dofadr[0] for name in names])
            for names in (arm.robot.joint_names, arm.motors)
        )
        self.reset()

    def reset(self, _q=None, dq=None):
        """Begin where the keyframe says, moving with ``dq``."""
        mujoco.mj_resetDataKeyframe(self.model, self.data, self.model.key("start").id)
        self.data.qvel[self.links] = self.data.qvel[self.motors] = 0.0 if dq is None else dq
        mujoco.mj_forward(self.model, self.data)
        self.force, self.touch = np.zeros((0, 3)), None
        return self._measure()

    @property
    def q(self):
        return self.data.qpos[self.links]

    @property
    def dq(self):
        return self.data.qvel[self.links]

    @property
    def torque(self):
        """What is published as the joints' effort: the negative of MuJoCo's sensors."""
        names = self.arm.robot.joint_names
        return -np.array([self.data.sensor(f"{name}_torque").data[2] for name in names])

    @property
    def impulse(self):
        return self.force.sum(axis=0) * self.model.opt.timestep

    def advance(self, duration):
        """Integrate [s], and keep the force on the robot and the state of contact."""
        forces = []
        for _ in range(round(duration / self.model.opt.timestep)):
            before = self.q.copy(), self.dq.copy()
            mujoco.mj_step(self.model, self.data)
            forces.append(self.data.sensor(f"{WALL}_force").data.copy())
            if self.touch is None and forces[-1].any():
                self.touch = (self.data.time - self.model.opt.timestep, *before)
        self.force = np.vstack([self.force, *forces])

    def step(self, command):
        """As a Simulation's: one cycle with a command."""
        self.data.ctrl[:] = command
        self.advance(CYCLE_NS * 1e-9)
        return self._measure()

    def _measure(self):
        forces = np.zeros((SAMPLES_PER_CYCLE, 3)) if self.touch is None else self.force[-1:]
        forces = np.broadcast_to(forces, (SAMPLES_PER_CYCLE, 3))
        time = round(self.data.time * 1e9)
        return Measurement(time, self.q.copy(), self.dq.copy(), self.torque, forces)


def hit(arm, scenario, speed):
    """Let the arm hit the wall under gravity compensation; return it, its state and velocity."""
    q = np.array(scenario.q_impact)
    wall = scenario_wall(arm, scenario, speed)
    exported = Exported(arm, q, wall)
    state = ArmDynamics(arm.robot)(q, np.zeros(arm.robot.dof))
    dq = np.linalg.pinv(state.J) @ np.append(-speed * wall.surface.normal, np.zeros(3))
    exported.reset(dq=dq)
    exported.advance(0.04)
    return exported, state, dq
