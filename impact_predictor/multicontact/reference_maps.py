# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The maps that references may be made by: those of the laws, and one step of an engine.

van Steen et al. take the velocities after the impact from a step of a nonsmooth simulator.
"""

from __future__ import annotations

from collections.abc import Mapping

from impact_predictor.exceptions import UnknownNameError
from impact_predictor.multicontact.bodies import FreeBody
from impact_predictor.multicontact.mujoco_step import mujoco_step
from impact_predictor.multicontact.object_impact import (
    OBJECT_MAPS,
    Footing,
    ObjectVelocities,
    Plate,
    object_impact,
    plate_twists,
)

MUJOCO = "mujoco"
REFERENCE_MAPS = (*OBJECT_MAPS, MUJOCO)


def reference_impact(
    plates: Mapping[str, Plate],
    body: FreeBody,
    support: Footing | None = None,
    *,
    kind: str = "locked",
) -> ObjectVelocities:
    """Return the velocities after a simultaneous hit of an object by arms with flat plates.

    Every map is homogeneous: velocities before that are twice as large make those after it so.

    Args:
        plates: of the arms, by name.
        body: the object.
        support: that it stands on; None: it is free, or lifted.
        kind: of :data:`REFERENCE_MAPS`: of :data:`OBJECT_MAPS`, or "mujoco": one rigid step.

    Raises:
        EngineError: MuJoCo is not installed, cannot compile the model, or has missed a contact.
        UnknownNameError: no such map.
        ImpactError: as of :func:`object_impact`.
    """
    if kind not in REFERENCE_MAPS:
        raise UnknownNameError("object map", kind, REFERENCE_MAPS)
    if kind != MUJOCO:
        return object_impact(plates, body, support, kind=kind)
    step = mujoco_step(plates, body, support)
    return ObjectVelocities(plate_twists(plates, step.joints), step.body, step.joints)
