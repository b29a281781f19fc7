# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""A cell that records the truth about the contacts of its plates, step by step."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from impact_sim.arm.direct_run import ContactStart
from impact_sim.cell.cell_plant import CellPlant


@dataclass
class PlateRecord:
    """Contacts of one plate since the reset of the cell."""

    contact_start: ContactStart | None = None  # the instant of its first contact
    contacts: int = 0  # number of contacts so far
    in_contact: bool = False  # in the last step
    step: float = 0.0  # between forces [s]
    forces: list[np.ndarray] = field(default_factory=list)  # on it, from contact on, (3,) each
    joint_impulse: np.ndarray = field(default_factory=lambda: np.zeros(1))  # see WatchedCell, (n,)

    @property
    def force(self) -> np.ndarray:
        """Force on the plate from contact on, world axes, one row a step, shape (K, 3) [N]."""
        return np.array(self.forces).reshape(-1, 3)

    @property
    def first_contact(self) -> np.ndarray:
        """The same up to the first release, shape (K', 3) [N]."""
        released = np.flatnonzero(~self.force.any(axis=1))
        return self.force[: released[0]] if released.size else self.force

    @property
    def impulse(self) -> np.ndarray:
        """Impulse on the plate of its first contact, world axes, shape (3,) [N.s]."""
        return self.first_contact.sum(axis=0) * self.step

    @property
    def total_impulse(self) -> np.ndarray:
        """Impulse on the plate of all its contacts so far, world axes, shape (3,) [N.s]."""
        return self.force.sum(axis=0) * self.step


class WatchedCell(CellPlant):
    """Moves exactly as :class:`CellPlant` does, and records the contacts of its plates.

    A step's force acts from the step's beginning, so a contact begins with the first step
    with a force. Only steps of ``advance_contact`` are evaluated. The joint impulse is that
    of the torques J^T f of all contacts so far, moments included [N.m.s].
    """

    def reset(self, q: Sequence[np.ndarray], dq: Sequence[np.ndarray] | None = None) -> None:
        """Put everything in its place and clear the record."""
        super().reset(q, dq)
        self.plates = tuple(
            PlateRecord(step=self.contact_step, joint_impulse=np.zeros(len(arm.q)))
            for arm in self.arms
        )

    def advance_free(self, duration: float) -> None:
        """Integrate ``duration`` [s] without contact."""
        super().advance_free(duration)
        steps = round(duration / self.contact_step)
        for plate in self.plates:
            if plate.contact_start is not None:
                plate.forces.extend([np.zeros(3)] * steps)
            plate.in_contact = False

    def advance_contact(self) -> None:
        """Integrate one step and record its forces."""
        waiting = any(plate.contact_start is None for plate in self.plates)
        before = (self.time, *self.state) if waiting else None
        super().advance_contact()
        for plate, arm in zip(self.plates, self.arms, strict=True):
            if contact := arm.in_contact:
                plate.joint_impulse = plate.joint_impulse + arm.contact_torque * self.contact_step
                if plate.contact_start is None and before is not None:
                    time, positions, velocities = before
                    plate.contact_start = ContactStart(
                        time, arm.links(positions), arm.links(velocities)
                    )
            if plate.contact_start is not None:
                plate.contacts += contact and not plate.in_contact
                plate.forces.append(arm.plate_force)
            plate.in_contact = contact

    @property
    def first_contact_time(self) -> float | None:
        """Time of the first contact of a plate with the box [s]; None: no contact."""
        times = [
            plate.contact_start.time for plate in self.plates if plate.contact_start is not None
        ]
        return min(times, default=None)
