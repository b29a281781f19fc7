# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Random odd messages for detector, predictor and plant: none may raise, and good ones still work.

The nodes live in this process and are fed through the callbacks that rclpy would call, without DDS
in between. Of each node the reaction to a good message is looked at after every odd one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import count as counter
from typing import Any

import numpy as np
from geometry_msgs.msg import Vector3, WrenchStamped
from odd_values import garbled, odd
from rclpy.context import Context
from rclpy.node import Node
from rclpy.parameter import Parameter
from rclpy.serialization import serialize_message
from rclpy.subscription import Subscription
from sensor_msgs.msg import JointState

from impact_detector.node import DetectorNode
from impact_msgs.msg import Contact, ImpactAnnouncement, JointCommand, Surface, WrenchBatch
from impact_msgs.srv import ComputeFeasibleSets, PredictImpact
from impact_predictor.node import PredictorNode
from impact_robots import ArmDynamics, Robot, load_robot
from impact_ros.messages import fill, from_nanoseconds
from impact_ros.node.closing import close
from impact_sim.node import ImpactSimNode

MILLISECOND = 1_000_000
QUIET = 450  # samples from which a detector has learned enough to see a hit
WALL = (-1.0, 0.0, 0.0)  # outward normal
SPEED = 0.2  # of the approach [m/s]
DAMAGED = 0.02  # fraction of serialized messages; the C library says a word about each on stderr
MOST_SAID = 20
_NUMBERS = counter()


class _Logger:
    """Keeps what a node calls an error of its own, and is silent about the rest."""

    def __init__(self) -> None:
        self.errors: list[str] = []

    def error(self, line: str, **_options: Any) -> None:
        self.errors.append(line)

    def warning(self, line: str, **_options: Any) -> None:
        """Say nothing."""
        if len(line) > 5000 or "\n" in line:
            self.errors.append(f"not one short line: {line[:100]}")

    info = debug = warning


@dataclass
class Patient:
    """A node that is fed: its callbacks, and what shows that it still works."""

    node: Node
    good: dict[str, Callable[[], Any]]  # by topic or service, the end of its name
    works: Callable[[], str]  # feeds good messages; what is wrong then, empty: nothing
    recovers: Callable[[], str] = lambda: ""  # the same, but thorough
    logger: _Logger = field(default_factory=_Logger)

    def __post_init__(self) -> None:
        self.node.get_logger = lambda: self.logger  # type: ignore[method-assign]
        self.inputs: list[tuple[str, Callable[[Any], None], Any]] = []
        for each in _subscriptions(self.node):
            name = _name(self.node, each.topic_name)
            if name in self.good:
                fed = _garbled(each.callback) if each.raw else each.callback
                self.inputs.append((name, fed, self.good[name]))
        for service in self.node.services:
            name = service.service_name.rsplit("/", 1)[-1]
            if name in self.good:
                self.inputs.append((name, _asked(service), self.good[name]))
        missing = set(self.good) - {name for name, _, _ in self.inputs}
        if missing:
            raise RuntimeError(f"no input of {self.node.get_name()}: {missing}")

    def feed(self, random: np.random.Generator) -> str:
        """Feed one odd message and a good one; return what goes wrong."""
        name, callback, good = self.inputs[int(random.integers(len(self.inputs)))]
        message = odd(good(), random)
        try:
            callback(message)
            said = self.works()
        except Exception as error:
            said = f"{type(error).__name__}: {error}"
        errors, self.logger.errors = self.logger.errors, []
        said = said or "; ".join(errors)
        return f"{self.node.get_name()}, {name}: {said[:300]}" if said else ""


def campaign(count: int, seed: int) -> tuple[int, int, list[str]]:
    """Feed odd messages to the nodes.

    Args:
        count: of odd messages, over all nodes.
        seed: of all that is random.

    Returns:
        How many were fed, how many of these were failures, and the first of them in words.
    """
    random, said, failed = np.random.default_rng(seed), [], 0
    with _patients() as patients:
        for k in range(count):
            if wrong := patients[k % len(patients)].feed(random):
                failed += 1
                said.append(f"message {k}: {wrong}")
        for patient in patients:
            if wrong := patient.recovers():
                failed += 1
                said.append(f"{patient.node.get_name()} at the end: {wrong}")
    return count, failed, said[:MOST_SAID]


