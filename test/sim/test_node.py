# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The simulated robot's node over real DDS: lockstep, bad commands, and the wall clock."""

import numpy as np
import pytest

pytest.importorskip("rclpy")

from geometry_msgs.msg import WrenchStamped
from rclpy.node import Node
from rclpy.parameter import Parameter
from sensor_msgs.msg import JointState
from std_msgs.msg import String

from impact_msgs.msg import JointCommand, WrenchBatch
from impact_ros.messages import from_nanoseconds, to_nanoseconds
from impact_ros.node.spin import spin
from impact_ros.parameters import ParameterError
from impact_ros.qos import LATCHED, RECORD, STREAM
from impact_sim import PANDA_NOISE, Simulation, SimulationError, load_scenario
from impact_sim.node import START_NS, ImpactSimNode, StandaloneSimNode
from impact_sim.ros import lockstep_node, standalone

TIME_OUT = 20.0  # [s]
QUIET = 0.1  # long enough for a state that must not come [s]
MS = 1_000_000  # [ns]
NAN = float("nan")


class Controller(Node):
    """Hears all that the robot says, and commands."""

    def __init__(self, context):
        super().__init__("controller", context=context)
        self.commands = self.create_publisher(JointCommand, "impact_qp/command", STREAM)
        self.states, self.wrenches, self.batches, self.description = [], [], [], []
        for kind, topic, heard, profile in (
            (JointState, "joint_states", self.states, RECORD),
            (WrenchStamped, "wrench", self.wrenches, RECORD),
            (WrenchBatch, "wrench_batch", self.batches, RECORD),
            (String, "robot_description", self.description, LATCHED),
        ):
            self.create_subscription(kind, topic, heard.append, profile)


class Bench:
    """The robot's node and a controller, served by one executor."""

    def __init__(self, context, kind, parameters):
        overrides = [Parameter(name, value=value) for name, value in parameters.items()]
        self.robot = kind(context=context, parameter_overrides=overrides)
        self.controller = Controller(context)
        self.names = self.robot.robot.joint_names

    def spin(self, until=None, timeout=TIME_OUT):
        reason = spin([self.robot, self.controller], until=until, timeout=timeout)
        assert until is None or reason == "condition", reason

    def meet(self):
        """Wait until both sides know each other."""
        controller = self.controller
        streams = [p for p in self.robot.publishers if "wrench" in p.topic or "joint" in p.topic]
        assert len(streams) == 3
        self.spin(
            lambda: (
                all(s.get_publisher_count() for s in controller.subscriptions)
                and all(p.get_subscription_count() for p in streams)
                and controller.commands.get_subscription_count()
                and self.robot.peers
                and controller.description
            )
        )
        return self

    def start(self):
        """Start, and return when the first state has come."""
        self.meet().robot.start()
        self.spin(lambda: len(self.controller.states) > 0)
        return self

    def command(self, stamp, values=None, **changes):
        """Send a command; zero without values."""
        fields = {
            "interface": JointCommand.INTERFACE_TORQUE,
            "joint_names": self.names,
            "values": np.zeros(len(self.names)) if values is None else values,
        } | changes
        fields["values"] = [float(value) for value in fields["values"]]
        message = JointCommand(**fields)
        from_nanoseconds(stamp, message.header.stamp)
        self.controller.commands.publish(message)

    def step(self, values=None, **changes):
        """Answer the newest state and return the next one."""
        states = self.controller.states
        count = len(states)
        self.command(stamp(states[-1]), values, **changes)
        self.spin(lambda: len(states) > count)
        return states[-1]

    def ignored(self, *arguments, **changes):
        """Tell whether a command is without effect."""
        count, time = len(self.controller.states), self.robot.simulation.time_ns
        self.command(*arguments, **changes)
        self.spin(timeout=QUIET)
        return (len(self.controller.states), self.robot.simulation.time_ns) == (count, time)

    def close(self):
        self.robot.destroy_node()
        self.controller.destroy_node()


@pytest.fixture
def make_bench(context):
    made = []

    def make(kind=ImpactSimNode, **parameters):
        made.append(Bench(context, kind, parameters))
        return made[-1]

    yield make
    for bench in made:
        bench.close()


@pytest.fixture
def bench(make_bench):
    return make_bench().start()


def stamp(message):
    return to_nanoseconds(message.header.stamp)


# --- lockstep ---------------------------------------------------------------------------------


def test_nothing_is_published_before_the_start(make_bench):
    bench = make_bench().meet()
    assert bench.ignored(START_NS)
    assert bench.controller.states == []
    (description,) = bench.controller.description
    assert "<robot" in description.data


