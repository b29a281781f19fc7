# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Reads a URDF strictly: its text, and the pinocchio model that holds all that the text says."""

from __future__ import annotations

from collections.abc import Container, Iterable
from itertools import chain
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pinocchio as pin

from impact_robots.exceptions import RobotError
from impact_robots.urdf.urdf_numbers import tag_of, wrong_numbers
from impact_robots.urdf.urdf_tree import wrong_tree
from impact_robots.yaml_file import read_text


def read_urdf(path: Path) -> tuple[str, ElementTree.Element]:
    """Return the text of a URDF and its root element.

    Raises:
        RobotError: no such file, not XML, or the first number or link that cannot be meant.
    """
    text = read_text(path, "URDF file")
    try:
        root = ElementTree.fromstring(text)
    except (ElementTree.ParseError, ValueError) as error:
        raise RobotError(f"{path}: not XML: {error}") from None
    for fault in chain(wrong_tree(root), wrong_numbers(root)):
        raise RobotError(f"{path}: {fault}")
    return text, root


def full_model(path: Path, text: str, root: ElementTree.Element, base: str = "fixed") -> pin.Model:
    """Return the pinocchio model of a URDF with all its joints.

    Args:
        path: of the URDF, for errors.
        text: what is in it.
        root: the same, parsed.
        base: "fixed", or "floating": with a free-flyer as its first joint.

    Raises:
        RobotError: it cannot be loaded, or something of it got lost.
    """
    try:
        if base == "floating":
            model = pin.buildModelFromXML(text, pin.JointModelFreeFlyer())
        else:
            model = pin.buildModelFromXML(text)
    except (ValueError, RuntimeError, IndexError) as error:
        raise RobotError(f"{path}: URDF cannot be read: {error}") from None
    loaded = sum(inertia.mass for inertia in model.inertias)
    masses = [float(mass.attrib["value"]) for mass in _masses(root)]
    if not np.isclose(loaded, sum(masses), rtol=1e-9, atol=0.0):
        raise RobotError(
            f"{path}: expected links of {sum(masses):g} kg together, as the file says,"
            f" got {loaded:g} kg from the parser"
        )
    return model


def refuse_mimic(path: Path, root: ElementTree.Element, joints: Container[str]) -> None:
    """Refuse joints that follow another one, of which pinocchio makes free ones.

    Args:
        path: of the URDF, for errors.
        root: its root element.
        joints: those that are not locked.

    Raises:
        RobotError: one of them has ``<mimic>``.
    """
    for joint in root:
        mimic = joint.find("{*}mimic") if tag_of(joint) == "joint" else None
        if mimic is not None and joint.get("name") in joints:
            raise RobotError(
                f"{path}: joint {joint.get('name')!r}: <mimic> of {mimic.get('joint')!r} is not"
                " supported: a YAML whose `joints` are without it locks it at 0, and of a URDF"
                " alone the contact frame may be before it"
            )


def _masses(root: ElementTree.Element) -> Iterable[ElementTree.Element]:
    """Return the elements ``mass`` of all links."""
    return (
        each
        for link in root
        if tag_of(link) == "link"
        for each in link.iter()
        if tag_of(each) == "mass"
    )
