# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Damaged robot files: each is loaded as a possible robot, or refused in one line.

A campaign takes the Panda's YAML and URDF, damages one of them as an editor, a script or a full
disk would, and loads what is left, by YAML or as a bare URDF.
"""

from __future__ import annotations

import random
import re
import tempfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pinocchio as pin

import impact_robots
from impact_robots import Robot, RobotError, load_robot, robot_from_urdf

_HERE = Path(impact_robots.__file__).parent
_TOKEN = re.compile(r"[\w.+-]+|\s+|[^\w\s]")
_NUMBER = re.compile(r"(?<![\w.])[-+]?\d+\.?\d*(?:[eE][-+]?\d+)?")
_NUMBERS = ("nan", ".nan", "inf", "-.inf", "1e308", "-1e308", "1e-308", "0", "-1", "-0.0", "1e5")
_ALMOST = ("1,5", "4.97.1", "0x10", "1_000", "1:30", "9" * 30, "2026-13-45", "")
_TYPES = ("true", "no", "null", "~", "text", '"text"', "[]", "[1]", "{}", "{a: 1}", "[[1, 2], 3]")
_TAGS = ("!!int", "!!bool", "!!float", "!!timestamp", "!!python/name:os.system", "*a", "&a", "<<:")
_NAMES = ("panda_joint1", "link8", "tool", "\u00e9", "\U0001f600", "\ufeff", "\x00")
_SIGNS = ("<", ">", "&", "--", "'", "\\", "<!--", "<mass/>", ": ", "- ")
_VALUES = (*_NUMBERS, *_ALMOST, *_TYPES, *_TAGS, *_NAMES, *_SIGNS)
SHOWN = 20  # descriptions of failures that a campaign returns


def campaign(count: int, seed: int) -> tuple[int, int, list[str]]:
    """Damage and load robot files.

    Args:
        count: how many.
        seed: of all that is drawn.

    Returns:
        How many were tried, how many failed, and what happened in the first of those. A failure is
        anything but a robot with a positive definite mass matrix, ordered finite limits and flags
        that are flags, or a RobotError of one line.
    """
    rng, failures = random.Random(seed), []
    texts = {name: (_HERE / name).read_text() for name in ("panda.yaml", "panda.urdf")}
    with tempfile.TemporaryDirectory() as folder:
        for index in range(count):
            name = rng.choice(list(texts))
            load = _loaders(Path(folder))[rng.randrange(2) if name == "panda.urdf" else 0]
            for each, text in texts.items():
                content = _damaged(text, rng) if each == name else text.encode()
                (Path(folder) / each).write_bytes(content)
            fault = _fault(load)
            if fault:
                failures.append(f"seed {seed}, file {index}, {name}: {fault}")
    return count, len(failures), failures[:SHOWN]


def _loaders(folder: Path) -> list[Callable[[], Robot]]:
    """Return how a robot is loaded from a folder: by YAML, as a bare URDF."""
    return [
        lambda: load_robot(folder / "panda.yaml"),
        lambda: robot_from_urdf(folder / "panda.urdf"),
    ]


def _fault(load: Callable[[], Robot]) -> str:
    """Return what went wrong, empty if nothing did."""
    try:
        robot = load()
    except RobotError as error:
        lines = str(error).splitlines()
        return "" if len(lines) == 1 else f"an error of {len(lines)} lines: {error}"
    except Exception as error:  # the campaign looks for whatever else there may be
        return f"{type(error).__name__}: {' '.join(str(error).split())}"
    return _impossible(robot)


def _impossible(robot: Robot) -> str:
    """Return what no robot can be, by code of its own."""
    limits, data = robot.limits, robot.model.createData()
    lower, upper = limits.position_lower, limits.position_upper
    if not (np.isfinite(lower).all() and np.isfinite(upper).all() and np.all(lower <= upper)):
        return "positions out of order"
    if np.any((robot.stance < lower) | (robot.stance > upper)):
        return "stance outside the limits"
    if any(np.any(each <= 0.0) for each in (limits.velocity, limits.torque, limits.torque_rate)):
        return "a limit that is not positive"
    if robot.driver_compensates_gravity not in (True, False, None):
        return "a flag that is none"
    if any(not inertia.mass > 0.0 for inertia in list(robot.model.inertias)[1:]):
        return "a link without mass"
    generator = np.random.default_rng(0)
    for _ in range(3):
        q = generator.uniform(np.maximum(lower, -np.pi), np.minimum(upper, np.pi))
        M = np.triu(pin.crba(robot.model, data, q))
        try:
            np.linalg.cholesky(M + np.triu(M, 1).T)
        except np.linalg.LinAlgError:
            return "a mass matrix that is not positive definite"
    return ""


def _damaged(text: str, rng: random.Random) -> bytes:
    """Return a text with one to three things done to it."""
    for _ in range(rng.choice((1, 1, 1, 2, 3))):
        text = rng.choice((_lines, _tokens, _number, _number, _value, _cut))(text, rng)
    content = text.encode("utf-8", "surrogatepass")
    return _bytes(content, rng) if rng.random() < 0.1 else content


def _lines(text: str, rng: random.Random) -> str:
    """Drop, double or swap lines."""
    return "".join(_shuffled(text.splitlines(keepends=True), rng))


def _tokens(text: str, rng: random.Random) -> str:
    """Drop, double or swap words and signs."""
    return "".join(_shuffled(_TOKEN.findall(text), rng))


def _shuffled(parts: list[str], rng: random.Random) -> list[str]:
    """Return the parts, one dropped or doubled, or two swapped."""
    if not parts:
        return parts
    i, j = rng.randrange(len(parts)), rng.randrange(len(parts))
    kind = rng.randrange(3)
    if kind == 2:
        parts[i], parts[j] = parts[j], parts[i]
        return parts
    return parts[:i] + [parts[i]] * (2 * kind) + parts[i + 1 :]


def _number(text: str, rng: random.Random) -> str:
    """Put something else where a number is."""
    found = list(_NUMBER.finditer(text))
    return _replaced(text, rng.choice(found).span(), rng) if found else text


def _value(text: str, rng: random.Random) -> str:
    """Put something else where a word or sign is."""
    found = list(_TOKEN.finditer(text))
    return _replaced(text, rng.choice(found).span(), rng) if found else text


def _replaced(text: str, span: tuple[int, int], rng: random.Random) -> str:
    old = text[span[0] : span[1]]
    changed = ("", f"-{old}", f"{old}e9", old.replace(".", ","), old[::-1], rng.choice(_VALUES))
    new = rng.choice((*changed, *rng.choices(_VALUES, k=4)))
    return text[: span[0]] + new + text[span[1] :]


def _cut(text: str, rng: random.Random) -> str:
    """End the text somewhere."""
    return text[: rng.randrange(len(text) + 1)] if rng.random() < 0.3 else text


def _bytes(content: bytes, rng: random.Random) -> bytes:
    """Put other bytes somewhere."""
    at, noise = rng.randrange(len(content) + 1), rng.randbytes(rng.randrange(1, 5))
    return content[:at] + noise + content[at + rng.randrange(5) :]
