# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The recorder of a grab says of an answer what the node says."""

import pytest

pytest.importorskip("impact_msgs.msg")
pytest.importorskip("mujoco")

from builtin_interfaces.msg import Time

from impact_bags import BagReader, impact_typestore
from impact_qp.body.grab_reports import grab_status
from impact_qp.control.state_machine import Fault
from impact_qp.control.status import Counts
from impact_sim.humanoid.grab_file import load_grab
from impact_trials.grab.grab_bag import STATUS, GrabBag
from impact_trials.grab.grab_trial import GrabTrial
from impact_trials.grab.haste import in_haste

NUMBERS = ("mode", "fault", "impact_limits", "infeasible_cycles", "speed_bound")


@pytest.fixture(scope="module")
def scenario():
    return in_haste(load_grab("qp_hrp4_grab"), "unaware")


@pytest.fixture(scope="module")
def cycle(scenario):
    """The first cycle of a grab."""
    cycles = []
    trial = GrabTrial(scenario, record=cycles.append)
    trial.cycle(trial.begin())
    return cycles[0]


def recorded(path, scenario, cycle):
    """The status in a bag with one cycle."""
    with GrabBag(path, scenario, impact_typestore()) as bag:
        bag.add(cycle)
    with BagReader(path) as reader:
        ((_, _, message),) = reader.messages([STATUS])
    return said_in(message)


def said_in(status):
    """What a status says, of the node or of a bag."""
    numbers = [getattr(status, name) for name in NUMBERS]
    return status.message, list(status.active_constraints), numbers


@pytest.mark.parametrize(
    ("said", "answered", "infeasible"),
    [
        ({}, {}, 0),
        ({"phase": "back", "failure": "the box was lost", "solved": False}, {}, 1),
        ({"solved": False}, {"problem": "dropped"}, 0),
        ({"failure": "a fall", "solved": False}, {"problem": "a fall", "fault": Fault.STOPPED}, 0),
        ({"failure": "jump", "solved": False}, {"problem": "jump", "fault": Fault.LATCHED}, 0),
    ],
)
def test_the_status_in_a_bag_is_that_of_the_node(
    tmp_path, scenario, cycle, said, answered, infeasible
):
    """After a box was lost the arms go back, with or without a solution: that is no fault."""
    answer = cycle.answer._replace(said=cycle.said._replace(**said), **answered)
    found = recorded(tmp_path / "bag", scenario, cycle._replace(answer=answer))
    status = grab_status(answer, Counts(infeasible=infeasible), Time(), scenario.impact_limits)
    assert found == said_in(status)
