# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The governor's node with a foreign controller, a driver and a simulated arm, in virtual time."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from adversary_arm import SimulatedArm, carried
from adversary_foreign import Foreign
from adversary_governor_checks import GovernorChecks
from adversary_host import Host, VirtualClock
from adversary_rig import EPOCH, before_wall, panda, wall
from geometry_msgs.msg import TwistStamped
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64MultiArray
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

from impact_msgs.msg import ControllerStatus
from impact_qp.governor.node import ImpactGovernorNode
from impact_qp.limits import Contact
from impact_robots import Surface
from impact_ros.messages import fill, from_nanoseconds, set_vector, vector
from impact_sim.driver.sensors import PANDA_NOISE

INTERFACES = ("velocity", "position", "twist", "trajectory")
DRIVERS = {"velocity": "velocity", "twist": "velocity"}  # others: position
TOPICS = {"velocity": "commands", "position": "commands"}  # others: their name
STEP = 1e-3  # of the arm and of events [s]
GAINS = (0.97, 1.05)  # of what the driver does over what it is sent
STATE_TIMEOUT = 0.1  # of the node [s]
POINTS = (3, 12)  # of a trajectory
LONG = (0.6, 2.0)  # a trajectory from a planner takes [s]
WINDOW = 0.1  # one of a servo reaches ahead and back [s]


