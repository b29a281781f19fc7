# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Every choice stands on its page, and the examples of extending.md run as they stand there."""

import contextlib
import io
import re

import pytest

from impact_detector import DETECTORS, GROSS_METHODS
from impact_predictor import CONTACT_LAWS, FRICTION_LAWS, PLANAR_LAWS
from impact_predictor.joint_load.materials import MATERIALS

REGISTRIES = (FRICTION_LAWS, PLANAR_LAWS, CONTACT_LAWS, DETECTORS, GROSS_METHODS, MATERIALS)


@pytest.fixture
def page(project_root):
    """A function that reads a page of the documentation."""
    return lambda name: (project_root / "doc" / name).read_text()


@pytest.fixture
def untouched():
    """Take out of the registries what the test has put in."""
    before = [set(registry) for registry in REGISTRIES]
    yield
    for registry, known in zip(REGISTRIES, before, strict=True):
        for name in set(registry) - known:
            registry.remove(name)


def test_the_examples_print_what_they_say(page, untouched):
    blocks = re.findall(r"^```python\n(.*?)^```", page("extending.md"), re.MULTILINE | re.DOTALL)
    assert len(blocks) == 6
    names, printed = {"__name__": "extending"}, io.StringIO()
    with contextlib.redirect_stdout(printed):
        for block in blocks:
            exec(compile(block, "extending.md", "exec"), names)  # a user's copy and paste
    said = re.findall(r"^ *print\(.*\)  # (.*)$", "".join(blocks), re.MULTILINE)
    assert len(said) >= 7
    lines = iter(printed.getvalue().splitlines())
    assert all(any(line == wanted for line in lines) for wanted in said)  # in this order
    assert {"half", "smooth", "cushion", "speed", "mean"} <= {n for r in REGISTRIES for n in r}


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
