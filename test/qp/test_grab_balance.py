# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""A grab whose own impulse, or whose box, makes the humanoid fall is refused before it moves."""

from dataclasses import replace

import pytest

from impact_cli.command_line import run as impact
from impact_qp import ControlError
from impact_qp.body.grab_balance import grab_margin
from impact_qp.body.grab_phases import box_arrivals
from impact_qp.body.guarded_grab import GuardedGrab
from impact_robots import load_robot
from impact_robots.task.find import find_palm_task

TASK, ROBOT = find_palm_task("qp_hrp4_grab"), load_robot("hrp4")
ABSURD = {
    "reference_speed": (20.0, "at most .* m/s, beyond which a palm's impulse makes hrp4 fall"),
    "box_masses": ((1.08, 25.0), "expected boxes with which hrp4 stands, got 25 kg"),
}


def margin(**changes):
    task = replace(TASK, **changes)
    return grab_margin(ROBOT, task, box_arrivals(task, ROBOT))


@pytest.mark.parametrize("name", ABSURD)
def test_a_grab_that_makes_it_fall_is_refused(name):
    value, words = ABSURD[name]
    with pytest.raises(ControlError, match=f"^qp_hrp4_grab: {name}: .*{words}") as caught:
        GuardedGrab(replace(TASK, **{name: value}))
    assert "\n" not in str(caught.value)


def test_a_heavier_box_leaves_less_margin():
    light, heavy = margin(), margin(box_masses=(10.0,))
    assert heavy.sustained < light.sustained and heavy.short < light.short


def test_no_shipped_grab_comes_near_its_limit():
    """Of balance, spec/palms.md: no constraint needed; a palm's limit is some metres a second."""
    assert margin(reference_speed=4.0) == margin()


def test_the_plan_refuses_it_too(tmp_path, capsys):
    path = tmp_path / "absurd.yaml"
    path.write_text("like: qp_hrp4_grab\nbox_masses: [25.0]\n")
    assert impact(["plan", "--task", str(path)]) == 1  # no speed is safe
    said = capsys.readouterr()
    assert said.out == "" and "box_masses: expected boxes with which hrp4 stands" in said.err


def test_the_plan_prints_the_margin(capsys):
    assert impact(["plan", "--task", "qp_hrp4_grab"]) == 0
    found = margin()
    line = f"up to {found.sustained:.1f} N sustained, {found.short:.1f} N.s short"
    assert line in capsys.readouterr().out
