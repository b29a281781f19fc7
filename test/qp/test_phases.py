# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""What the controller does next, as a table."""

import pytest

from impact_qp import Phase, Plan
from impact_qp.control.phases import Situation, next_phase

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
