# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""A hit of an object by arms with flat plates as one step of MuJoCo, as rigid as it goes.

The arms are MuJoCo's own, link by link, with their motors as armature. Contacts have the largest
impedance that MuJoCo takes and a reference that stops them within the step: no spring, and a damper
of one over the step. Bias forces are cancelled and there is no gravity, so velocities after the
step scale with those before it. Its law is the convex relaxation of Coulomb's (Anitescu, Todorov),
where a contact that slides lifts off at mu |v_T|.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pinocchio as pin

from impact_predictor.exceptions import EngineError
from impact_predictor.multicontact.bodies import FreeBody
from impact_predictor.multicontact.contacts import face_points
from impact_predictor.multicontact.object_impact import OBJECT, Footing, Plate, check_names
from impact_robots import contact_rotation
from impact_robots.mujoco_links import add_links, add_shape, empty_spec, joint_axis
from impact_robots.state.quaternions import quaternion_wxyz

if TYPE_CHECKING:
    import mujoco

STEP = 1e-3  # [s]
IMPEDANCE = 0.9999  # mjMAXIMP
REACH = 1e-4  # gap at which a contact counts as closed: poses are rounded [m]
TIP = 0.005  # radius of the points that touch [m]
SOLVER = {"iterations": 200, "tolerance": 0.0, "ls_iterations": 200, "ls_tolerance": 1e-12}
_SUPPORT = "support"
_NO_SPRING = -1e-9


class EngineContact(NamedTuple):
    """One contact as an engine has it."""

    point: np.ndarray  # in the world, shape (3,) [m]
    normal: np.ndarray  # towards the body that receives the impulse, in the world, shape (3,)
    impulse: np.ndarray  # on that body, in the world, shape (3,) [N.s]


class MujocoStep(NamedTuple):
    """Velocities after the step, and the contacts in it."""

    joints: dict[str, np.ndarray]  # of each arm, shape (n,) [rad/s]
    body: np.ndarray  # twist of the object, [linear of the COM; angular], world axes, shape (6,)
    contacts: list[EngineContact]


def mujoco_step(
    plates: Mapping[str, Plate], body: FreeBody, support: Footing | None = None
) -> MujocoStep:
    """Return what MuJoCo makes of a hit in one step.

    Args:
        plates: of the arms, by name; they lie flat on the object, which has a face there.
        body: the object.
        support: that it stands on; None: it is free, or lifted.

    Raises:
        EngineError: MuJoCo is not installed, cannot compile the model, or has missed a contact.
        OutOfRangeError: no arm, or one that is called "object".
    """
    check_names(plates)
    try:
        import mujoco  # loads slowly
    except ImportError:
        raise EngineError("mujoco: expected the package mujoco, which is not installed") from None
    model = mujoco_model(plates, body, support)
    data, turn = mujoco.MjData(model), np.asarray(body.rotation, dtype=float)
    places = {name: _places(model, name, plate) for name, plate in plates.items()}
    data.qpos[:7] = [*np.asarray(body.position), *quaternion_wxyz(turn)]
    v = body.velocity()
    data.qvel[:6] = [*v[:3], *(turn.T @ v[3:])]
    for name, plate in plates.items():
        data.qpos[1 + places[name]] = plate.arm.state.q  # a free joint has one position more
        data.qvel[places[name]] = plate.arm.velocity()
    mujoco.mj_forward(model, data)
    data.qfrc_applied[:] = data.qfrc_bias
    mujoco.mj_step(model, data)
    if data.ncon != model.npair:
        raise EngineError(f"mujoco: expected {model.npair} contacts, got {data.ncon}")
    after = {name: data.qvel[own].copy() for name, own in places.items()}
    twist = np.concatenate([data.qvel[:3], turn @ data.qvel[3:6]])
    return MujocoStep(after, twist, _contacts(model, data))


def mujoco_model(
    plates: Mapping[str, Plate], body: FreeBody, support: Footing | None = None
) -> mujoco.MjModel:
    """Return MuJoCo's model of a hit: the object, then the arms; arguments as above.

    Raises:
        EngineError: MuJoCo cannot compile it.
    """
    import mujoco  # loads slowly

    spec = empty_spec(np.zeros(3))
    spec.option.integrator = mujoco.mjtIntegrator.mjINT_EULER
    spec.option.cone = mujoco.mjtCone.mjCONE_ELLIPTIC
    spec.option.timestep = STEP
    for name, value in SOLVER.items():
        setattr(spec.option, name, value)
    turn, inertia = np.asarray(body.rotation, dtype=float), np.asarray(body.rotational_inertia)
    quat = quaternion_wxyz(turn)
    hit = spec.worldbody.add_body(name=OBJECT, pos=np.asarray(body.position), quat=quat)
    hit.add_freejoint(name=OBJECT)
    hit.mass, hit.ipos, hit.explicitinertial = body.mass, np.zeros(3), True
    hit.fullinertia = inertia[[0, 1, 2, 0, 0, 1], [0, 1, 2, 1, 2, 2]]
    for name, plate in plates.items():
        _add_arm(spec, hit, name, plate, body)
    if support is not None:
        _add_support(spec, hit, body, support)
    try:
        return spec.compile()
    except ValueError as error:
        raise EngineError(f"mujoco: {' '.join(str(error).split())}") from None


