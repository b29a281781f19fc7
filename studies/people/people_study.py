# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The study of contacts with people and of touches: as many of each, in one folder."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from studies.people import person_contacts, touches
from studies.people.person_contacts import PersonResult
from studies.people.touches import DrawnTouch
from studies.study_folder import StudyFolder

STUDY = "people"
CONTACTS = 1000  # of each half
PERSON, TOUCH = "person", "touch"  # the halves


class PeopleContact(NamedTuple):
    """One contact of the study: with a person, or a touch."""

    key: str  # half and number
    person: PersonResult | None
    touch: DrawnTouch | None


class PeopleFound(NamedTuple):
    """Both halves."""

    persons: list[PersonResult]
    touches: list[DrawnTouch]


def run(
    contacts: int,
    seed: int,
    jobs: int,
    progress: Callable[[float, str], None],
    finished: StudyFolder[PeopleContact],
) -> PeopleFound:
    """Return the contacts; who makes them changes nothing.

    Args:
        contacts: how many of each half.
        seed: of everything that is drawn.
        jobs: processes; with 1 it is this one.
        progress: called with the fraction done and a note.
        finished: contacts that need not be made; gets the others.

    Raises:
        ImpactError: a contact failed, or a process died.
    """
    drawn = [(half, k) for k in range(contacts) for half in (PERSON, TOUCH)]
    work = {_key(*each): (seed, *each) for each in drawn}
    all_of = finished.completed(made, work, jobs, progress, "contacts")
    return PeopleFound(
        [each.person for each in all_of if each.person is not None],
        [each.touch for each in all_of if each.touch is not None],
    )


def made(seed: int, half: str, number: int) -> PeopleContact:
    """Draw a contact of a half, and simulate it."""
    key = _key(half, number)
    if half == PERSON:
        return PeopleContact(key, person_contacts.drawn_contact(seed, number), None)
    return PeopleContact(key, None, touches.drawn_touch(seed, number))


def _key(half: str, number: int) -> str:
    return f"{half} {number}"
