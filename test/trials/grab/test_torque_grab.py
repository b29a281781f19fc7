# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""HRP-4 grabs with commanded motor torques; on a failure its servos hold it."""

from dataclasses import replace

import numpy as np
import pytest

from impact_sim.humanoid.grab_file import load_grab
from impact_trials.grab.grab_trial import GrabTrial, grab_trial

LIFTS = replace(load_grab("qp_hrp4_grab_torque"), box_masses=(1.08,), tosses=False)


def test_it_lifts_a_box_and_arrives_at_the_bound():
    found = grab_trial(LIFTS, seed=1)
    assert (found.fell, found.failure, found.unsolved) == (False, "", 0)
    (box,) = found.boxes
    assert box.lifted > 0.09 and box.slipped < 0.01 and box.margin > 0.05
    assert len(box.palms) == 2
    for palm in box.palms:
        assert 0.95 < palm.speed / palm.bound < 1.01
        assert palm.wrist_load < 1.0


def run(trial, seen, cycles):
    for _ in range(cycles):
        seen = trial.cycle(seen)
    return seen


def test_a_state_that_cannot_be_used_is_answered_by_the_servos():
    trial = GrabTrial(LIFTS, seed=2)
    seen = run(trial, trial.begin(), 20)
    broken = seen._replace(v=np.full_like(seen.v, np.nan))
    answers, answer = [], trial.controller.answer
    trial.controller.answer = lambda *given: answers.append(answer(*given)) or answers[-1]
    seen = run(trial, trial.cycle(broken), 20)
    assert answers[0].torques is None and answers[0].problem
    np.testing.assert_allclose(answers[0].positions, seen.q[7:], atol=0.2)
    assert all(each.torques is not None and not each.problem for each in answers[1:])


@pytest.mark.parametrize("why", ["beyond a motor's limit", "without a solution"])
def test_after_a_bad_command_its_servos_hold_it(why):
    trial = GrabTrial(LIFTS, seed=3)
    seen = run(trial, trial.begin(), 20)
    grab = trial.controller
    update, limit = grab._controller.update, grab.robot.limits.torque

    def bad(*given):
        command = update(*given)
        if why == "without a solution":
            return grab._controller.hold()
        return command._replace(torques=command.torques + 2.0 * limit)

    grab._controller.update = bad
    seen = run(trial, seen, 10)
    assert ("torque" in grab.fault) == (why != "without a solution")
    assert grab.fault
    stood = seen.q[7:]
    seen = run(trial, seen, 100)
    assert not trial.stage.fell
    assert np.abs(seen.q[7:] - stood).max() < 0.05
