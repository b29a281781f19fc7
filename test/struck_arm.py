# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""A Panda that hits a plate, simulated independently of the project's plant, with the truth.

Rigid joints with motor inertia, joint friction by Gaz et al. (RA-L 2019), link masses that the
analysis does not know, semi-implicit Euler at 0.1 ms, a Hunt-Crossley plate with friction. Before
contact a computed-torque controller keeps the contact point's velocity; then ``after`` holds.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache

import numpy as np
import pinocchio as pin

from impact_bags import BagWriter, impact_typestore
from impact_bags.writing.message_maker import MessageMaker
from impact_detector.attribution.expectation import Announcement
from impact_robots import Surface, load_robot
from impact_robots.description.actuation import PANDA_FRICTION

STEP = 1e-4  # of the integration, and of the force sensor [s]
TOUCH = 0.6  # about, of every recording [s]
POSE = np.array([0.0, -np.pi / 4, 0.0, -3 * np.pi / 4, 0.0, np.pi / 2, np.pi / 4])
SMOOTH = 2e-3  # slip speed from which friction is whole [m/s]
BATCH = 10  # force samples in a message
NOISE = {"q": 1e-5, "dq": 4e-3, "tau": 0.08, "force": 0.3}


@dataclass(frozen=True)
class Hit:
    """What is simulated: the truth."""

    velocity: tuple[float, float, float] = (0.0, 0.0, -0.3)  # of the contact point, base [m/s]
    pose: np.ndarray = field(default_factory=POSE.copy)  # at contact [rad]
    friction: float = 0.3  # of the plate [-]
    stiffness: float = 4e5  # of the plate [N/m]
    damping: float = 6.0  # over the elastic force per 1 m/s: little restitution is more [s/m]
    joint_friction: float = 1.0  # times that of Gaz et al.
    mass_error: float = 0.04  # each link's mass and inertia is up to that fraction off [-]
    motors: str = "M+B_theta"  # motor inertia of the truth
    sensor: str = "link"  # torque is measured behind ("link") or before ("motor") the friction
    after: str = "coast"  # "coast", "retract", "brake", "hold" or "boost"
    after_delay: float = 0.005  # of that, since contact [s]
    length: float = 0.3  # after contact [s]
    rate: int = 1000  # of the joint states [Hz]
    phase: float = 0.0  # of their sampling [periods]
    seed: int = 0
    plate: bool = True  # False: nothing is there
    pushes: tuple[tuple[float, float, float], ...] = ()  # start, duration [s], peak [N], upwards


@dataclass(frozen=True)
class Record:
    """What the sensors saw, and what they did not; times [s]."""

    t: np.ndarray
    q: np.ndarray
    dq: np.ndarray
    tau: np.ndarray
    force_t: np.ndarray
    force: np.ndarray  # on the robot, base axes [N]
    touch: float  # NaN without one
    impulse: np.ndarray  # of the plate up to the first release, base axes [N.s]
    restitution: float  # of the contact point's normal velocity [-]
    speed: float  # of the approach [m/s]


def simulate(hit: Hit) -> Record:
    """Return what a hit's sensors record."""
    return _Run(hit).record()


@cache
def way_back(pose: tuple[float, ...], velocity: tuple[float, float, float]) -> list[np.ndarray]:
    """Return a Panda's joint positions from contact backwards, one per step."""
    robot = load_robot("panda")
    model, data = robot.model, robot.model.createData()
    frame = model.getFrameId(robot.contact_frame)
    q, way = np.array(pose), []
    for _ in range(round(TOUCH / STEP)):
        way.append(q.copy())
        J = pin.computeFrameJacobian(model, data, q, frame, pin.LOCAL_WORLD_ALIGNED)[:3]
        q = q - STEP * np.linalg.pinv(J) @ velocity
    return way


