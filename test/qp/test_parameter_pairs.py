# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Parameters that do not go together are refused, each pair by both names and values."""

import pytest

from impact_qp import ControlError, ImpactController
from impact_qp.interface import INTERFACES
from impact_qp.limits import RobustImpactLimit
from impact_qp.parameter_pairs import braking_distance
from impact_qp.parameters import ControllerParameters
from impact_robots import ArmDynamics
from impact_ros.parameters import from_values
from impact_sim import Interface, Simulation


@pytest.fixture
def refusal(panda, scenario):
    """A function that returns why parameters are refused, "" if they are not."""
    known = scenario.controller_parameters(panda)

    def refusal(**values):
        settings = from_values(ControllerParameters, known | values)
        try:
            settings.refuse_pairs(panda, settings.rate, settings.state_timeout)
        except ControlError as error:
            return str(error)
        return ""

    return refusal


@pytest.mark.parametrize("interface", INTERFACES)
def test_the_defaults_go_together(refusal, interface):
    assert refusal(interface=interface) == ""
    assert refusal(interface=interface, speed=0.1, speed_cap=0.1) == ""


@pytest.mark.parametrize(
    ("values", "line"),
    [
        (
            {"activation_distance": 0.0, "overrun": 0.0},
            "activation_distance: expected at least 0.042 m, in which an arm with speed 0.5 m/s"
            " can stop, got 0 m",
        ),
        ({"activation_distance": 0.035}, "activation_distance: expected at least 0.042 m"),
        ({"speed": 2.0, "speed_cap": 2.0}, "with speed 2 m/s can stop, got 0.2 m"),
        ({"preview": 0.5}, "activation_distance: expected at least 0.282 m"),
        (
            {"activation_distance": 0.05, "overrun": 0.06, "retract_distance": 0.1},
            "overrun: expected at most activation_distance 0.05 m, got 0.06 m",
        ),
        ({"retract_distance": 0.02}, "retract_distance: expected at least overrun 0.03 m"),
        ({"rate": 10.0}, "rate: expected at least 100 Hz with interface torque, got 10"),
        (
            {"rate": 40.0, "interface": "velocity"},
            "rate: expected at least 50 Hz with interface velocity, got 40",
        ),
        ({"rate": 100.0, "preview": 0.005}, "preview: expected at least a period of rate 100 Hz"),
        (
            {"rate": 500.0, "state_timeout": 0.003},
            "state_timeout: expected at least two periods of rate 500 Hz, 0.004 s, got 0.003",
        ),
        ({"rate": 500.0, "stall_time": 0.003}, "stall_time: expected at least two periods of rat"),
        (
            {"goal_timeout": 1.0, "stall_time": 2.0},
            "goal_timeout: expected above stall_time 2 s, got 1",
        ),
        (
            {"goal_timeout": 1.0, "state_timeout": 5.0},
            "goal_timeout: expected at least state_timeout 5 s, got 1",
        ),
    ],
)
def test_both_of_a_pair_are_named(refusal, values, line):
    assert line in refusal(**values)


def test_every_pair_has_its_line(refusal):
    lines = refusal(rate=10.0, retract_distance=0.0, preview=0.01).split("; ")
    assert [line.split(":")[0] for line in lines] == [
        *("retract_distance", "rate", "preview", "state_timeout", "stall_time"),
    ]


@pytest.mark.parametrize("interface", ["torque", "velocity", "position"])
def test_the_least_activation_distance_is_enough_for_the_bound(panda, scenario, interface):
    """With 1 cm the arm hit at 0.35 m/s (torque) and 0.48 m/s (velocity) for a bound of 0.08."""
    given = scenario.controller_parameters(panda) | {"impact_limits": "robust"}
    settings = from_values(ControllerParameters, given | {"interface": interface})
    least = braking_distance(settings.plan(), panda)
    plan = from_values(
        ControllerParameters, given | {"interface": interface, "activation_distance": least}
    ).plan()
    simulation = Simulation(panda, scenario.wall(panda), interface=Interface[interface.upper()])
    measurement = simulation.reset(scenario.start(panda))
    controller, plant = ImpactController(panda, plan), simulation.plant
    while not plant.contact_force.any():
        state = ArmDynamics(panda)(plant.q, plant.dq)
        command = controller.update(measurement.q, measurement.dq)
        sent = {"velocity": command.velocity, "position": command.position}
        measurement = simulation.step(sent.get(interface, command.driver_torque))
    bound = RobustImpactLimit(panda, plan.contact, margin=0.0).speed_bound(state).speed
    assert 0.5 * bound < -plan.contact.normal @ state.velocity <= bound
