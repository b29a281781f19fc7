# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""TSID's control cycle, timed in a process that ``benchmarks/beside_tsid.py`` starts.

TSID's wheel needs an older pinocchio than the project's. A line of JSON on standard input describes
the problem; each further one asks for a block, warm or cold, and a line with its times [s] answers.
"""

import gc
import json
import os
import sys
from collections.abc import Mapping
from typing import Any

import numpy as np
import pinocchio as pin
import tsid.tsid_pywrap as tsid  # the wheel of 1.7.1 has its __init__ one folder too deep
from side_by_side import State, cycle_times

PERIOD = 1e-3  # of the joint limits [s]
STIFFNESS, DAMPING = 100.0, 20.0  # of both tasks [1/s^2], [1/s]
WEIGHTS = {"frame": 1.0, "posture": 1e-2}


def main() -> None:
    """Answer until standard input ends."""
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "w")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # what the library may print is no answer
    problem = json.loads(sys.stdin.readline())
    states = [(np.array(q), np.array(dq)) for q, dq in problem["states"]]
    work = TsidCycle(problem, states[0])
    for k, state in enumerate(states):
        work(k, state)
    gc.collect()
    gc.disable()  # as in the other process
    print(json.dumps("ready"), file=answers, flush=True)
    for line in sys.stdin:
        print(
            json.dumps(cycle_times(work, states, cold=json.loads(line))), file=answers, flush=True
        )


class TsidCycle:
    """A cycle: from joint positions and velocities to accelerations and torques.

    Tasks on accelerations hold the pose and the joints of the start. Limits of joint positions,
    velocities, accelerations and torques are hard, the solver is eiquadprog's fast one.
    """

    def __init__(self, problem: Mapping[str, Any], start: State) -> None:
        """Create it.

        Args:
            problem: of ``beside_tsid.problem``.
            start: positions (n,) [rad] and velocities (n,) [rad/s].
        """
        model = _model(problem)
        robot = tsid.RobotWrapper(model, tsid.RootJointType.FIXED_BASE_SYSTEM, False)
        formulation = tsid.InverseDynamicsFormulationAccForce("tsid", robot, False)
        formulation.computeProblemData(0.0, *start)
        frame = tsid.TaskSE3Equality("frame", robot, "contact")
        pose = robot.framePosition(formulation.data(), model.getFrameId("contact"))
        frame.setReference(tsid.TrajectorySE3Constant("pose", pose).computeNext())
        posture = tsid.TaskJointPosture("posture", robot)
        posture.setReference(tsid.TrajectoryEuclidianConstant("joints", start[0]).computeNext())
        for task, size in ((frame, 6), (posture, robot.nv)):
            task.setKp(np.full(size, STIFFNESS))
            task.setKd(np.full(size, DAMPING))
            formulation.addMotionTask(task, WEIGHTS[task.name], 1, 0.0)
        limits = {name: np.array(values) for name, values in problem["limits"].items()}
        motion = tsid.TaskJointPosVelAccBounds("motion", robot, PERIOD, False)
        motion.setPositionBounds(limits["position_lower"], limits["position_upper"])
        motion.setVelocityBounds(limits["velocity"])
        motion.setAccelerationBounds(limits["acceleration"])
        formulation.addMotionTask(motion, 1.0, 0, 0.0)
        torques = tsid.TaskActuationBounds("torques", robot)
        torques.setBounds(-limits["torque"], limits["torque"])
        formulation.addActuationTask(torques, 1.0, 0, 0.0)
        self._solver = tsid.SolverHQuadProgFast("solver")
        self._solver.resize(formulation.nVar, formulation.nEq, formulation.nIn)
        self._formulation = formulation
        self._kept = (robot, frame, posture, motion, torques)  # the formulation only refers to them

    def __call__(self, k: int, state: State) -> object:
        """Return accelerations [rad/s^2] and torques [N.m] in a state, at its time."""
        found = self._solver.solve(self._formulation.computeProblemData(k * PERIOD, *state))
        if found.status:
            raise RuntimeError(f"state {k}: TSID's solver ended with status {found.status}")
        formulation = self._formulation
        return formulation.getAccelerations(found), formulation.getActuatorForces(found)


def _model(problem: Mapping[str, Any]) -> pin.Model:
    """Return the arm with its tool."""
    model = pin.buildModelFromXML(problem["urdf"])
    for joint, (mass, centre, inertia) in enumerate(problem["inertias"]):
        model.inertias[joint] = pin.Inertia(mass, np.array(centre), np.array(inertia))
    model.armature = np.array(problem["armature"])
    placement = pin.SE3(np.array(problem["rotation"]), np.array(problem["translation"]))
    contact = pin.Frame("contact", problem["joint"], 0, placement, pin.FrameType.OP_FRAME)
    model.addFrame(contact, False)
    return model


if __name__ == "__main__":
    main()
