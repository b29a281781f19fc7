# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""DART by its Python package: the engine of Gazebo's plugin, configured by the same files."""

from importlib.util import find_spec
from xml.etree import ElementTree

import numpy as np
from pinocchio.rpy import rpyToMatrix

from impact_sim.export.gazebo_files import WORLD
from impact_sim.export.mjcf_files import URDF
from impact_sim.export.wall_mjcf import WALL


class DartPy:
    """One world with one arm; forces are on the robot, base axes [N]."""

    weightless = True  # a link can be

    @staticmethod
    def missing():
        """Return what is not there, "" where all is."""
        return "" if find_spec("dartpy") else "needs dartpy"

    def __init__(self, folder, names):
        import dartpy

        self.dart = dartpy
        scene = ElementTree.parse(folder / WORLD).find("world")
        self.world = self.dart.simulation.World()
        self.world.setTimeStep(float(scene.findtext("physics/max_step_size")))
        self.world.setGravity(_numbers(scene.findtext("gravity")))
        self._add_wall(scene.find("model"))
        loader = self.dart.utils.DartLoader()
        self.arm = loader.parseSkeleton(str(folder / URDF))
        self._add_extensions(ElementTree.parse(folder / URDF))
        self.world.addSkeleton(self.arm)
        self.dofs = [self.arm.getDof(name) for name in names]

    def _add_wall(self, model):
        """Add the box of the world's file, welded to the world."""
        dynamics, link = self.dart.dynamics, model.find("link")
        wall = dynamics.Skeleton(model.get("name"))
        joint, body = wall.createWeldJointAndBodyNodePair()
        pose, place = _numbers(model.findtext("pose")), self.dart.math.Isometry3()
        place.set_translation(pose[:3])
        place.set_rotation(rpyToMatrix(*pose[3:]))
        joint.setTransformFromParentBodyNode(place)
        size = _numbers(link.findtext("collision/geometry/box/size"))
        shape = body.createShapeNode(dynamics.BoxShape(size))
        shape.createCollisionAspect()
        aspect, surface = shape.createDynamicsAspect(), link.find("collision/surface")
        aspect.setFrictionCoeff(float(surface.findtext("friction/ode/mu")))
        aspect.setRestitutionCoeff(float(surface.findtext("bounce/restitution_coefficient")))
        self.world.addSkeleton(wall)

    def _add_extensions(self, robot):
        """Tell the arm what Gazebo reads in the URDF beside links and joints."""
        for extension in robot.iterfind("gazebo[@reference]"):
            body = self.arm.getBodyNode(extension.get("reference"))
            body.setGravityMode(extension.findtext("turnGravityOff") != "true")
            for shape in body.getShapeNodes() if extension.find("mu1") is not None else ():
                aspect, bounce = shape.getDynamicsAspect(), "collision/surface/bounce/"
                aspect.setFrictionCoeff(float(extension.findtext("mu1")))
                restitution = extension.findtext(bounce + "restitution_coefficient")
                aspect.setRestitutionCoeff(float(restitution))

    def place(self, q, dq):
        for dof, position, velocity in zip(self.dofs, q, dq, strict=True):
            dof.setPosition(position)
            dof.setVelocity(velocity)

    def state(self):
        """Return positions, velocities and efforts: what was commanded, without motors the same."""
        values = [(dof.getPosition(), dof.getVelocity(), dof.getForce()) for dof in self.dofs]
        return list(np.array(values).T)

    def step(self, efforts):
        for dof, effort in zip(self.dofs, efforts, strict=True):
            dof.setForce(effort)
        self.world.step(False)
        force = np.zeros(3)
        for contact in self.world.getLastCollisionResult().getContacts():
            first = contact.collisionObject1.getShapeFrame().getBodyNodePtr().getName() != WALL
            force += np.asarray(contact.force) * (1.0 if first else -1.0)
        return force


def _numbers(text):
    return np.array(text.split(), dtype=float)
