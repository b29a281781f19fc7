# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""What the controller does next, as a table."""

import numpy as np
import pytest

from impact_qp import Phase, Plan
from impact_qp.control.controller import ImpactController
from impact_qp.control.phases import Situation, next_phase
from impact_qp.goals.goal import OK, TIMEOUT, UNEXPECTED_IMPACT, GoalRun
from impact_qp.limits import Contact
from impact_robots import ArmDynamics

FAR, NEAR, BEHIND = 0.1, 0.01, -0.05  # gaps [m]


def plan(contact, **changes):
    return Plan(contact, **changes)


@pytest.mark.parametrize(
    ("phase", "changes", "expected"),
    [
        (Phase.APPROACH, {}, Phase.APPROACH),
        (Phase.APPROACH, {"impact": True}, Phase.COAST),
        (Phase.APPROACH, {"gap": BEHIND}, Phase.RETRACT),
        (Phase.APPROACH, {"blocked": True, "gap": NEAR}, Phase.RETRACT),
        (Phase.APPROACH, {"blocked": True}, Phase.BRAKE),
        (Phase.APPROACH, {"blocked": True, "at_rest": True}, Phase.BRAKE),
        (Phase.APPROACH, {"stopping": True, "impact": True}, Phase.BRAKE),
        (Phase.APPROACH, {"stopping": True, "at_rest": True}, Phase.HOLD),
        (Phase.COAST, {"since": 0.05}, Phase.COAST),
        (Phase.COAST, {"since": 0.2}, Phase.RETRACT),
        (Phase.COAST, {"stopping": True}, Phase.BRAKE),
        (Phase.RETRACT, {"gap": NEAR}, Phase.RETRACT),
        (Phase.RETRACT, {"gap": FAR}, Phase.BRAKE),
        (Phase.RETRACT, {"gap": NEAR, "blocked": True}, Phase.BRAKE),
        (Phase.PRESS, {"gap": 0.0}, Phase.PRESS),
        (Phase.PRESS, {"gap": BEHIND}, Phase.RETRACT),
        (Phase.PRESS, {"gap": 0.0, "stopping": True}, Phase.BRAKE),
        (Phase.BRAKE, {"impact": True}, Phase.BRAKE),
        (Phase.BRAKE, {"at_rest": True}, Phase.HOLD),
        (Phase.HOLD, {"stopping": True}, Phase.HOLD),
        (Phase.HOLD, {"impact": True, "gap": BEHIND}, Phase.HOLD),
    ],
)
def test_what_follows(contact, phase, changes, expected):
    now = Situation(phase, **{"since": 0.0, "gap": FAR, **changes})
    assert next_phase(now, plan(contact)) is expected


@pytest.mark.parametrize(("after", "expected"), [("retract", Phase.RETRACT), ("hold", Phase.BRAKE)])
def test_only_torques_coast(contact, after, expected):
    now = Situation(Phase.APPROACH, 0.0, 0.0, impact=True)
    assert next_phase(now, plan(contact, interface="velocity", after=after)) is expected


def carried_out(robot, behind=None, **changes):
    """The end of a goal 4 mm before a surface that is gone 30 ms after it was hit; its phases.

    ``behind``: of the surface's place, where something is met on the way back [m].
    """
    q, dq, normal = np.array(robot.stance), np.zeros(7), np.array([-1.0, 0.0, 0.0])
    place = ArmDynamics(robot).position(q) - 0.004 * normal
    contact = Contact(place, normal, (0.0, 0.5), (0.0, 0.3), stiffness=(1e4, 2e4))
    plan = Plan(contact, "robust", speed=0.08, speed_cap=0.25, retract_distance=0.01, **changes)
    controller = ImpactController(robot, plan)
    run, phases, hits = GoalRun(robot, controller.plan, 5.0), [], []
    for k in range(6000):
        gap = contact.gap(ArmDynamics(robot).position(q))
        back = phases[-1:] == [Phase.RETRACT] and behind is not None and gap > behind
        if (not hits and gap <= 0.0) or (len(hits) == 1 and back):
            hits.append(k)
        impact = bool(hits) and k - hits[-1] < 30
        command = controller.update(q, dq, impact=impact)
        if phases[-1:] != [command.phase]:
            phases.append(command.phase)
        if (end := run.add(k * 1_000_000, q, dq, command, impact)) is not None:
            return end, phases
        q = q + 1e-3 * (dq + 5e-4 * command.ddq)
        dq = dq + 1e-3 * command.ddq
    raise AssertionError(f"no end: {phases}")


def test_a_goal_that_presses_on_what_gives_way_ends(panda):
    end, phases = carried_out(panda, after="press", press_force=3.5, overrun=0.003)
    assert phases[-4:] == [Phase.PRESS, Phase.RETRACT, Phase.BRAKE, Phase.HOLD]
    assert end.code == TIMEOUT and "the surface is gone" in end.message


def test_a_goal_whose_way_back_is_cut_short_is_no_success(panda):
    assert carried_out(panda)[0].code == OK
    end, phases = carried_out(panda, behind=0.003)
    assert phases[-3:] == [Phase.RETRACT, Phase.BRAKE, Phase.HOLD]
    assert (end.code, end.success) == (UNEXPECTED_IMPACT, False)
    assert end.message.startswith("the way back was cut short, 3.")
    assert end.message.endswith("of 10 mm before the surface")