@contextmanager
def _patients() -> Iterator[list[Patient]]:
    """Start the nodes in a context of their own."""
    context, robot = Context(), load_robot("panda")
    context.init()
    arm = _Arm(robot)
    made = [
        _detector(context, arm, ["fused", "torque_error", "momentum", "acceleration"]),
        _detector(context, arm, ["torque_error"], lockstep=True),
        _predictor(context, arm, stream=False),
        _predictor(context, arm, stream=True),
        *(_plant(context, kind) for kind in ("torque", "velocity", "position")),
    ]
    try:
        yield made
    finally:
        close(*(patient.node for patient in made), context=context)


class _Arm:
    """Good messages of a Panda that approaches a wall."""

    def __init__(self, robot: Robot) -> None:
        self.robot, self.q = robot, np.array(robot.stance)
        dynamics = ArmDynamics(robot)
        state = dynamics(self.q, np.zeros(robot.dof))
        self.position, self.gravity = state.position, state.g
        self.dq = np.linalg.pinv(state.J[:3]) @ (-SPEED * np.array(WALL))
        self._random = np.random.default_rng(0)

    def state(self, time: int, hit: float = 0.0) -> JointState:
        """Return the state at ``time`` [ns], with noise; a hit is a jump of velocity [rad/s]."""
        e = self._random.standard_normal((2, len(self.q)))
        message = JointState(name=list(self.robot.joint_names))
        from_nanoseconds(time, message.header.stamp)
        fill(message.position, self.q)
        fill(message.velocity, self.dq + hit + 4e-3 * e[0])
        fill(message.effort, self.gravity + 0.08 * e[1])
        return message


def _node(kind: type[Node], context: Context, **values: Any) -> Node:
    overrides = [Parameter(name, value=value) for name, value in values.items()]
    name = f"odd_{next(_NUMBERS)}"  # a namespace for each, or they would share their loggers
    return kind(context=context, namespace=name, parameter_overrides=overrides)


def _name(node: Node, topic: str) -> str:
    """Return a topic's name without namespace and node."""
    prefix = f"{node.get_namespace()}/"
    return topic.removeprefix(prefix).removeprefix(f"{node.get_name()}/")


def _heard(node: Node, topic: str) -> list[Any]:
    """Return a list into which what a node publishes goes from now on."""
    heard: list[Any] = []
    (publisher,) = (each for each in node.publishers if _name(node, each.topic_name) == topic)
    publisher.publish = heard.append
    return heard


def _fed(callback: Callable[[Any], None], raw: bool) -> Callable[[Any], None]:
    return (lambda message: callback(serialize_message(message))) if raw else callback


def _garbled(callback: Callable[[Any], None]) -> Callable[[Any], None]:
    """Return a callback for serialized messages that feeds some of them damaged."""
    random = np.random.default_rng(1)

    def take(message: Any) -> None:
        data = serialize_message(message)
        callback(garbled(data, random) if random.random() < DAMAGED else data)

    return take


def _asked(service: Any) -> Callable[[Any], None]:
    return lambda request: service.callback(request, service.srv_type.Response())


def _callback(node: Node, topic: str) -> Callable[[Any], None]:
    (found,) = (each for each in _subscriptions(node) if _name(node, each.topic_name) == topic)
    return _fed(found.callback, found.raw)


def _subscriptions(node: Node) -> list[Subscription]:
    """Return all of a node, those too whose messages it takes when it needs one."""
    return [*node.subscriptions, *getattr(node, "unserved", ())]


# --- detector -----------------------------------------------------------------------------------


def _detector(
    context: Context, arm: _Arm, detectors: list[str], *, lockstep: bool = False
) -> Patient:
    node = _node(
        DetectorNode, context, detectors=detectors, force_threshold=20.0, lockstep=lockstep
    )
    statuses, events = _heard(node, "status"), _heard(node, "impact")
    on_state = _callback(node, "joint_states")
    on_desired = _callback(node, "impact_qp/desired_joint_states")
    now = [10_000 * MILLISECOND]

    def play(hit: float = 0.0) -> str:
        now[0] += MILLISECOND
        statuses.clear()
        on_desired(arm.state(now[0] - MILLISECOND))
        state = arm.state(now[0], hit)
        for _ in range(3 if lockstep else 1):  # a plant without an answer repeats its state
            on_state(state)
        stamps = [each.header.stamp.sec * 10**9 + each.header.stamp.nanosec for each in statuses]
        return "" if now[0] in stamps else f"no status of {now[0]} ns, but of {stamps}"

    def recovers() -> str:
        wrong = [play() for _ in range(QUIET)]
        events.clear()
        wrong += [play(0.0 if lockstep else 0.5) for _ in range(10)]
        if lockstep:
            return next(filter(None, wrong), "") or ("" if statuses[-1].ready else "not ready")
        return next(filter(None, wrong), "") or ("" if events else "a hit was not seen")

    good = {
        "joint_states": lambda: arm.state(now[0] + MILLISECOND),
        "impact_qp/desired_joint_states": lambda: arm.state(now[0] + MILLISECOND),
        "wrench": lambda: _stamped(WrenchStamped(), now[0]),
        "wrench_batch": lambda: _batch(now[0]),
        "impact_qp/announcement": lambda: _announcement(now[0]),
    }
    return Patient(node, good, play, recovers)