def _add_arm(spec: Any, hit: Any, name: str, plate: Plate, body: FreeBody) -> None:
    """Add an arm with its plate's corners, and the face of the object that they touch."""
    import mujoco  # loads slowly

    arm, prefix = plate.arm, f"{name}/"
    state, robot = arm.state, arm.state.robot_state.memory.model
    if robot.nq != robot.njoints - 1:
        raise EngineError("mujoco: expected joints that turn or slide about one axis each")
    motors = np.zeros(robot.nv) if arm.motor_inertia is None else np.asarray(arm.motor_inertia)

    def add_joint(link: Any, joint: int) -> None:
        kind, axis = joint_axis(robot, joint)
        armature = float(motors[joint - 1])
        link.add_joint(name=prefix + robot.names[joint], type=kind, axis=axis, armature=armature)

    base, turn = np.asarray(arm.base_position), np.asarray(arm.base_rotation)
    links = add_links(spec, robot, add_joint, prefix, base, turn)
    tool = robot.frames[robot.getFrameId(state.frame)].parentJoint
    data = robot.createData()
    pin.forwardKinematics(robot, data, state.q)
    corners = face_points(plate.center, plate.axes, plate.half_extents) - TIP * plate.axes[:, 2]
    own, half = np.asarray(body.rotation).T, np.asarray(plate.half_extents)
    R, depth = own @ plate.axes, float(half.max())
    at = own @ (plate.center - np.asarray(body.position)) + depth * R[:, 2]
    face, shape = f"{prefix}face", mujoco.mjtGeom.mjGEOM_BOX
    add_shape(hit, face, shape, [*(2.0 * half), depth], pos=at, quat=quaternion_wxyz(R))
    for number, corner in enumerate((corners - base) @ turn):
        tip = f"{prefix}plate/{number}"
        _add_point(spec, links[tool], tip, data.oMi[tool].actInv(corner), face, plate.friction)


def _add_support(spec: Any, hit: Any, body: FreeBody, support: Footing) -> None:
    """Add the points on which the object stands, each on a plane through it."""
    import mujoco  # loads slowly

    R, own = contact_rotation(support.normal), np.asarray(body.rotation).T
    quat, plane = quaternion_wxyz(R), mujoco.mjtGeom.mjGEOM_PLANE
    for number, point in enumerate(np.atleast_2d(np.asarray(support.points, dtype=float))):
        name = f"{_SUPPORT}/{number}"
        add_shape(spec.worldbody, name, plane, [1.0, 1.0, 0.1], pos=point, quat=quat)
        at = own @ (point + TIP * R[:, 2] - np.asarray(body.position))
        _add_point(spec, hit, f"{OBJECT}/{name}", at, name, support.friction)


def _add_point(
    spec: Any, body: Any, name: str, at: np.ndarray, other: str, friction: float
) -> None:
    """Add a small ball to a body, and its contact with a shape."""
    import mujoco  # loads slowly

    add_shape(body, name, mujoco.mjtGeom.mjGEOM_SPHERE, [TIP, 0.0, 0.0], pos=at)
    damper = -IMPEDANCE / STEP
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


def _places(model: mujoco.MjModel, name: str, plate: Plate) -> np.ndarray:
    """Return the places of an arm's velocities among MuJoCo's, shape (n,)."""
    names = plate.arm.state.robot_state.memory.model.names
    joints = [model.joint(f"{name}/{each}") for each in list(names)[1:]]
    return np.array([int(joint.dofadr[0]) for joint in joints])


def _contacts(model: mujoco.MjModel, data: mujoco.MjData) -> list[EngineContact]:
    """Return the contacts of the last step."""
    import mujoco  # loads slowly

    found, force = [], np.zeros(6)
    for number in range(data.ncon):
        contact = data.contact[number]
        mujoco.mj_contactForce(model, data, number, force)
        axes = contact.frame.reshape(3, 3)  # rows; the first is the normal, towards geom[1]
        found.append(EngineContact(contact.pos.copy(), axes[0].copy(), STEP * axes.T @ force[:3]))
    return found
