# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The memory between loop and node: what is read is what was written, or is known to be lost."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from impact_detector.signals.sample import Detection, DetectionStatus
from impact_drivers.exceptions import LinkError
from impact_drivers.franka.arm.collision_behavior import CollisionBehavior
from impact_drivers.franka.loop.loop_cycle import LoopCounts, LoopCycle, LoopState
from impact_drivers.franka.memory import link, ring
from impact_drivers.franka.memory.cycle_record import CYCLE, NAMES
from impact_drivers.franka.memory.request import REQUEST, RequestKind
from impact_drivers.franka.memory.shared_memory import SharedMemory
from impact_qp import Contact, Plan
from impact_qp.control.command import Command
from impact_qp.control.phases import Phase
from impact_robots.exceptions import OutOfRangeError

MS = 1_000_000
CHILD = """
import sys
import numpy as np
from impact_drivers.franka.memory.link import LoopEnd
from impact_drivers.franka.loop.loop_cycle import LoopCycle
end, count = LoopEnd(int(sys.argv[1])), 0
while True:
    count += 1
    end.cycles.write(LoopCycle(count, *np.full((3, 7), float(count))))
    if count == 100:
        print(flush=True)
"""


@pytest.fixture
def node():
    made = link.NodeEnd()
    yield made
    made.close()


@pytest.fixture
def loop(node):
    made = link.LoopEnd(os.dup(node.descriptor))
    yield made
    made.close()


def cycle(number, **changes):
    return LoopCycle(number * MS, *np.arange(21.0).reshape(3, 7) + number, **changes)