def _stamped(message: Any, time: int) -> Any:
    from_nanoseconds(time, message.header.stamp)
    return message


def _batch(time: int) -> WrenchBatch:
    message = WrenchBatch(sample_period=4e-5)
    fill(message.force, np.ones((25, 3)))
    fill(message.torque, np.ones((25, 3)))
    return _stamped(message, time)


def _announcement(time: int) -> ImpactAnnouncement:
    message = ImpactAnnouncement(contact=_contact())
    from_nanoseconds(time + 1000 * MILLISECOND, message.window_end)
    return _stamped(message, time)


def _contact() -> Contact:
    x, y, z = WALL
    return Contact(normal=Vector3(x=x, y=y, z=z), surface=_surface())


def _surface(**fields: float) -> Surface:
    known = {"friction_low": 0.3, "friction_high": 0.3, "restitution_high": 0.1}
    return Surface(**known, **fields)


# --- predictor ----------------------------------------------------------------------------------


def _predictor(context: Context, arm: _Arm, *, stream: bool) -> Patient:
    surface = {"contact_point": arm.position.tolist(), "contact_normal": list(WALL)}
    node = _node(PredictorNode, context, stream=stream, **(surface if stream else {}))
    predictions = _heard(node, "prediction")
    answer = {each.service_name.rsplit("/", 1)[-1]: each for each in node.services}
    on_state = _callback(node, "joint_states")
    now = [10_000 * MILLISECOND]

    def predict() -> PredictImpact.Request:
        state, contact = arm.state(now[0]), _contact()
        contact.surface = _surface(stiffness_low=1e5, stiffness_high=1e6)
        return PredictImpact.Request(
            state=state, contacts=[contact], models=["M+B_theta"], joint_ranges="nominal"
        )

    def sets() -> ComputeFeasibleSets.Request:
        x, y, z = WALL
        normal = Vector3(x=x, y=y, z=z)
        message = ComputeFeasibleSets.Request(state=arm.state(now[0]), normal=normal)
        message.surface = _surface(stiffness_low=1e5, stiffness_high=1e6)
        message.sets = ["impulse", "load"]
        return message

    def ask() -> PredictImpact.Response:
        """Ask without a state: about the one that has come last."""
        request = predict()
        request.state = JointState()
        return answer["predict_impact"].callback(request, PredictImpact.Response())

    def works() -> str:
        now[0] += 100 * MILLISECOND
        predictions.clear()
        if not stream:
            ask()  # about the odd state, if it was one; an internal error is logged
        on_state(arm.state(now[0]))
        if stream:
            return "" if predictions else "no prediction of a good state"
        response = ask()
        return "" if response.success else f"a good request: {response.message}"

    good: dict[str, Callable[[], Any]] = {"joint_states": lambda: arm.state(now[0] + MILLISECOND)}
    if not stream:
        good |= {"predict_impact": predict, "compute_feasible_sets": sets}
    return Patient(node, good, works)


# --- plant --------------------------------------------------------------------------------------


def _plant(context: Context, interface: str) -> Patient:
    node = _node(ImpactSimNode, context, interface=interface, duration=1e6, after_contact=1e6)
    states = _heard(node, "joint_states")
    for other in ("wrench", "wrench_batch"):
        _heard(node, other)
    on_command = _callback(node, "impact_qp/command")
    node.start()

    def command() -> JointCommand:
        code = getattr(JointCommand, f"INTERFACE_{interface.upper()}")
        at_rest = states[-1].position if interface == "position" else np.zeros(node.robot.dof)
        message = JointCommand(interface=code, joint_names=list(node.robot.joint_names))
        fill(message.values, at_rest)
        message.header.stamp = states[-1].header.stamp
        return message

    def works() -> str:
        del states[:-1]
        on_command(command())
        moved = len(states) == 2 and np.isfinite(states[-1].position).all()
        return "" if moved and not node.failure else f"no new state: {node.failure}"

    return Patient(node, {"impact_qp/command": command}, works)
