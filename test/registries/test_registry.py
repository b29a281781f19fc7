# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""A registry keeps names apart, and says which there are."""

from typing import NamedTuple

import pytest

from impact_robots import ImpactError
from impact_robots.registry import NameTakenError, Registry


class Colour(NamedTuple):
    name: str
    wavelength: float = 0.0


def unknown(kind, got, choices):
    return ImpactError(f"{kind}: expected one of {', '.join(choices)}, got {got!r}")


@pytest.fixture
def colours():
    made = Registry("colour", unknown)
    made.register(Colour("red", 650.0))
    made.register(Colour("blue", 450.0))
    return made


def test_entries_are_found_by_name_in_the_order_of_their_registration(colours):
    assert list(colours) == ["red", "blue"]
    assert colours["blue"] is colours.named("blue")
    assert "green" not in colours


def test_a_name_that_is_taken_is_refused(colours):
    with pytest.raises(NameTakenError, match="colour: expected a name beside red, blue, got 'red'"):
        colours.register(Colour("red"))
    assert colours["red"].wavelength == 650.0


@pytest.mark.parametrize("ask", ["named", "remove"])
def test_an_unknown_name_is_answered_with_the_choices(colours, ask):
    with pytest.raises(ImpactError, match="colour: expected one of red, blue, got 'green'"):
        getattr(colours, ask)("green")


def test_what_is_removed_is_no_choice_any_more_and_its_name_is_free(colours):
    colours.remove("red")
    assert list(colours) == ["blue"]
    assert colours.register(Colour("red", 700.0)) is colours["red"]
