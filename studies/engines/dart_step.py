# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""A drawn impact as one step of DART, by its Python package.

DART has no armature, so an arm is the chain of :mod:`studies.engines.plate_mechanism`, with the
same inertia at the plate, motors included. Bias forces are cancelled, there is no gravity.
"""

from __future__ import annotations

from functools import partial
from importlib.util import find_spec
from typing import Any

import numpy as np

from impact_predictor.multicontact.mujoco_step import EngineContact
from impact_robots.exceptions import UsageError
from studies.engines.drawn_impact import DrawnImpact
from studies.engines.engine_step import EngineStep, ordered_impulses
from studies.engines.plate_mechanism import GYRATION, Screw, plate_mechanism
from studies.engines.plate_problem import PlateProblem

STEP = 1e-6  # [s]: poses go on within the step, and DART's velocities are those of its end
TIP, DEPTH = 0.005, 1e-10  # radius of corners, and how deep they are, to be found [m]
DEFAULT = "default"  # LCP by Dantzig's method, friction in a box
COULOMB = "Coulomb"  # block Gauss-Seidel on the cone
LAWS = (DEFAULT, COULOMB)
SWEEPS, TOLERANCE = 20_000, 1e-6  # of the latter
_FACE = 1.1  # of the shape that stands for a face of the box, times the plate


def check_dart() -> None:
    """Refuse to go on without DART.

    Raises:
        UsageError: its Python package is not installed.
    """
    if find_spec("dartpy") is None:
        raise UsageError("engines: expected the package dartpy of requirements.txt, got none")


def dart_step(drawn: DrawnImpact, problem: PlateProblem, law: str = DEFAULT) -> EngineStep:
    """Return what DART makes of an impact in one step.

    Args:
        drawn: the impact.
        problem: the same, at the plates.
        law: of :data:`LAWS`.

    Raises:
        SimulationError: DART has found other contacts.
    """
    import dartpy as dart  # a requirement of tests alone

    world = dart.simulation.World()
    world.setTimeStep(STEP)
    world.setGravity(np.zeros(3))
    solver = world.getConstraintSolver()
    solver.setCollisionDetector(dart.collision.DARTCollisionDetector())
    solver.getCollisionOption().maxNumContacts = 100
    if law == COULOMB:
        solver.setBoxedLcpSolver(_gauss_seidel(dart))
    box = _box(dart, drawn)
    tips = []
    for index, name in enumerate(drawn.plates):
        own = slice(6 * index, 6 * index + 6)
        chain = plate_mechanism(problem.inertia[own, own], problem.v[own])
        tips.append(_add_plate(dart, world, box, drawn, name, chain))
    world.addSkeleton(box.getSkeleton())
    if drawn.support is not None:
        world.addSkeleton(_support(dart, box, drawn))
    for number in range(world.getNumSkeletons()):
        skeleton = world.getSkeleton(number)
        if skeleton.getNumDofs():
            skeleton.setForces(skeleton.getCoriolisForces())
    world.step(False)
    v = [part for each in [*tips, box] for part in _twist(each)]
    contacts = [
        EngineContact(each.point, each.normal, STEP * np.asarray(each.force))
        for each in world.getLastCollisionResult().getContacts()
    ]
    return EngineStep(np.concatenate(v), ordered_impulses(problem, contacts, "DART"))


def _gauss_seidel(dart: Any) -> Any:
    """Return DART's solver of Coulomb's law, with more sweeps than usual."""
    kind = dart.constraint.NsgsFrictionSolver
    solver = kind()
    options = solver.getOptions()
    options.law, options.maxSweeps, options.tolerance = kind.Law.Coulomb, SWEEPS, TOLERANCE
    solver.setOptions(options)
    return solver


def _box(dart: Any, drawn: DrawnImpact) -> Any:
    """Return the body of the box."""
    joint, body = dart.dynamics.Skeleton("box").createFreeJointAndBodyNodePair()
    inertia = np.asarray(drawn.body.rotational_inertia)
    body.setInertia(dart.dynamics.Inertia(drawn.body.mass, np.zeros(3), inertia))
    place = _place(dart, np.asarray(drawn.body.rotation), np.asarray(drawn.body.position))
    joint.setPositions(dart.dynamics.FreeJoint.convertToPositions(place))
    return body


def _add_plate(
    dart: Any, world: Any, box: Any, drawn: DrawnImpact, name: str, chain: list[Screw]
) -> Any:
    """Add a plate on its chain, and the face of the box that it touches; return its body."""
    plate = drawn.plates[name]
    skeleton, body = dart.dynamics.Skeleton(f"arm {name}"), None
    for number, screw in enumerate(chain):
        joint, body = skeleton.createScrewJointAndBodyNodePair(*([] if body is None else [body]))
        joint.setAxis(screw.axis)
        joint.setPitch(2.0 * np.pi * screw.pitch)
        base = screw.point if number else screw.point + plate.center
        joint.setTransformFromParentBodyNode(_place(dart, np.eye(3), base))
        joint.setTransformFromChildBodyNode(_place(dart, np.eye(3), screw.point))
        joint.setVelocity(0, screw.rate)
        turning = screw.mass * GYRATION**2 * np.eye(3)
        body.setInertia(dart.dynamics.Inertia(screw.mass, np.zeros(3), turning))
    add = partial(_add_shape, dart, friction=plate.friction)
    for corner in drawn.corners[name]:
        at = corner - plate.center - (TIP - DEPTH) * plate.axes[:, 2]
        add(body, dart.dynamics.SphereShape(TIP), np.eye(3), at)
    turn, half = np.asarray(drawn.body.rotation).T, np.asarray(plate.half_extents)
    R, depth = turn @ plate.axes, float(half.max())
    middle = turn @ (plate.center - np.asarray(drawn.body.position)) + depth / 2.0 * R[:, 2]
    size = [*(2.0 * _FACE * half), depth]
    add(box, dart.dynamics.BoxShape(size), R, middle)
    world.addSkeleton(skeleton)
    return body


def _support(dart: Any, box: Any, drawn: DrawnImpact) -> Any:
    """Give the box its feet, and return what it stands on."""
    friction, position = drawn.support.friction, np.asarray(drawn.body.position)  # type: ignore
    skeleton = dart.dynamics.Skeleton("support")
    _, ground = skeleton.createWeldJointAndBodyNodePair()
    thick = 0.02
    middle = np.array([*position[:2], drawn.feet[0, 2] - thick / 2.0])
    shape = dart.dynamics.BoxShape([*(4.0 * drawn.size[:2]), thick])
    _add_shape(dart, ground, shape, np.eye(3), middle, friction=friction)
    turn = np.asarray(drawn.body.rotation).T
    for foot in drawn.feet:
        at = turn @ (foot - position) + [0.0, 0.0, TIP - DEPTH]
        _add_shape(dart, box, dart.dynamics.SphereShape(TIP), np.eye(3), at, friction=friction)
    return skeleton


def _add_shape(
    dart: Any, body: Any, shape: Any, rotation: np.ndarray, at: np.ndarray, *, friction: float
) -> None:
    """Add a shape that touches, without restitution."""
    node = body.createShapeNode(shape)
    node.createCollisionAspect()
    aspect = node.createDynamicsAspect()
    aspect.setFrictionCoeff(friction)
    aspect.setRestitutionCoeff(0.0)
    node.setRelativeTransform(_place(dart, rotation, at))


def _place(dart: Any, rotation: np.ndarray, at: np.ndarray) -> Any:
    """Return a pose as DART has it."""
    place = dart.math.Isometry3()
    place.set_rotation(rotation)
    place.set_translation(at)
    return place


def _twist(body: Any) -> tuple[np.ndarray, np.ndarray]:
    """Return linear and angular velocity of a body's origin, world axes."""
    return np.asarray(body.getLinearVelocity()), np.asarray(body.getAngularVelocity())