def test_each_command_takes_the_arm_one_millisecond_on(bench, panda):
    """The same measurements as of the simulation without a node, to the bit."""
    scenario = load_scenario("qp_panda_demo")
    simulation = Simulation(panda, scenario.wall(panda), noise=PANDA_NOISE, seed=0)
    expected = simulation.reset(scenario.start(panda))
    for k in range(5):
        state = bench.controller.states[-1]
        assert stamp(state) == START_NS + k * MS
        assert tuple(state.name) == panda.joint_names
        np.testing.assert_array_equal(state.position, expected.q)
        np.testing.assert_array_equal(state.velocity, expected.dq)
        np.testing.assert_array_equal(state.effort, expected.tau)
        torque = np.full(7, 0.5 * k)
        bench.step(torque)
        expected = simulation.step(torque)


def test_only_the_command_with_the_states_stamp_counts(bench):
    bench.step()
    for wrong in (START_NS, START_NS + 2 * MS, START_NS + MS + 1, 0):
        assert bench.ignored(wrong, values=np.full(7, 5.0))
    assert stamp(bench.step()) == START_NS + 2 * MS
    assert bench.robot.failure == ""


def test_joint_names_in_another_order_command_the_same(make_bench):
    states = []
    for order in ([0, 1, 2, 3, 4, 5, 6], [3, 6, 0, 1, 5, 2, 4]):
        bench = make_bench().start()
        torque = np.arange(7.0)
        names = [bench.names[i] for i in order]
        for _ in range(3):
            state = bench.step(torque[order], joint_names=names)
        states.append(state)
        bench.close()
    assert states[0] == states[1]


def test_sizes_stamps_and_frames(bench, panda):
    """A batch covers the millisecond up to the state's stamp."""
    for _ in range(3):
        state = bench.step()
    controller = bench.controller
    bench.spin(lambda: len(controller.wrenches) == 4 and len(controller.batches) == 3)
    wrench, batch = controller.wrenches[-1], controller.batches[-1]
    assert stamp(wrench) == stamp(state)
    assert wrench.header.frame_id == batch.header.frame_id == panda.base_frame
    assert len(batch.force) == 25 * 3
    assert len(batch.torque) == 0
    assert batch.sample_period == pytest.approx(40e-6)
    assert stamp(batch) + 24 * 40_000 == stamp(state)
    last = np.array(batch.force).reshape(25, 3)[-1]
    force = wrench.wrench.force
    np.testing.assert_array_equal(last, [force.x, force.y, force.z])


def test_an_unanswered_state_is_sent_again_unchanged(make_bench, monkeypatch):
    monkeypatch.setattr(lockstep_node, "RESEND_AFTER", 0.1)
    bench = make_bench().start()
    bench.step()
    count = len(bench.controller.states)
    bench.spin(lambda: len(bench.controller.states) >= count + 2)
    first, *others = bench.controller.states[count - 1 :]
    assert all(other == first for other in others)
    assert bench.robot.simulation.time_ns == MS
    assert stamp(bench.step()) == START_NS + 2 * MS


def test_without_answers_it_gives_up_and_says_why(make_bench, monkeypatch):
    monkeypatch.setattr(lockstep_node, "RESEND_AFTER", 0.1)
    monkeypatch.setattr(lockstep_node, "GIVE_UP_AFTER", 0.5)
    bench = make_bench().start()
    bench.spin(lambda: bench.robot.finished)
    assert bench.robot.failure.startswith("no command for ")
    assert "is the controller running and active? On a busy machine" in bench.robot.failure
    assert bench.ignored(START_NS)


def test_it_is_finished_when_the_last_state_was_answered(make_bench):
    bench = make_bench(duration=0.003).start()
    for _ in range(3):
        state = bench.step()
        assert not bench.robot.finished
    bench.command(stamp(state))
    bench.spin(lambda: bench.robot.finished)
    assert bench.robot.failure == ""
    assert bench.ignored(stamp(state))


def test_the_velocity_interface_moves_the_arm(make_bench):
    wanted = np.array([0.1, -0.1, 0.1, 0.1, -0.1, 0.1, 0.1])
    bench = make_bench(interface="velocity", noise=False).start()
    for _ in range(100):
        state = bench.step(wanted, interface=JointCommand.INTERFACE_VELOCITY)
    np.testing.assert_allclose(state.velocity, wanted, atol=0.03)


# --- bad commands -----------------------------------------------------------------------------


@pytest.mark.parametrize("bad", [NAN, float("inf"), -float("inf")])
def test_a_command_that_is_not_finite_is_dropped_and_nothing_moves(bench, bad, capfd):
    assert bench.ignored(START_NS, values=[0, 0, 0, bad, 0, 0, 0])
    assert_dropped(bench, "command: expected finite numbers, got [0.0, 0.0", capfd)


