# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""A drawn impact as one step of MuJoCo: its arms with motors as armature, as rigid as it goes.

Contacts have the largest impedance that MuJoCo takes and a reference that stops them within the
step: no spring, and a damper of one over the step. Bias forces are cancelled, there is no gravity.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from impact_robots.state.frames import frame_index
from impact_robots.state.quaternions import quaternion_wxyz
from impact_sim.plant.face_contacts import CORNERS, add_face, add_shape, corner_name
from impact_sim.plant.mujoco_model import (
    add_arm,
    compiled,
    deflection_joint,
    empty_spec,
    motor_joint,
)
from studies.engines.drawn_impact import DrawnImpact
from studies.engines.engine_step import EngineContact, EngineStep, ordered_impulses
from studies.engines.plate_problem import PlateProblem

if TYPE_CHECKING:
    import mujoco

STEP = 1e-3  # [s]
IMPEDANCE = 0.9999  # mjMAXIMP
REACH = 1e-4  # gap at which a contact counts as closed: poses are rounded [m]
SOLVER = {"iterations": 200, "tolerance": 0.0, "ls_iterations": 200, "ls_tolerance": 1e-12}
BOX, SUPPORT, FEET = "box", "support", "feet"
_NO_SPRING = -1e-9


def mujoco_step(drawn: DrawnImpact, problem: PlateProblem) -> EngineStep:
    """Return what MuJoCo makes of an impact in one step.

    Args:
        drawn: the impact.
        problem: the same, at the plates.

    Raises:
        SimulationError: MuJoCo cannot compile the model, or has found other contacts.
    """
    import mujoco  # loads slowly

    model = mujoco_model(drawn)
    data = mujoco.MjData(model)
    turn = np.asarray(drawn.body.rotation)
    data.qpos[:7] = [*np.asarray(drawn.body.position), *quaternion_wxyz(turn)]
    data.qpos[7:] = np.concatenate(drawn.task.q_impact)
    data.qvel[6:] = np.concatenate(drawn.dq)
    mujoco.mj_forward(model, data)
    data.qfrc_applied[:] = data.qfrc_bias
    mujoco.mj_step(model, data)
    velocities, first = [], 6
    for plate, dq in zip(drawn.plates.values(), drawn.dq, strict=True):
        J = plate.arm.jacobian(plate.center)
        velocities.append(J @ data.qvel[first : first + len(dq)])
        first += len(dq)
    velocities += [data.qvel[:3], turn @ data.qvel[3:6]]
    impulses = ordered_impulses(problem, _contacts(model, data), "MuJoCo")
    return EngineStep(np.concatenate(velocities), impulses)


def mujoco_model(drawn: DrawnImpact) -> mujoco.MjModel:
    """Return MuJoCo's model of an impact: the box, then the arms.

    Raises:
        SimulationError: MuJoCo cannot compile it.
    """
    import mujoco  # loads slowly

    spec = empty_spec(np.zeros(3))
    spec.option.integrator = mujoco.mjtIntegrator.mjINT_EULER
    spec.option.cone = mujoco.mjtCone.mjCONE_ELLIPTIC
    spec.option.timestep = STEP
    for name, value in SOLVER.items():
        setattr(spec.option, name, value)
    body, turn = drawn.body, np.asarray(drawn.body.rotation)
    box = spec.worldbody.add_body(name=BOX, pos=body.position, quat=quaternion_wxyz(turn))
    box.add_freejoint(name=BOX)
    box.mass, box.ipos, box.explicitinertial = body.mass, np.zeros(3), True
    box.fullinertia = [*np.diag(np.asarray(body.rotational_inertia)), 0.0, 0.0, 0.0]
    for arm, name in enumerate(drawn.plates):
        _add_arm(spec, box, drawn, arm, name)
    if drawn.support is not None:
        half, height = drawn.size / 2.0, drawn.feet[0, 2]
        plane = mujoco.mjtGeom.mjGEOM_PLANE
        add_shape(spec.worldbody, SUPPORT, plane, [1.0, 1.0, 0.1], pos=[0.0, 0.0, height])
        down = np.diag([1.0, -1.0, -1.0])
        add_face(box, FEET, np.array([0.0, 0.0, -half[2]]), down, half[:2])
        _add_pairs(spec, FEET, SUPPORT, drawn.support.friction)
    return compiled(spec, f"impact {drawn.number}")


def _add_arm(spec: Any, box: Any, drawn: DrawnImpact, arm: int, name: str) -> None:
    """Add a rigid arm with its plate's corners, and the face of the box that they touch."""
    import mujoco  # loads slowly

    robot, plate, prefix = drawn.task.robots[arm], drawn.plates[name], f"{name}/"
    motors = np.asarray(plate.arm.motor_inertia)
    bodies = add_arm(spec, robot, prefix, drawn.task.bases[arm])
    for index, joint in enumerate(robot.joint_names):
        for each in list(bodies[index + 1].joints):
            if each.name == deflection_joint(prefix + joint):
                spec.delete(each)
            elif each.name == motor_joint(prefix + joint):
                each.armature = float(motors[index])
    frame = robot.model.frames[frame_index(robot.model, robot.contact_frame)]
    place, half = frame.placement, np.asarray(plate.half_extents)
    tool = bodies[frame.parentJoint]
    add_face(tool, f"{prefix}plate", place.translation, place.rotation, half)
    turn = np.asarray(drawn.body.rotation).T
    R, depth = turn @ plate.axes, float(half.max())
    at = turn @ (plate.center - np.asarray(drawn.body.position)) + depth * R[:, 2]
    size = [*(2.0 * half), depth]
    shape = mujoco.mjtGeom.mjGEOM_BOX
    add_shape(box, f"{prefix}face", shape, size, pos=at, quat=quaternion_wxyz(R))
    _add_pairs(spec, f"{prefix}plate", f"{prefix}face", plate.friction)


def _add_pairs(spec: Any, face: str, other: str, friction: float) -> None:
    """Enable contact of the corners of a face with a shape."""
    damper = -IMPEDANCE / STEP
    for corner in range(CORNERS):
        name = corner_name(face, corner)
        spec.add_pair(
            name=name,
            geomname1=name,
            geomname2=other,
            condim=3,
            friction=[friction, friction, 0.0, 0.0, 0.0],
            solimp=[IMPEDANCE, IMPEDANCE, 0.001, 0.5, 2.0],
            solref=[_NO_SPRING, damper],
            solreffriction=[_NO_SPRING, damper],
            margin=REACH,
        )


def _contacts(model: mujoco.MjModel, data: mujoco.MjData) -> list[EngineContact]:
    """Return the contacts of the last step."""
    import mujoco  # loads slowly

    found, force = [], np.zeros(6)
    for number in range(data.ncon):
        contact = data.contact[number]
        mujoco.mj_contactForce(model, data, number, force)
        axes = contact.frame.reshape(3, 3)  # rows; the first is the normal, towards geom[1]
        found.append(EngineContact(contact.pos, axes[0], STEP * axes.T @ force[:3]))
    return found
