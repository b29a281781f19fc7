# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Draws the program of one cycle of the demo's approach, with the impact limit binding.

Run ``./impact shell -- python doc/make_program_figure.py``.
"""

from pathlib import Path

import numpy as np

import impact_qp.control.acceleration
from impact_analysis.demo.program_picture import draw
from impact_qp import Contact, ImpactController, Plan, QuadraticProgram, solve
from impact_robots import load_robot
from impact_sim.scenarios import load_scenario

ROBOT, SCENARIO = load_robot("panda"), load_scenario("qp_panda_demo")
CYCLES = 200  # after which the arm approaches at its bound
FIGURE = Path(__file__).parent / "figures" / "program.png"


def main() -> None:
    """Run the controller on its own motion, and keep the last program."""
    contact = Contact(
        SCENARIO.surface_point(ROBOT),
        SCENARIO.normal,
        SCENARIO.friction,
        SCENARIO.restitution,
    )
    controller = ImpactController(ROBOT, Plan(contact, speed=SCENARIO.reference_speed))
    kept = []

    def keeping(program, *options):
        solution = solve(program, *options)
        copies = (np.array(part) for part in program[:4])
        kept[:] = [QuadraticProgram(*copies, program.names), solution]
        return solution

    impact_qp.control.acceleration.solve = keeping
    q, dq = SCENARIO.start(ROBOT).copy(), np.zeros(ROBOT.dof)
    for _ in range(CYCLES):
        dq = dq + 1e-3 * controller.update(q, dq).ddq
        q = q + 1e-3 * dq
    draw(*kept, FIGURE)


if __name__ == "__main__":
    main()