class _Run:
    def __init__(self, hit: Hit) -> None:
        robot = load_robot("panda")
        self.hit, self.random = hit, np.random.default_rng(hit.seed)
        self.model, self.data = robot.model, robot.model.createData()
        self.true = robot.model.copy()
        for k in range(1, self.true.njoints):
            body = self.true.inertias[k]
            factor = 1.0 + hit.mass_error * self.random.uniform(-1.0, 1.0)
            self.true.inertias[k] = pin.Inertia(
                factor * body.mass, body.lever, factor * body.inertia
            )
        self.true_data = self.true.createData()
        self.motors = np.diag(robot.motor_inertias[hit.motors])
        self.frame = self.model.getFrameId(robot.contact_frame)
        pin.framesForwardKinematics(self.model, self.data, hit.pose)
        self.plate = self.data.oMf[self.frame].translation.copy()
        self.way = way_back(tuple(hit.pose), hit.velocity)

    def _wanted(self, k: int) -> tuple[np.ndarray, np.ndarray]:
        """Return position and velocity of the approach at step k; it goes on behind contact."""
        back = len(self.way) - 1 - k
        first = (self.way[0] - self.way[1]) / STEP
        if back <= 0:
            return self.way[0] - back * STEP * first, first
        return self.way[back], (self.way[back - 1] - self.way[back]) / STEP

    def _command(self, k: int, q: np.ndarray, dq: np.ndarray, since: float) -> np.ndarray:
        """Return the torque by the analysis's model; ``since`` contact, negative before it."""
        model, data = self.model, self.data
        gravity = pin.computeGeneralizedGravity(model, data, q)
        if 0.0 <= since < self.hit.after_delay or (since >= 0.0 and self.hit.after == "coast"):
            return gravity
        wanted, speed = self._wanted(k)
        if since >= 0.0 and self.hit.after != "on":
            if self.start is None:
                self.start = q.copy()
            back = -np.linalg.pinv(self._jacobian(q)) @ self.hit.velocity
            wanted, speed = {
                "retract": (self.start + (since - self.hit.after_delay) * back, back),
                "boost": (q, dq + 0.15 * np.sign(dq)),
                "hold": (self.start, np.zeros(7)),
                "brake": (q, np.zeros(7)),
            }[self.hit.after]
        M = np.array(pin.crba(model, data, q)) + self.motors
        M = np.triu(M) + np.triu(M, 1).T
        h = pin.nonLinearEffects(model, data, q, dq)
        return M @ (900.0 * (wanted - q) + 60.0 * (speed - dq)) + h

    def _jacobian(self, q: np.ndarray) -> np.ndarray:
        return pin.computeFrameJacobian(
            self.model, self.data, q, self.frame, pin.LOCAL_WORLD_ALIGNED
        )[:3]

    def _push(self, time: float) -> np.ndarray:
        """Return what others than the plate push, (3,) [N]."""
        up = 0.0
        for start, duration, peak in self.hit.pushes:
            if start < time < start + duration:
                up += peak * np.sin(np.pi * (time - start) / duration)
        return np.array([0.0, 0.0, up])

    def _contact(self, depth: float, velocity: np.ndarray) -> np.ndarray:
        """Return the plate's force on the robot, (3,) [N]."""
        if depth <= 0.0 or not self.hit.plate:
            return np.zeros(3)
        normal = self.hit.stiffness * depth * max(0.0, 1.0 - self.hit.damping * velocity[2])
        slip = velocity[:2]
        pull = -self.hit.friction * normal * slip / max(float(np.hypot(*slip)), SMOOTH)
        return np.array([*pull, normal])

    def record(self) -> Record:
        """Simulate."""
        hit, self.start = self.hit, None
        q, dq = self._wanted(0)
        total = round((TOUCH + hit.length) / STEP)
        every = round(1.0 / hit.rate / STEP)
        shift = round(hit.phase * every)
        rows, forces, touch, released = [], [], np.nan, False
        impulse, after, before = np.zeros(3), np.nan, np.nan
        for k in range(total):
            time = k * STEP
            pin.computeAllTerms(self.true, self.true_data, q, dq)
            pin.updateFramePlacement(self.true, self.true_data, self.frame)
            J = pin.getFrameJacobian(
                self.true, self.true_data, self.frame, pin.LOCAL_WORLD_ALIGNED
            )[:3]
            velocity = J @ dq
            depth = float(self.plate[2] - self.true_data.oMf[self.frame].translation[2])
            force = self._contact(depth, velocity)
            if force[2] > 0.0 and np.isnan(touch):
                touch, before = time, velocity[2]
            if not np.isnan(touch) and not released:
                released = force[2] == 0.0 and time > touch
                impulse, after = impulse + STEP * force, velocity[2]
            force = force + self._push(time)
            if k % 10 == 0:
                command = self._command(k, q, dq, time - touch if touch <= time else -1.0)
            friction = hit.joint_friction * PANDA_FRICTION(dq)
            M, h = self.true_data.M + self.motors, self.true_data.nle
            ddq = np.linalg.solve(M, command - friction - h + J.T @ force)
            if k % every == shift:
                tau = command - (friction + self.motors @ ddq if hit.sensor == "link" else 0.0)
                rows.append((time, q.copy(), dq.copy(), tau))
            forces.append(force)
            dq = dq + STEP * ddq
            q = q + STEP * dq
        return self._noisy(rows, np.array(forces), touch, impulse, -after / before, -before)

    def _noisy(self, rows, forces, touch, impulse, restitution, speed) -> Record:
        draw = self.random.standard_normal
        t, q, dq, tau = (np.array(column) for column in zip(*rows, strict=True))
        return Record(
            t,
            q + NOISE["q"] * draw(q.shape),
            dq + NOISE["dq"] * draw(dq.shape),
            tau + NOISE["tau"] * draw(tau.shape),
            STEP * np.arange(len(forces)),
            forces + NOISE["force"] * draw(forces.shape),
            touch,
            impulse,
            restitution,
            speed,
        )


def write(folder, record: Record, *, torques=True, forces=True, announced=None, every=1):
    """Write a record as a bag.

    Args:
        folder: of the bag.
        record: what the sensors saw.
        torques: joint states have efforts.
        forces: there is a force sensor.
        announced: friction and restitution of the plate that were announced.
        every: so many-th of the force samples are written.
    """
    make = MessageMaker(types := impact_typestore(), "panda_link0")
    names = [f"panda_joint{i}" for i in range(1, 8)]
    with BagWriter(folder, types) as bag:
        if announced is not None:
            said = Announcement(0, Surface(None, (0.0, 0.0, 1.0), *announced))
            bag.write("/impact_qp/announcement", *make.announcement(said), 0)
        logged = 0  # goes on where measured time jumps back
        for t, q, dq, tau in zip(record.t, record.q, record.dq, record.tau, strict=True):
            stamp = round(t * 1e9)
            logged = max(logged + 1, stamp)
            effort = tau if torques else np.zeros(0)
            bag.write("/joint_states", *make.joint_state(stamp, names, q, dq, effort), logged)
        force_t, force = record.force_t[::every], record.force[::every]
        for k in range(0, len(force_t) if forces else 0, BATCH):
            stamp = round(force_t[k] * 1e9)
            batch = make.wrench_batch(stamp, round(every * STEP * 1e9), force[k : k + BATCH])
            bag.write("/wrench", *batch, stamp)
    return folder
