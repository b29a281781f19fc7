# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Compares figures of a page with the output, to the printed digits."""

import re
from typing import NamedTuple

NUMBER = re.compile(
    r"(?<![\w.])[-+]?(?:\d{1,3}(?:,\d{3})+(?![\d,.])|\d+(?:\.\d+)?|\.\d+)(?:e[-+]?\d+)?(?!\w)"
)
ANY = re.compile(r"(?:\d+(?:\.\d+)?|\.\d+)(?:e[-+]?\d+)?")  # also behind a letter, as in joint6
CODE_AND_LINKS = re.compile(r"`[^`]*`|\]\([^)]*\)")
MANY = 4  # significant digits
REST = "..."  # a line, or what follows in it, that the page leaves out


class Figure(NamedTuple):
    """A number as it is printed."""

    text: str
    value: float
    half: float  # of its last digit

    def matches(self, value: float) -> bool:
        """Return whether a value, rounded to these digits, is this figure.

        The last of four digits or more may differ by one: another processor rounds otherwise.
        """
        digits = sum(each.isdigit() for each in self.text.partition("e")[0].lstrip("+-0."))
        most = 2.0 if "." in self.text and digits >= MANY else 1.0
        return abs(value - self.value) <= most * self.half * (1 + 1e-6)


def figures(text: str) -> list[Figure]:
    """Return the numbers of a text."""
    found = []
    for each in NUMBER.findall(text):
        plain = each.replace(",", "")
        mantissa, _, exponent = plain.partition("e")
        decimals = len(mantissa.partition(".")[2])
        found.append(Figure(each, float(plain), 0.5 * 10.0 ** (int(exponent or 0) - decimals)))
    return found


def skeleton(line: str) -> str:
    """Return a line without its numbers and without how far words are apart."""
    return " ".join(NUMBER.sub("#", line).split())


def compare_lines(said: str, printed: str) -> tuple[int, list[str]]:
    """Look for a page's lines among the printed ones, in their order.

    Returns:
        How many figures are the same, and what differs.
    """
    lines, place, count, problems = printed.splitlines(), 0, 0, []
    for line in said.splitlines():
        if not line.strip() or line.strip() == REST:
            continue
        found = [k for k in range(place, len(lines)) if _alike(line, lines[k])]
        same = [k for k in found if _same(line, lines[k])]
        if same:
            place = same[0] + 1
            count += len(figures(line.removesuffix(REST)))
        elif found:
            problems.append(f"the page says: {line.strip()}\n  printed: {lines[found[0]].strip()}")
        else:
            problems.append(f"the page says: {line.strip()}\n  nothing like it was printed")
    return count, problems


def _alike(line: str, printed: str) -> bool:
    if line.endswith(REST):
        return skeleton(printed).startswith(skeleton(line.removesuffix(REST)))
    return skeleton(line) == skeleton(printed)


def _same(line: str, printed: str) -> bool:
    said = figures(line.removesuffix(REST))
    return all(a.matches(b.value) for a, b in zip(said, figures(printed), strict=False))


def compare_figures(
    said: str, values: list[float], exempt: tuple[str, ...] = ()
) -> tuple[int, list[str]]:
    """Look for the numbers of a paragraph or table among values, returns as compare_lines."""
    found = [f for f in figures(CODE_AND_LINKS.sub(" ", said)) if f.text not in exempt]
    wrong = [f for f in found if not any(f.matches(value) for value in values)]
    return len(found) - len(wrong), [f"the page says {f.text}: did not come out" for f in wrong]


def printed_values(text: str) -> list[float]:
    """Return all numbers of what a command printed, of either sign."""
    values = [float(each.replace(",", "")) for each in NUMBER.findall(text)]
    return values + [float(each) for each in ANY.findall(text)]


def study_values(document: dict) -> list[float]:
    """Return the numbers of a study's JSON document, fractions also as percentages.

    Lists of numbers, of one hit or one joint after the other, are left out.
    """
    values: list[float] = []

    def take(item: object) -> None:
        if isinstance(item, dict):
            for each in item.values():
                take(each)
        elif isinstance(item, list):
            for each in item:
                take(each) if isinstance(each, dict) else None
        elif isinstance(item, str):
            values.extend(printed_values(item))
        elif isinstance(item, (int, float)) and not isinstance(item, bool):
            values.extend((item, 100 * item))

    take(document)
    return values
