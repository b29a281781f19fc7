# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""References through knots: smooth, extended, coupled by a map, read from a file."""

import re

import numpy as np
import pinocchio as pin
import pytest

from impact_qp.references import (
    Knot,
    Quintics,
    SpreadReference,
    couple,
    read_references,
    references_text,
)
from impact_robots import RobotError
from impact_robots.exceptions import OutOfRangeError


def knots(seed, count=4, size=4):
    """Return random knots, far from time zero."""
    random = np.random.default_rng(seed)
    times = 1e3 + np.cumsum(random.uniform(0.1, 1.0, count))
    return [Knot(t, *random.normal(size=(3, size))) for t in times]


def test_a_motion_goes_through_its_knots():
    given = knots(1)
    motion = Quintics(given)
    for knot in given:
        for near in (knot.time, np.nextafter(knot.time, 0.0)):
            if near < motion.start:
                continue  # extended: no acceleration
            for got, wanted in zip(motion(near), knot[1:], strict=True):
                np.testing.assert_allclose(got, wanted, atol=1e-8)


def test_velocities_and_accelerations_are_derivatives():
    motion = Quintics(knots(2))
    d = 1e-4
    for time in np.linspace(motion.start + 0.01, motion.end - 0.01, 23):
        low, here, high = (motion(time + s * d) for s in (-1, 0, 1))
        np.testing.assert_allclose(
            (high.position - low.position) / (2 * d), here.velocity, atol=1e-4
        )
        np.testing.assert_allclose(
            (high.velocity - low.velocity) / (2 * d), here.acceleration, atol=1e-2
        )


def test_from_rest_to_rest_it_is_the_known_quintic():
    """10 x^3 - 15 x^4 + 6 x^5, whose peak velocity is 15/8 of the mean one."""
    zero = np.zeros(1)
    motion = Quintics([Knot(2.0, zero, zero, zero), Knot(4.0, np.ones(1), zero, zero)])
    x = 0.3
    assert motion(2.6).position[0] == pytest.approx(10 * x**3 - 15 * x**4 + 6 * x**5)
    assert motion(3.0).velocity[0] == pytest.approx(15 / 8 / 2.0)


def test_beyond_its_ends_a_motion_glides_on():
    given = knots(3)
    motion = Quintics(given)
    for knot, beyond in ((given[0], -0.4), (given[-1], 0.7)):
        there = motion(knot.time + beyond)
        np.testing.assert_allclose(there.position, knot.position + beyond * knot.velocity)
        np.testing.assert_allclose(there.velocity, knot.velocity)
        np.testing.assert_array_equal(there.acceleration, 0.0)


def run_up(time=0.6):
    """Return knots of [p; xi] that end with 0.7 m/s along -y."""
    v = np.array([0.0, -0.7, 0.0, 0.3])
    end = np.array([0.5, 0.05, 0.3, 0.4])
    return [
        Knot(0.0, end - v * time / 2, np.zeros(4), np.zeros(4)),
        Knot(time, end, v, np.zeros(4)),
    ]


def test_a_map_couples_the_references():
    stop = Knot(1.4, np.array([0.5, -0.2, 0.3, 0.4]), np.zeros(4), np.zeros(4))
    spread = couple(run_up(), 0.6, lambda v: 0.8 * v, [stop], rotation=np.eye(3))
    before, after = spread.jump
    np.testing.assert_allclose(after, 0.8 * before)
    np.testing.assert_allclose(spread.ante(0.6).position, spread.post(0.6).position)
    early, late = spread.post(0.55), spread.ante(0.68)
    np.testing.assert_allclose(early.position[1], 0.05 + 0.05 * 0.56)  # before the impact
    np.testing.assert_allclose(late.position[1], 0.05 - 0.08 * 0.7)  # as if nothing was there
    np.testing.assert_allclose(spread.post(3.0).position, stop.position)


def test_references_that_do_not_meet_are_refused():
    ante = Quintics(run_up())
    post = Quintics([Knot(0.6, np.ones(4), np.zeros(4), np.zeros(4))])
    with pytest.raises(OutOfRangeError, match="post: expected the ante position"):
        SpreadReference(ante, post, 0.6, np.eye(3))
    with pytest.raises(OutOfRangeError, match="rotation: expected a rotation matrix"):
        couple(run_up(), 0.6, lambda v: v, rotation=-np.eye(3))
    with pytest.raises(OutOfRangeError, match="velocity map: expected finite numbers of shape"):
        couple(run_up(), 0.6, lambda v: v[:3], rotation=np.eye(3))
    flat = Quintics([Knot(0.0, np.zeros(3), np.zeros(3), np.zeros(3))])
    with pytest.raises(OutOfRangeError, match="ante: expected knots of x, y, z and the first joi"):
        SpreadReference(flat, flat, 0.0, np.eye(3))


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ([], "knots: expected at least one, got none"),
        (knots(4)[::-1], "knots: expected times that increase"),
        ([Knot(0.0, [0.0], [0.0], [np.nan])], "knot at 0 s: expected finite numbers"),
        ([Knot(0.0, [0.0], [0.0, 1.0], [0.0])], "knot at 0 s: expected finite numbers"),
    ],
)
def test_bad_knots_are_named_in_one_line(given, message):
    with pytest.raises(OutOfRangeError, match=message) as caught:
        Quintics(given)
    assert "\n" not in str(caught.value)


