# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Which inverse inertia predicts the impulse of a torque-controlled arm (H1).

Each model is judged by the effective mass: impulse up to the end of the compression over approach
speed, in a passive impact on the project's plant.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from impact_predictor.contact_force.laws import Viscoelastic
from impact_predictor.inertia.inertia_models import effective_masses
from impact_robots import ArmDynamics, Robot, contact_rotation
from impact_sim.arm.passive_impact import passive_impact
from studies.wall_configurations import NORMAL, WallConfiguration, approach, wall_configurations

CONFIGURATIONS = 15
SPEED = 0.12  # of the approach, one of the five of Wang 2022 [m/s]
LAW = Viscoelastic(stiffness=1.2e5, damping=8e6)  # Wang 2022 (23); figures assumed
PUBLISHED_MODELS = ("em", "gm", "crb", "flex")  # the four of Wang 2022
AFTER = 0.04  # simulated after contact; a compression lasts 6 to 13 ms [s]


@dataclass(frozen=True)
class MassComparison:
    """Effective masses of one configuration [kg]."""

    name: str
    simulated: float
    predicted: dict[str, float]  # by each model
    compression_time: float  # simulated [s]

    def log_error(self, model: str) -> float:
        """Return ln(predicted/simulated) of a model [-]."""
        return float(np.log(self.predicted[model] / self.simulated))


def compare_masses(robot: Robot, configuration: WallConfiguration) -> MassComparison:
    """Simulate one passive impact and predict its effective mass."""
    rotation = contact_rotation(NORMAL)
    still = ArmDynamics(robot)(configuration.q, np.zeros(robot.dof))
    dq = approach(still, -SPEED * NORMAL)
    run = passive_impact(robot, configuration.q, dq, NORMAL, LAW, after_contact=AFTER)
    return MassComparison(
        configuration.name,
        run.compression_impulse / run.approach_speed,
        effective_masses(still, robot, rotation),
        run.compression_time,
    )


def inertia_ranking(
    robot: Robot,
    seed: int,
    count: int = CONFIGURATIONS,
    progress: Callable[[float, str], None] = lambda *_: None,
) -> list[MassComparison]:
    """Compare over wall configurations; ``progress`` called with the fraction done and a note."""
    comparisons = []
    for index, configuration in enumerate(wall_configurations(robot, count, seed)):
        progress(index / count, f"wall impact {index + 1} of {count}")
        comparisons.append(compare_masses(robot, configuration))
    return comparisons


def mean_log_errors(comparisons: list[MassComparison]) -> dict[str, float]:
    """Return the mean of |ln(predicted/simulated)| of each model, best first."""
    errors = {
        model: float(np.mean([abs(item.log_error(model)) for item in comparisons]))
        for model in comparisons[0].predicted
    }
    return dict(sorted(errors.items(), key=lambda item: item[1]))
