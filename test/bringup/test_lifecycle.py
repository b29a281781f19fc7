# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""What is asked of a lifecycle node is asked again where that helps, and refusals are told."""

from types import SimpleNamespace

import pytest

pytest.importorskip("rclpy")

from lifecycle_msgs.msg import State
from lifecycle_msgs.srv import ChangeState, GetState

from impact_bringup.lifecycle import PAUSE, LifecycleClient
from impact_ros.exceptions import RosError


@pytest.fixture
def client():
    """A function that makes a client of a node which refuses some requests; with its pauses."""

    def make(refusals):
        state, pauses = State(id=State.PRIMARY_STATE_INACTIVE), []

        def change(request):
            nonlocal refusals
            refusals -= 1
            if refusals < 0:
                state.id = State.PRIMARY_STATE_ACTIVE
            return ChangeState.Response(success=refusals < 0)

        answers = {ChangeState: change, GetState: lambda _: GetState.Response(current_state=state)}

        def create_client(kind, name):
            def call(request):
                answer = answers[kind](request)
                return SimpleNamespace(done=lambda: True, result=lambda: answer)

            return SimpleNamespace(call_async=call)

        def wait(condition, limit):
            if not condition():
                pauses.append(limit)
            return condition()

        return LifecycleClient(SimpleNamespace(create_client=create_client), "node", wait), pauses

    return make


def test_a_refused_activation_is_tried_again(client):
    made, pauses = client(3)
    made.request("activate")
    assert made.state() == State.PRIMARY_STATE_ACTIVE
    assert pauses == [PAUSE] * 3


@pytest.mark.parametrize(("change", "pauses"), [("activate", 4), ("configure", 0)])
def test_a_refusal_that_stays_is_told(client, change, pauses):
    made, waited = client(99)
    made.state = lambda: State.PRIMARY_STATE_UNCONFIGURED
    with pytest.raises(RosError, match=f"node refused to {change}"):
        made.request(change)
    assert len(waited) == pauses
