# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""A flexible-joint arm, its torque loop, its contacts and its sensors, in lockstep."""

from impact_sim.driver.arm_driver import Interface
from impact_sim.driver.sensors import NO_NOISE, PANDA_NOISE, Noise
from impact_sim.driver.simulation import Measurement, Simulation
from impact_sim.exceptions import ScenarioError, SimulationError
from impact_sim.plant.compliant_wall import CompliantWall
from impact_sim.plant.plant import FlexibleJointPlant
from impact_sim.scenarios import Scenario, all_scenario_names, load_scenario, scenario_names

__all__ = [
    "NO_NOISE",
    "PANDA_NOISE",
    "CompliantWall",
    "FlexibleJointPlant",
    "Interface",
    "Measurement",
    "Noise",
    "Scenario",
    "ScenarioError",
    "Simulation",
    "SimulationError",
    "all_scenario_names",
    "load_scenario",
    "scenario_names",
]
