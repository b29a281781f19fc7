# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""What the pages of the FR3 say of keys and values is what the shipped files have."""

import re

import pytest
import yaml

FILES = ("config/franka.yaml", "config/franka_fr3.yaml", "impact_robots/fr3.yaml")
PAGES = ("robot.md", "franka.md", "franka_ros2.md", "first_day.md")
# Values on the pages that differ from the shipped ones because a reader may choose them.
CHOSEN = {
    ("driver_compensates_gravity", "false"),  # of another arm
    ("interface", "velocity"),  # of another arm
    ("like", "panda"),  # of another arm
    ("approach_on_activation", "false"),
    ("approach_on_activation", "true"),  # the default, which the files leave out
    ("raise_thresholds", "true"),
    ("realtime", "false"),
    ("stream", "true"),
    ("speed", "0.02"),
    ("speed_cap", "0.02"),
}


def entries(document):
    """Yield the keys and values of a YAML document, at any depth."""
    for key, value in (document or {}).items():
        if isinstance(value, dict):
            yield from entries(value)
        else:
            yield key, value


@pytest.fixture(scope="module")
def shipped(project_root):
    """What the FR3's files have: a set of values, as text, by key."""
    found = {}
    for name in FILES:
        for key, value in entries(yaml.safe_load((project_root / name).read_text())):
            found.setdefault(key, set()).add(str(value).lower())
    return found


def said(text):
    """Yield the keys with values that a page names, in a sentence or as a block."""
    yield from re.findall(r"`([a-z_]+): ([^`]+)`", text)
    for block in re.findall(r"^[ ]*```yaml\n(.*?)^[ ]*```", text, re.MULTILINE | re.DOTALL):
        if "impact_qp" in block:
            pairs = entries(yaml.safe_load(block))
            yield from ((key, str(value).lower()) for key, value in pairs)


@pytest.mark.parametrize("page", PAGES)
def test_values_on_a_page_are_the_shipped_ones_or_a_readers_choice(page, project_root, shipped):
    pairs = set(said((project_root / "doc" / page).read_text())) - CHOSEN
    wrong = {(key, value) for key, value in pairs if value not in shipped.get(key, ())}
    assert wrong == set()


def test_choices_are_made_on_a_page(project_root):
    every = {pair for page in PAGES for pair in said((project_root / "doc" / page).read_text())}
    assert every >= CHOSEN


def test_there_is_one_kind_of_impact_limits_throughout(project_root, shipped):
    (kind,) = shipped["impact_limits"]
    for page in PAGES:
        text = (project_root / "doc" / page).read_text()
        named = re.findall(r"(?:--impact-limits |impact_limits:=|impact_limits: )([a-z_]+)", text)
        assert set(named) <= {kind}, page
    assert f"`impact_limits: {kind}`" in (project_root / "doc" / "robot.md").read_text()


@pytest.mark.parametrize("key", ["torque_thresholds", "force_thresholds", "speed_cap"])
def test_figures_of_the_settings_are_on_their_page(key, project_root, shipped):
    page = "robot.md" if key == "speed_cap" else "franka.md"
    text = (project_root / "doc" / page).read_text()
    (value,) = shipped[key]
    plain = re.sub(r"\.0\b", "", value)
    assert plain in text, f"{page}: expected {key} {plain}"
