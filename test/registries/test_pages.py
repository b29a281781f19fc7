# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Every choice stands on its page."""

import re

import pytest

from impact_detector import DETECTORS, GROSS_METHODS
from impact_predictor import CONTACT_LAWS, FRICTION_LAWS, PLANAR_LAWS
from impact_predictor.joint_load.materials import MATERIALS


@pytest.fixture
def page(project_root):
    """A function that reads a page of the documentation."""
    return lambda name: (project_root / "doc" / name).read_text()


@pytest.mark.parametrize("law", FRICTION_LAWS)
def test_a_friction_law_is_on_its_page(page, law):
    assert f"**`{law}`**" in page("models/friction.md")


@pytest.mark.parametrize("law", PLANAR_LAWS)
def test_a_planar_law_is_on_its_page(page, law):
    assert re.search(rf"^\| {law} \|", page("evaluate.md"), re.MULTILINE)


@pytest.mark.parametrize("model", CONTACT_LAWS.values(), ids=lambda model: model.name)
def test_a_contact_law_is_on_its_page(page, model):
    row = rf"^\| [^|]*\| `{model.law.__name__}` \| `{model.name}` \|"
    assert re.search(row, page("contact_force.md"), re.MULTILINE)


@pytest.mark.parametrize("material", MATERIALS.values(), ids=lambda material: material.name)
def test_a_material_is_on_its_page_with_its_ranges(page, material):
    (row,) = re.findall(rf"^\| `{material.name}` \|.*$", page("contact_force.md"), re.MULTILINE)
    cells = [cell.split(" to ") for cell in row.split("|")[-4:-1]]
    low_high = [tuple(map(float, cell)) for cell in cells]
    assert low_high[0] == pytest.approx(material.stiffness(), rel=0.05)
    assert low_high[1:] == [material.friction, material.restitution]


@pytest.mark.parametrize("kind", DETECTORS.values(), ids=lambda kind: kind.name)
def test_a_detector_is_on_its_page_with_its_default_threshold(page, kind):
    row = rf"^\| `{kind.name}`[^|]*\|.*\| {kind.threshold:g} {re.escape(kind.unit)} \|$"
    assert re.search(row, page("detection.md"), re.MULTILINE)


@pytest.mark.parametrize("method", GROSS_METHODS)
def test_a_gross_velocity_is_on_its_page(page, method):
    assert re.search(rf"^\| `{method}`[^|]*\|", page("estimation.md"), re.MULTILINE)