def assert_dropped(bench, reason, capfd):
    """The node said why in one line, has not failed, and takes the next good command."""
    (line,) = [line for line in capfd.readouterr().err.splitlines() if "dropped" in line]
    assert "impact_qp/command dropped: " in line and reason in line
    assert bench.robot.failure == "" and not bench.robot.finished
    assert stamp(bench.step()) == START_NS + MS


@pytest.mark.parametrize(
    ("interface", "value", "reason"),
    [
        ("torque", 1e5, "command: torque of panda_joint5: expected at most 120, got 100000"),
        ("velocity", -30.0, "velocity of panda_joint1: expected at most 21.75, got 30"),
        ("position", 5.0, "position of panda_joint7: expected at most 1 from the arm, got 7.0"),
    ],
)
def test_what_a_driver_would_refuse_is_dropped(make_bench, interface, value, reason, capfd):
    bench = make_bench(interface=interface).start()
    code = getattr(JointCommand, f"INTERFACE_{interface.upper()}")
    assert bench.ignored(START_NS, values=np.full(7, value), interface=code)
    assert reason in capfd.readouterr().err
    assert bench.robot.failure == ""


@pytest.mark.parametrize(("sec", "nanosec"), [(1, 4294967295), (2147483647, 0), (-1, 0)])
def test_a_command_with_a_stamp_that_is_none_is_dropped(bench, sec, nanosec):
    message = JointCommand(joint_names=bench.names, values=[0.0] * 7)
    message.header.stamp.sec, message.header.stamp.nanosec = sec, nanosec
    bench.controller.commands.publish(message)
    bench.spin(timeout=QUIET)
    assert bench.robot.failure == ""
    assert stamp(bench.step()) == START_NS + MS


def test_it_gives_up_with_the_reason_for_which_the_last_command_was_dropped(
    make_bench, monkeypatch
):
    monkeypatch.setattr(lockstep_node, "RESEND_AFTER", 0.1)
    monkeypatch.setattr(lockstep_node, "GIVE_UP_AFTER", 0.5)
    bench = make_bench().start()
    bench.command(START_NS, values=np.zeros(6))
    bench.spin(lambda: bench.robot.finished)
    assert bench.robot.failure.startswith("no command for ")
    assert bench.robot.failure.endswith("expected 7 names and values, got 7 and 6")


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"values": np.zeros(6)}, "command: expected 7 names and values, got 7 and 6"),
        ({"values": np.zeros(8)}, "command: expected 7 names and values, got 7 and 8"),
        ({"values": []}, "command: expected 7 names and values, got 7 and 0"),
        ({"joint_names": []}, "command: expected 7 names and values, got 0 and 7"),
        ({"joint_names": [f"fr3_joint{i}" for i in range(1, 8)]}, "missing panda_joint1"),
        ({"joint_names": [f"panda_joint{i % 6 + 1}" for i in range(7)]}, "missing panda_joint7"),
        (
            {"joint_names": ["x", *(f"panda_joint{i}" for i in range(1, 8))]},
            "command: expected 7 names and values, got 8 and 7",
        ),
        (
            {"joint_names": [f"panda_joint{i % 7 + 1}" for i in range(8)], "values": np.zeros(8)},
            "command: expected 7 names and values, got 8 and 8",
        ),
        ({"interface": JointCommand.INTERFACE_VELOCITY}, "command: expected the torque interface"),
        ({"interface": JointCommand.INTERFACE_UNKNOWN}, "command: expected the torque interface"),
        ({"interface": 77}, "command: expected the torque interface"),
    ],
)
def test_a_bad_command_is_dropped_with_one_line_and_nothing_moves(bench, changes, reason, capfd):
    assert bench.ignored(START_NS, **changes)
    assert_dropped(bench, reason, capfd)


@pytest.mark.parametrize(
    ("name", "value", "line"),
    [
        ("scenario", "moon", "parameter scenario: expected one of qp_panda_demo"),
        ("seed", -1, "parameter seed: expected an integer of at least 0, got -1"),
        ("duration", NAN, "parameter duration: expected a number of at least 0.001"),
        ("interface", "effort", "parameter interface: expected one of torque, velocity, position"),
    ],
)
def test_a_bad_parameter_is_one_line(make_bench, name, value, line):
    with pytest.raises(ParameterError, match=line):
        make_bench(**{name: value})


# --- the wall clock ---------------------------------------------------------------------------