FILE = """
nominal_time: 0.6
orientation: [0, 0, 1, 1]
ante:
  - {time: 0, position: [0.5, 0.26, 0.3], joint: [0.6, 0, 0]}
  - {time: 0.6, position: [0.5, 0.05, 0.3], velocity: [0, -0.7, 0], joint: [0.4, -0.8, 0]}
post:
  - {time: 0.6, position: [0.5, 0.05, 0.3], velocity: [0, -0.5, 0], joint: [0.4, -0.6, 0]}
  - {time: 1.4, position: [0.5, -0.2, 0.3], joint: [0.2, 0, 0]}
"""


def test_a_file_holds_references_of_ones_own(tmp_path):
    path = tmp_path / "own.yaml"
    path.write_text(FILE)
    spread = read_references(path)
    before, after = spread.jump
    np.testing.assert_allclose(before, [0, -0.7, 0, -0.8])
    np.testing.assert_allclose(after, [0, -0.5, 0, -0.6])
    np.testing.assert_allclose(spread.rotation @ [0, 1, 0], [0, 0, 1], atol=1e-12)
    path.write_text(
        FILE.replace(
            "  - {time: 0.6, position: [0.5, 0.05, 0.3], velocity: [0, -0.5",
            "  - {time: 0.9, position: [0.5, 0.0, 0.3], velocity: [0, -0.5",
        )
    )
    mapped = read_references(path, lambda v: 0.5 * v)
    np.testing.assert_allclose(mapped.jump[1], [0, -0.35, 0, -0.4])


def test_what_is_written_is_read_again(tmp_path):
    path = tmp_path / "own.yaml"
    path.write_text(FILE)
    spread = read_references(path)
    path.write_text(references_text(spread, "made by a test"))
    assert path.read_text().startswith("# made by a test\n")
    again = read_references(path)
    assert again.nominal_time == spread.nominal_time
    np.testing.assert_allclose(again.rotation, spread.rotation, atol=1e-8)
    for time in np.linspace(-0.2, 2.0, 23):
        for own, theirs in ((again.ante, spread.ante), (again.post, spread.post)):
            np.testing.assert_allclose(own(time), theirs(time), atol=1e-7)


def test_references_of_a_turned_base_are_turned(tmp_path):
    path = tmp_path / "own.yaml"
    path.write_text(FILE)
    axes = pin.utils.rotate("z", np.pi / 2)
    plain, turned = read_references(path), read_references(path, axes=axes)
    for own, theirs in ((turned.ante, plain.ante), (turned.post, plain.post)):
        for mine, base in zip(own(0.3), theirs(0.3), strict=True):
            np.testing.assert_allclose(mine, [-base[1], base[0], *base[2:]], atol=1e-12)
    np.testing.assert_allclose(turned.rotation, axes @ plain.rotation, atol=1e-12)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("nominal_time: 0.6", "", "entry 'nominal_time' is missing"),
        ("nominal_time: 0.6", "nominal_time: soon", "nominal_time: expected a finite number"),
        ("[0, 0, 1, 1]", "[0, 0, 0, 0]", "orientation: expected a quaternion w, x, y, z above 0"),
        ("joint: [0.6, 0, 0]", "", "entry 'ante[0].joint' is missing"),
        ("[0.5, 0.26, 0.3]", "[0.5, 0.26]", "ante[0].position: expected 3 finite numbers, got"),
        ("velocity: [0, -0.5, 0]", "speed: 3", "post[0].'speed': expected one of time, position"),
        ("time: 1.4", "time: 0.5", "knots: expected times that increase, got [0.6, 0.5]"),
        (
            "post:\n  - {time: 0.6",
            "post:\n  - {time: 0.7",
            "post: expected a first knot at the nomi",
        ),
        ("[0.5, 0.05, 0.3], velocity: [0, -0.5", "[0, 0, 0], velocity: [0, -0.5", "post: expected"),
        ("ante:\n", "ante: now\nfirst:\n", "'first': expected one of nominal_time, orientation"),
    ],
)
def test_a_wrong_file_is_named_in_one_line(tmp_path, old, new, message):
    path = tmp_path / "own.yaml"
    assert old in FILE
    path.write_text(FILE.replace(old, new))
    with pytest.raises(RobotError, match=re.escape(message)) as caught:
        read_references(path)
    assert "\n" not in str(caught.value) and "own.yaml" in str(caught.value)


def test_the_pages_file_and_example_are_what_they_say(project_root, tmp_path, capsys):
    page = (project_root / "doc" / "reference_spreading.md").read_text()
    shown, *_ = re.findall(r"```yaml\n(.*?)```", page, flags=re.DOTALL)
    (tmp_path / "own.yaml").write_text(shown)
    spread = read_references(tmp_path / "own.yaml", lambda v: 0.8 * v)
    np.testing.assert_allclose(spread.jump[1], [0, -0.56, 0, -0.64])
    (code,) = re.findall(r"```python\n(.*?)```", page, flags=re.DOTALL)
    exec(compile(code, "reference_spreading.md", "exec"), {})
    printed, *_ = re.findall(r"```text\n(.*?)```", page, flags=re.DOTALL)
    assert capsys.readouterr().out == printed
