# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Every message as it was only constructed: unknown, switched off, nothing that moves a robot."""

import re
from pathlib import Path

import pytest

from impact_msgs import action, msg, srv

ROOT = Path(__file__).resolve().parents[1]
PARTS = {"action": ("Goal", "Result", "Feedback"), "srv": ("Request", "Response")}
FILES = sorted(path for kind in ("msg", "srv", "action") for path in ROOT.glob(f"{kind}/*.{kind}"))
CONSTANT = re.compile(r"(u?int\d+) ([A-Z][A-Z0-9_]*)=(\d+)")
FIELD = re.compile(r"([\w/]+(?:\[\d*\])?) ([a-z]\w*)(?: .+)?")
SWITCHES = {"circumscribed": True}  # booleans whose safe default is true, and why: it covers more
POSITIVE = {  # numbers that a request may leave at a default of its own
    "ComputeFeasibleSets": {"generators": 8, "peak_factor": 3.0, "impact_duration": 0.018},
    "PredictImpact": {"inertia_uncertainty": 0.1},
}


def made(path):
    """Return one object of each class that a file defines, only constructed."""
    module = {"msg": msg, "srv": srv, "action": action}[path.suffix[1:]]
    kind = getattr(module, path.stem)
    parts = PARTS.get(path.suffix[1:])
    return [getattr(kind, part)() for part in parts] if parts else [kind()]


def blocks(path):
    """Return the constants that stand right above each field, by its name; and those left."""
    above, found = [], {}
    for line in path.read_text().splitlines():
        if match := CONSTANT.fullmatch(line):
            above.append((match[2], int(match[3])))
        elif (match := FIELD.fullmatch(line)) and not line.startswith("#") and above:
            found[match[2]], above = above, []
    return found, above


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_a_message_that_was_only_constructed_says_nothing(path):
    expected = POSITIVE.get(path.stem, {})
    for message in made(path):
        for name in message.get_fields_and_field_types():
            value = getattr(message, name)
            if isinstance(value, bool):
                assert value == SWITCHES.get(name, False), name
            elif isinstance(value, (int, float)):
                assert value == expected.get(name, 0), name
            elif isinstance(value, str) or not hasattr(value, "get_fields_and_field_types"):
                assert len(value) == 0, name


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_constants_stand_above_their_field_and_zero_is_unknown(path):
    found, left = blocks(path)
    assert not left, "constants without a field"
    for field, constants in found.items():
        names = [name for name, _ in constants]
        values = [value for _, value in constants]
        assert values[0] == 0, field
        assert len(set(values)) == len(values), field
        assert re.search(r"_(UNKNOWN|NONE)$", names[0]), field
        prefix = re.sub(r"_(UNKNOWN|NONE)$", "", names[0])
        assert all(name.startswith(f"{prefix}_") for name in names), names
        assert prefix.removesuffix("S").lower() in field, f"{prefix} is not about {field}"


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_every_field_has_a_comment(path):
    for block in path.read_text().split("\n\n"):
        lines = [line for line in block.splitlines() if line != "---"]
        if any(FIELD.fullmatch(line) for line in lines if not line.startswith("#")):
            assert lines[0].startswith("#"), block


def test_a_goal_that_was_only_constructed_asks_for_the_controllers_own():
    goal = action.ExecuteImpact.Goal()
    assert goal.after == goal.AFTER_UNKNOWN
    assert all(getattr(goal, name) == 0.0 for name in ("speed", "press_force", "timeout"))
    assert goal.surface == msg.Surface()
    turn = goal.contact.pose.orientation
    assert (turn.x, turn.y, turn.z, turn.w) == (0.0, 0.0, 0.0, 1.0)
    assert goal.contact.header.frame_id == ""