def times(node):
    return [each.time // MS for each in node.cycles.read()]


def same(first, second):
    """Tell whether two records, nested or not, hold the same."""
    if isinstance(first, tuple):
        return type(first) is type(second) and all(map(same, first, second))
    return np.array_equal(first, second, equal_nan=isinstance(first, np.ndarray | float))


@pytest.fixture
def full():
    """A cycle that says something in every field."""
    arrays = np.random.default_rng(0).standard_normal((8, 7))
    names = "impact: fr3_joint6 impulsive torque", "torque: fr3_joint2"
    command = Command(
        *arrays[:7], Phase.COAST, names, names[:1], 0.1, -0.2, 0.3, 0.4, True, "payload"
    )
    detection = Detection("fused", 11 * MS, 12 * MS, 20.0, 15.0)
    status = DetectionStatus(13 * MS, 3.0, 15.0, False, True, None, 12 * MS, "fused", None, 4)
    return cycle(
        13,
        state=LoopState.FAULT,
        period=2 * MS,
        success_rate=0.97,
        answer=command,
        sent=arrays[7],
        status=status,
        detection=detection,
        detections=3,
        counts=LoopCounts(1, 2, 3, 4),
        solve_time=1e-4,
        cycle_time=2e-4,
        acknowledged=5,
        refusal="no speed is safe here",
        fault="reflex of the arm",
        errors="joint_reflex",
        begun=4,
        raised=True,
    )


# --- cycles -----------------------------------------------------------------------------------


def test_a_cycle_arrives_as_it_was_written(loop, node, full):
    bare = cycle(14)
    for each in (full, bare):
        loop.cycles.write(each)
    found = list(node.cycles.read())
    assert all(each.reported > 0 for each in found)
    plain = [each._replace(reported=0) for each in found]
    assert [same(*pair) for pair in zip(plain, (full, bare), strict=True)] == [True, True]
    assert not found[0].q.base and found[1].answer is found[1].status is found[1].sent is None


def test_every_cycle_is_read_once_and_in_order(loop, node):
    assert times(node) == []
    for number in range(1, 301):
        loop.cycles.write(cycle(number))
        if number in (1, 50, 300):
            assert times(node)[-1] == number
    assert times(node) == []
    assert node.cycles.lost == 0


def test_a_reader_that_sleeps_a_second_loses_nothing(loop, node):
    for number in range(1, 1001):
        loop.cycles.write(cycle(number))
    assert times(node) == list(range(1, 1001))


def test_an_overrun_is_counted_and_the_writer_does_not_wait(loop, node):
    for number in range(1, ring.SLOTS + 11):
        loop.cycles.write(cycle(number))
    assert times(node) == list(range(11, ring.SLOTS + 11))
    assert (node.cycles.lost, node.cycles.torn) == (10, 0)


def test_a_cycle_that_was_overwritten_since_is_lost_not_another_one(loop, node):
    for number in range(1, 4):
        loop.cycles.write(cycle(number))
    reading = node.cycles.read()
    assert next(reading).time == MS
    for number in range(4, ring.SLOTS + 3):  # over the second cycle
        loop.cycles.write(cycle(number))
    assert [each.time // MS for each in reading] == [3]
    assert node.cycles.lost == 1


@pytest.mark.parametrize("at", [8, 200, CYCLE.itemsize - 1])
def test_a_torn_cycle_is_told_and_not_returned(loop, node, at):
    for number in range(1, 4):
        loop.cycles.write(cycle(number))
    loop.cycles._slot(2)[at] ^= 1
    assert times(node) == [1, 3]
    assert (node.cycles.lost, node.cycles.torn) == (1, 1)


def test_texts_that_are_too_long_are_cut_between_names(loop, node, full):
    names = tuple(f"impact: fr3_joint{k} impulsive torque" for k in range(1, 8))
    assert len("\n".join(names)) > NAMES
    answer = full.answer._replace(active=names)
    loop.cycles.write(full._replace(answer=answer, fault="x" * 1000))
    (found,) = node.cycles.read()
    assert found.answer.active == names[: len(found.answer.active)]
    assert len(found.answer.active) > 5 and set(found.fault) == {"x"}


def test_a_second_loop_goes_on_counting(node, loop):
    loop.cycles.write(cycle(1))
    again = link.LoopEnd(os.dup(node.descriptor))
    again.cycles.write(cycle(2))
    again.close()
    assert times(node) == [1, 2]


def test_a_writer_that_is_killed_leaves_only_whole_cycles(node):
    child = subprocess.Popen(
        [sys.executable, "-c", CHILD, str(node.descriptor)],
        pass_fds=[node.descriptor],
        stdout=subprocess.PIPE,
    )
    child.stdout.readline()
    child.send_signal(signal.SIGKILL)
    assert child.wait() == -signal.SIGKILL
    child.stdout.close()
    found = list(node.cycles.read())
    first = found[0].time
    assert [each.time for each in found] == list(range(first, first + len(found)))
    assert len(found) == min(first + len(found) - 1, ring.SLOTS) and node.cycles.torn == 0
    assert all((each.tau == each.time).all() for each in found)
    loop = link.LoopEnd(os.dup(node.descriptor))  # what it left can be written on
    loop.cycles.write(cycle(1))
    loop.close()
    assert times(node) == [1]


# --- commands ---------------------------------------------------------------------------------


@pytest.fixture
def plan():
    contact = Contact([0.5, 0.1, 0.4], [-1, 0, 0], (0.2, 0.4), (0.1, 0.3), 2.0, 0.02, (1e4, 2e5))
    own = {"also_limits": ("robust", "joint_load")}
    return Plan(
        contact, "nominal", **own, speed=0.07, highest_speed=0.06, after="press", press_force=8.0
    )


@pytest.fixture
def defaults():
    return Plan(Contact([1, 2, 3], [0, 0, 1]), coast_time=0.05, retract_speed=0.03)


def test_a_goal_arrives_with_its_surface_speed_and_limits(node, loop, plan, defaults):
    need = CollisionBehavior(np.arange(7.0), np.arange(6.0))
    number = node.commands.ask(RequestKind.GOAL, plan, need)
    request = loop.commands.take(defaults)
    np.testing.assert_array_equal(request.need.torque, need.torque)
    np.testing.assert_array_equal(request.need.force, need.force)
    assert (request.number, request.kind) == (number, RequestKind.GOAL) == (1, 2)
    taken = request.plan
    for name in ("point", "normal", "friction", "restitution", "stiffness"):
        np.testing.assert_array_equal(getattr(taken.contact, name), getattr(plan.contact, name))
    assert taken.contact.peak_factor == 2.0 and taken.contact.impact_duration == 0.02
    assert (taken.impact_limits, taken.speed) == ("nominal", 0.07)
    assert taken.also_limits == ("robust", "joint_load"), "the node's own hold beside the goal's"
    assert (taken.after, taken.press_force, taken.highest_speed) == ("press", 8.0, 0.06)
    assert (taken.coast_time, taken.retract_speed) == (0.05, 0.03), "of the loop's own parameters"


def test_a_request_is_taken_once_and_the_newest_counts(node, loop, defaults):
    assert loop.commands.take(defaults) is None
    for kind in (RequestKind.HOLD, RequestKind.FINISH):
        node.commands.ask(kind)
    request = loop.commands.take(defaults)
    assert request == (2, RequestKind.FINISH, None, None)
    assert loop.commands.take(defaults) is None
    assert loop.commands.taken == 2


@pytest.mark.parametrize("kind", [RequestKind.GOAL, RequestKind.HOLD])
def test_nothing_begins_that_was_asked_too_long_ago(node, plan, defaults, kind):
    late = link.LoopEnd(os.dup(node.descriptor), 0.2)
    node.commands.ask(kind, plan)
    node.commands._record.fields["asked"] -= 300 * MS
    node.commands._record.write_to(node.commands._request)
    line = rf"^{kind.name.lower()}: asked 0.3\d s ago, expected at most 0.2 s$"
    with pytest.raises(LinkError, match=line):
        late.commands.take(defaults)
    assert late.commands.taken == 1
    late.close()


def test_what_stops_the_arm_is_never_too_old(node, defaults):
    late = link.LoopEnd(os.dup(node.descriptor), 0.2)
    for kind in (RequestKind.STOP, RequestKind.FINISH, RequestKind.END):
        node.commands.ask(kind)
        node.commands._record.fields["asked"] -= 300_000 * MS
        node.commands._record.write_to(node.commands._request)
        assert late.commands.take(defaults).kind is kind
    late.close()


def test_a_request_that_is_being_written_is_not_taken(node, loop, plan, defaults):
    node.commands.ask(RequestKind.GOAL, plan)
    node.commands._request[REQUEST.itemsize - 1] ^= 1
    assert loop.commands.take(defaults) is None
    assert loop.commands.taken == 0
    node.commands._request[REQUEST.itemsize - 1] ^= 1
    assert loop.commands.take(defaults).number == 1


def test_a_goal_that_makes_no_sense_is_taken_and_refused(node, loop, plan, defaults):
    node.commands.ask(RequestKind.GOAL, plan)
    node.commands._record.fields["peak_factor"] = -1.0
    node.commands._record.write_to(node.commands._request)
    with pytest.raises(OutOfRangeError, match="peak_factor"):
        loop.commands.take(defaults)
    assert loop.commands.taken == 1


def test_the_node_is_known_to_live(node, loop):
    assert loop.commands.beats == 0
    for beats in (1, 2):
        node.commands.beat()
        assert loop.commands.beats == beats


# --- the memory -------------------------------------------------------------------------------


def test_nothing_has_a_name_or_stays_behind(node):
    assert str(Path(f"/proc/self/fd/{node.descriptor}").readlink()).endswith("(deleted)")


def test_the_descriptor_reaches_only_whom_it_is_handed_to(node):
    assert not os.get_inheritable(node.descriptor)


@pytest.mark.parametrize(
    ("size", "version", "line"),
    [
        (link.SIZE + 8, link.VERSION, rf"expected {link.SIZE + 24} bytes, got {link.SIZE + 32}"),
        (
            link.SIZE,
            link.VERSION + 1,
            rf"version {link.VERSION} and .*, got .*, {link.VERSION + 1}",
        ),
    ],
)
def test_memory_of_another_size_or_version_is_refused(size, version, line):
    other = SharedMemory.create(size, version)
    with pytest.raises(LinkError, match=line):
        link.LoopEnd(other.descriptor)
    other.close()


def test_what_is_no_memory_is_refused(tmp_path):
    with open(tmp_path / "zeros", "w+b") as file:
        file.truncate(link.SIZE + 24)
        with pytest.raises(LinkError, match="expected magic 494d5041"):
            link.LoopEnd(file.fileno())
    with pytest.raises(LinkError, match="Bad file descriptor"):
        link.LoopEnd(10_000)