class GovernorRig:
    """One arm, its driver, a foreign controller, and the governor between them.

    Attributes:
        arm: as it really is; ``announced``: the surface that the node knows, its first wall.
        commands, states: whether they are sent; ``late``: states arrive later by [s];
            ``order``: "twice", "reordered"; ``frozen``: their stamp stands.
        undisturbed: nothing has gone wrong so far.
        measured: positions of the last usable state that was given, shape (n,) [rad].
        faulty: by the last status.
    """

    state_timeout = STATE_TIMEOUT

    def __init__(
        self, random: np.random.Generator, interface: str, period: float, every: float
    ) -> None:
        """Make node and arm; nothing is configured.

        Args:
            random: of all that is drawn.
            interface: of the governor.
            period: between states [s].
            every: between commands [s].
        """
        self.random, self.interface, self.period, self.every = random, interface, period, every
        self.clock = VirtualClock()
        self.clock.passing = self.advance
        self.anywhere = float(random.choice([0.1, 0.2, 0.3]))
        self.announced, n = wall(), panda().dof
        driver = DRIVERS.get(interface, "position")
        self.arm = SimulatedArm(panda(), driver, self.announced)
        self.arm.gain = float(random.uniform(*GAINS))
        self.arm.reset(before_wall(round(float(random.uniform(0.05, 0.25)), 2)), np.zeros(n))
        self.foreign = Foreign(random, self._tilted(-self.announced.normal))
        self.commands = self.states = self.undisturbed = True
        self.late, self.order, self.frozen, self.faulty = 0.0, "", False, False
        self.offset, self.lie, self.carried = 0, None, None
        self.measured, self._stamp = self.arm.q.copy(), 0
        self._queue: list[tuple[float, JointState]] = []
        self._state_due = self._command_due = self.now
        self._output: np.ndarray | None = None  # that the driver has
        self._line: tuple[np.ndarray, np.ndarray, float, float] | None = None
        self._rested, self._held = True, self.arm.q.copy()
        self.host = self._host()
        self.checks = GovernorChecks(self)
        self.checks.let_go()

    def _host(self) -> Host:
        """Return the node, unconfigured: its parameters are fixed when it starts."""
        surface = self.announced
        place, normal = surface.point.tolist(), surface.normal.tolist()
        values = {"robot": "panda", "interface": self.interface, "impact_limits": "robust"}
        values |= {"anywhere_speed": self.anywhere, "state_timeout": STATE_TIMEOUT}
        values |= {"contact_point": place, "contact_normal": normal}
        return Host(ImpactGovernorNode, self._hear, self.clock, {}, **values)

    def _tilted(self, direction: np.ndarray) -> np.ndarray:
        way = direction + self.random.uniform(-0.3, 0.3, 3)
        return way / np.linalg.norm(way)

    @property
    def now(self) -> float:
        """Time [s]."""
        return self.clock.now

    @property
    def moves(self) -> bool:
        """Whether commands are velocities or twists."""
        return self.interface in ("velocity", "twist")

    @property
    def contact(self) -> Contact:
        """What the node supposes of the announced surface."""
        return Contact(self.announced.point, self.announced.normal)

    @property
    def on_path(self) -> bool:
        """Whether the last command is a path, which is one until its end."""
        command = self.checks.command
        return command is not None and len(command.shape) == 2

    @property
    def rests(self) -> bool:
        """Whether the driver was last sent zero velocity, or the same positions as before."""
        return self._rested

    def close(self) -> None:
        """End the node; what it sends then is not judged."""
        self.checks.over = True
        self.host.close()

    # --- time -------------------------------------------------------------------------------------

    def run(self, seconds: float) -> None:
        """Let time go by, with states and commands."""
        for _ in range(round(seconds / STEP)):
            if self.states and self.now >= self._state_due:
                self._state_due = self.now + self.period
                self._measure()
            self._deliver()
            if self.commands and self.checks.active and self.now >= self._command_due:
                self._command_due = self.now + self.every * float(self.random.uniform(0.8, 1.2))
                self.give_command()
            self.advance(STEP)
            self.host.tick()

    def advance(self, seconds: float) -> None:
        """Let the arm move for a time under the last command [s]."""
        self.clock.pass_by(seconds)
        if self.carried is None:
            self.arm.step(self.driver_values(), seconds)
        else:
            self.arm.reset(*self.carried(self.now))
        self.checks.judge_arm()

    # --- the driver -------------------------------------------------------------------------------

    def driver_values(self) -> np.ndarray:
        """Return what the driver commands now, shape (n,)."""
        output = self._output
        if self.interface == "trajectory":
            return self._on_line()
        if output is None:
            return np.zeros(panda().dof) if self.moves else self._held
        return self.joint_velocities(output) if self.moves else output

    def joint_velocities(self, values: np.ndarray) -> np.ndarray:
        """Return the joint velocities of an output, shape (n,) [rad/s]."""
        return values if self.interface == "velocity" else np.linalg.pinv(self.arm.state.J) @ values

    def _on_line(self) -> np.ndarray:
        """Return where a trajectory controller is on the way to its point, shape (n,) [rad]."""
        if self._line is None:
            return self._held
        start, target, begun, duration = self._line
        return start + min(1.0, (self.now - begun) / max(duration, STEP)) * (target - start)

    def _hear(self, topic: str, message: Any) -> None:
        if topic == "status":
            self.faulty = message.fault == ControllerStatus.FAULT_STOPPED
            self.checks.hear_status(message)
        elif topic not in ("factor", "/diagnostics"):
            self._obey(message)

    def _obey(self, message: Any) -> None:
        """Judge an output, and let the driver follow it."""
        values = self._values(message)
        self.checks.judge_sent(values)
        if not np.isfinite(values).all():
            return
        before, self._output = self._output, values
        same = before is None or np.array_equal(values, before)
        self._rested = not values.any() if self.moves else same
        if self.interface == "trajectory":
            until = message.points[0].time_from_start
            self._line = self._on_line(), values, self.now, until.sec + 1e-9 * until.nanosec

    def _values(self, message: Any) -> np.ndarray:
        """Return the numbers of an output in the robot's order; a twist in base axes."""
        if self.interface == "trajectory":
            order = [list(message.joint_names).index(name) for name in panda().joint_names]
            return np.array(message.points[0].positions)[order]
        if self.interface == "twist":
            twist = np.array([*vector(message.twist.linear), *vector(message.twist.angular)])
            if message.header.frame_id == panda().contact_frame:
                turn = self.arm.state.rotation
                return np.append(turn @ twist[:3], turn @ twist[3:])
            return twist
        return np.array(message.data)

    # --- states -----------------------------------------------------------------------------------

    def _measure(self) -> None:
        """Measure the arm now; it arrives later, perhaps."""
        noise = self.random.standard_normal((2, panda().dof))
        message = JointState(name=list(panda().joint_names), effort=[0.0] * panda().dof)
        fill(message.position, self.arm.q + PANDA_NOISE.position * noise[0])
        fill(message.velocity, self.arm.dq + PANDA_NOISE.velocity * noise[1])
        if not self.frozen:
            self._stamp = EPOCH + round(self.now * 1e9) + self.offset
        from_nanoseconds(self._stamp, message.header.stamp)
        if self.lie is not None:
            self.lie(message)
        self._queue.append((self.now + self.late, message))

    def _deliver(self) -> None:
        """Give the node the states that have arrived."""
        due = [each for each in self._queue if each[0] <= self.now]
        if self.order == "reordered" and len(due) == 1:
            return  # until there are two
        self._queue = [each for each in self._queue if each[0] > self.now]
        for _, message in due[::-1] if self.order == "reordered" else due:
            newest = self.host.node.newest if self.host.state != "unconfigured" else None
            for _ in range(2 if self.order == "twice" else 1):
                self.host.give("joint_states", message)
            if self.host.state != "unconfigured" and self.host.node.newest != newest:
                self.checks.state_at = self.now
                self.measured = np.array(message.position)

    # --- commands ---------------------------------------------------------------------------------

    def give_command(self, what: str = "") -> None:
        """Give the node a command; ``what`` is wrong with it."""
        if not self.checks.active:
            return
        makers: dict[str, Callable[[], tuple[Any, np.ndarray]]] = {
            "velocity": lambda: self._array(self.foreign.velocity(self.arm, self.now)),
            "position": lambda: self._array(self._position()),
            "twist": self._twist,
            "trajectory": self._trajectory,
        }
        message, judged = makers[self.interface]()
        if what == "other":
            message, judged = self._elsewhere()
        elif what:
            message, judged = self._spoiled(message, what)
        if message is None:
            return
        self.checks.give(judged)
        name = TOPICS.get(self.interface, self.interface)
        self.host.give(f"impact_governor/{name}_in", message)

    def _position(self) -> np.ndarray:
        return self.foreign.position(self.arm, self.now, self.every)

    def _array(self, values: np.ndarray) -> tuple[Any, np.ndarray]:
        return Float64MultiArray(data=values.tolist()), values

    def _twist(self) -> tuple[Any, np.ndarray]:
        message, values = TwistStamped(), self.foreign.twist(self.now)
        message.header.frame_id = panda().base_frame
        set_vector(message.twist.linear, values[:3])
        set_vector(message.twist.angular, values[3:])
        return message, values

    def _trajectory(self) -> tuple[Any, np.ndarray]:
        """Return a trajectory of the foreign controller's kind, and the path to be judged by."""
        foreign = self.foreign
        if foreign.kind == "stream":
            target = self._position()
            return self._through([(self.every, target)]), target
        planned = self.checks.command is not None
        if foreign.kind == "plan" and planned and self.random.random() > self.every:
            return None, np.zeros(0)  # it sends one in a second
        window = foreign.kind == "window"
        count = int(self.random.integers(*POINTS))
        length = 2.0 * WINDOW if window else float(self.random.uniform(*LONG))
        begun, step = -WINDOW if window else length / count, length / count
        points = [
            (begun + k * step, foreign.position(self.arm, self.now + k * step, step))
            for k in range(count)
        ]
        if window:  # as a servo: with a stamp, and from before now on
            foreign.target = points[count // 2][1]
        message = self._through(points)
        start = self.measured if self._output is None else self._output
        return message, np.array([start, *self._sampled(points, start)])

    def _through(self, points: list[tuple[float, np.ndarray]]) -> JointTrajectory:
        """Return a trajectory through (time after now [s], positions)."""
        names, first = list(panda().joint_names), min(0.0, points[0][0])
        message = JointTrajectory(joint_names=names)
        if first < 0.0:
            from_nanoseconds(self._stamp + round(first * 1e9), message.header.stamp)
        for time, positions in points:
            point = JointTrajectoryPoint(positions=positions.tolist())
            from_nanoseconds(round((time - first) * 1e9), point.time_from_start)
            message.points.append(point)
        return message

    def _sampled(
        self, points: list[tuple[float, np.ndarray]], start: np.ndarray
    ) -> list[np.ndarray]:
        """Return the path from now on: straight between its points."""
        times, places = [p[0] for p in points], [p[1] for p in points]
        if times[0] > 0.0:
            return places
        late = self.late + 2.0 * self.period  # of the state whose stamp is the node's time
        first = np.clip(-late, times[0], times[-1])
        after = [place for time, place in points if time > first]
        at = np.array([np.interp(first, times, column) for column in np.array(places).T])
        return [at, *after]

    def _elsewhere(self) -> tuple[Any, np.ndarray]:
        """Return a command of another controller, in another direction."""
        if self.interface == "velocity":
            return self._array(self.random.standard_normal(panda().dof))
        if self.interface == "twist":
            message, values = self._twist()
            values = self.random.standard_normal(6)
            set_vector(message.twist.linear, values[:3])
            set_vector(message.twist.angular, values[3:])
            return message, values
        q = self.arm.q + 0.3 * self.random.standard_normal(panda().dof)
        return self._array(q) if self.interface == "position" else (self._through([(0.01, q)]), q)

    def _spoiled(self, message: Any, what: str) -> tuple[Any, np.ndarray]:
        """Return a command with something wrong in it, judged as not a number."""
        if message is None:
            message, _ = self._elsewhere()
        if self.interface == "twist":
            bad = float(self.random.choice([np.nan, np.inf]))
            message.twist.linear.x = bad if what != "wrong names" else message.twist.linear.x
            if what == "wrong names":
                message.header.frame_id = "camera"
        elif self.interface == "trajectory":
            self._spoil_trajectory(message, what)
        elif what == "not finite":
            message.data[int(self.random.integers(7))] = self.random.choice([np.nan, np.inf])
        else:
            message = Float64MultiArray(data=[0.1] * int(self.random.choice([0, 6, 8, 70])))
        return message, np.full(1, np.nan)

    def _spoil_trajectory(self, message: JointTrajectory, what: str) -> None:
        last = message.points[-1]
        if what == "not finite":
            last.positions[3] = np.nan
        elif what == "wrong names":
            message.joint_names = [f"other{k}" for k in range(7)]
        else:
            last.positions = last.positions[:-1]

    # --- what people do ---------------------------------------------------------------------------

    def start(self) -> bool:
        """Configure, show some states, and activate; return whether it is active."""
        if not self.host.request("configure"):
            return False
        self.run(3.0 * max(self.period, 0.01))
        return self.activate()

    def activate(self) -> bool:
        """Activate, with a driver that begins where the arm is; return whether it is active."""
        if not self.moves:
            self.arm.reset(self.arm.q, self.arm.dq)
            self._output, self._line, self._held = None, None, self.arm.q.copy()
        self.foreign.turn(self._tilted(-self.announced.normal))
        if done := self.host.request("activate"):
            self.checks.activated()
        return done

    def deactivate(self) -> None:
        """Deactivate."""
        if self.host.request("deactivate"):
            self.checks.active = False
            if not self.rests:
                self.checks.note("deactivated", "without a rest")

    def restart(self) -> None:
        """Let another process of the node take the place of this one."""
        self.deactivate()
        self.checks.judge_log()
        self.host.close()
        self.host = self._host()

    def switch(self, interface: str) -> None:
        """Let another governor and driver take other commands."""
        self.deactivate()
        self.host.close()
        self.interface, self.arm.interface = interface, DRIVERS.get(interface, "position")
        self.arm.reset(self.arm.q, np.zeros_like(self.arm.q))
        self.checks.let_go()
        self._output, self._line, self._held = None, None, self.arm.q.copy()
        self.host = self._host()

    def announce_ahead(self, gap: float, random: np.random.Generator) -> None:
        """Put the announced surface so far before the contact point [m], tilted."""
        normal = self._tilted(self.announced.normal)
        place = self.arm.state.position - gap * normal
        self.announced = Surface(place, normal)
        self.arm.walls = [self.announced]
        self.restart()

    def carry(self, to: np.ndarray, seconds: float) -> None:
        """Somebody moves the arm to ``to``, shape (n,) [rad], and lets it go there."""
        self.checks.taken()
        self.carried = carried(self.arm.q.copy(), to, self.now, seconds)
        self.run(seconds + 0.05)
        self.carried = None
        if not self.moves:  # a driver that somebody overrides stands until the next command
            self._output, self._line, self._held = None, None, self.arm.q.copy()
        self.checks.let_go()


@contextmanager
def governor_rigged(*arguments: Any) -> Iterator[GovernorRig]:
    """Make a rig with its clocks, and end it."""
    rig = GovernorRig(*arguments)
    with rig.clock.installed(), np.errstate(all="ignore"):
        try:
            yield rig
        finally:
            rig.close()