def test_against_the_clock_lost_commands_are_counted_held_and_then_braked(make_bench, monkeypatch):
    bench = make_bench(realtime=True).meet()
    applied, step, brake = [], Simulation.step, Simulation.brake
    braked = np.full(7, -1.0)

    def note(simulation, command):
        applied.append(command.copy())
        return step(simulation, command)

    def note_brake(simulation):
        applied.append(braked)
        return brake(simulation)

    monkeypatch.setattr(Simulation, "step", note)
    monkeypatch.setattr(Simulation, "brake", note_brake)
    bench.robot.start()
    bench.spin(lambda: len(applied) > 3)
    assert bench.robot.missed_cycles == 0  # nobody has commanded yet
    bench.command(stamp(bench.controller.states[-1]), np.full(7, 0.5))
    bench.spin(lambda: len(applied) > 3 and applied[-1] is braked and bench.robot.missed_cycles)
    held = [command[0] for command in applied].index(0.5)
    assert [command[0] for command in applied[:held]] == [-1.0] * held
    torques = np.array(applied[held:])
    np.testing.assert_array_equal(torques[:21], np.full((21, 7), 0.5))  # itself and 20 lost ones
    np.testing.assert_array_equal(torques[21:], -1.0)
    assert bench.robot.missed_cycles == len(torques) - 1


def test_against_the_clock_the_newest_command_counts_and_an_older_one_does_not(make_bench):
    bench = make_bench(realtime=True).start()
    bench.spin(lambda: len(bench.controller.states) > 20)
    robot = bench.robot
    newest, older = (stamp(bench.controller.states[i]) for i in (-1, -10))
    bench.command(newest, np.full(7, 0.5))
    bench.spin(lambda: robot._last is not None and robot._last[0] == 0.5)
    bench.command(older, np.full(7, 0.7))
    bench.command(newest + 1000 * MS, np.full(7, 0.8))  # of the future
    bench.spin(timeout=QUIET)
    assert robot._last[0] == 0.5
    bench.command(newest)  # such as a controller's last word
    bench.spin(lambda: robot._last[0] == 0.0)
    assert robot.failure == ""


def test_against_the_clock_a_bad_command_is_dropped_and_the_last_good_one_held(make_bench):
    bench = make_bench(realtime=True).start()
    robot, states = bench.robot, bench.controller.states
    bench.command(stamp(states[-1]), np.full(7, 0.5))
    bench.spin(lambda: robot._last is not None)
    bench.command(stamp(states[-1]), np.full(7, NAN))
    bench.spin(lambda: "expected finite numbers" in robot._dropped)
    missed = robot.missed_cycles
    bench.spin(lambda: robot.missed_cycles > missed)
    assert robot._last.tolist() == [0.5] * 7
    assert robot.failure == "" and not robot.finished


def test_against_the_clock_it_ends_with_its_duration(make_bench):
    bench = make_bench(realtime=True, duration=0.1).start()
    bench.spin(lambda: bench.robot.finished)
    assert bench.robot.simulation.time_ns == 100 * MS


# --- on its own -------------------------------------------------------------------------------


def test_on_its_own_it_starts_with_a_listener_and_waits_for_the_first_command(
    make_bench, monkeypatch
):
    monkeypatch.setattr(lockstep_node, "RESEND_AFTER", 0.05)
    monkeypatch.setattr(lockstep_node, "GIVE_UP_AFTER", 0.3)
    bench = make_bench(StandaloneSimNode)
    bench.spin(lambda: len(bench.controller.states) > 10)  # longer than it takes to give up
    state = bench.step()
    assert stamp(state) == START_NS + MS
    with pytest.raises(SimulationError, match="no command for"):
        bench.spin(lambda: False)


@pytest.mark.parametrize("ends", [False, True])
def test_on_its_own_it_says_how_to_go_on_when_it_is_over(make_bench, monkeypatch, capfd, ends):
    monkeypatch.setattr(standalone, "HEARD_WITHIN", 0.0)
    bench = make_bench(StandaloneSimNode, duration=0.002, shutdown_when_over=ends)
    bench.spin(lambda: len(bench.controller.states) > 0)
    bench.robot._timer.cancel()
    bench.step()
    last = bench.step()
    bench.command(stamp(last), None)
    bench.spin(lambda: bench.robot.finished)
    bench.robot._tick()
    bench.robot._tick()
    assert bench.robot.ended is ends
    said = capfd.readouterr().err
    assert said.count("over after 0.00 s simulated; ") == 1
    assert ("it ends now" if ends else "with shutdown_when_over:=true it does so by itself") in said
    assert "larger duration and after_contact for more hits or goals" in said


def test_on_its_own_a_bad_command_ends_nothing(make_bench):
    bench = make_bench(StandaloneSimNode)
    bench.spin(lambda: len(bench.controller.states) > 0)
    assert bench.ignored(START_NS, np.full(7, NAN))
    assert stamp(bench.step()) == START_NS + MS
