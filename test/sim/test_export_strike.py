# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The exported hammer and nail in MuJoCo strike as the plant's do."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from exported_arm import Exported
from struck_nail import HAMMER, NAIL, RIGID, Q, struck, towards

from impact_predictor.strike.strike_case import NailCase, StopCase
from impact_predictor.strike.striker import Striker
from impact_robots.tools.hammer import HANDLE
from impact_sim.export.strike_scene import StrikeScene
from impact_sim.export.wall_mjcf import NAIL as SLIDE

LASTS = 0.1  # [s]
STOP = StopCase(1e6, 0.3)


class Struck(Exported):
    """A tool that meets its target at a speed, and what comes of it."""

    def __init__(self, robot, tool, speed, target=NAIL, *, flexible=True):
        scene = StrikeScene(robot, tool, tool.nominal, target, Q)
        arm = scene.arm(flexible=flexible, torque_loop=True)
        super().__init__(arm, Q, scene.wall(arm, speed))
        self.striker = Striker(robot, tool, Q)
        self.reset(dq=towards(self.striker, speed))
        self.torques, self.deflection, self.depth = [], [0.0], [0.0]
        self.advance(LASTS)

    def advance(self, duration):
        """Integrate [s], and keep joint torques, deflection of the handle and the nail's depth."""
        slides = {each: getattr(self, each) for each in ("deflection", "depth")}
        names = {"deflection": HANDLE, "depth": SLIDE}
        known = {self.model.joint(k).name for k in range(self.model.njnt)}
        for _ in range(round(duration / self.model.opt.timestep)):
            super().advance(self.model.opt.timestep)
            self.torques.append(self.torque)
            for each, rows in slides.items():
                if names[each] in known:
                    rows.append(float(self.data.joint(names[each]).qpos[0]))

    @property
    def used(self):
        """Largest fraction of the allowed change of a joint's torque, within the window."""
        count = round(self.striker.window / self.model.opt.timestep)
        change = np.abs(np.array(self.torques[:count]) - self.torques[0]).max(axis=0)
        return (change / self.striker.limits(self.striker.tool.nominal.mass).change).max()

    @property
    def normal_force(self):
        """Of each step [N]."""
        return self.force @ -self.striker.direction

    @property
    def impulse_along(self):
        """Of the surface on the head [N.s]."""
        return self.normal_force.sum() * self.model.opt.timestep


def plant_used(striker, simulation):
    """The same as ``used`` of the suite's plant."""
    load = striker.joints_of(simulation.plant.load)
    return (load.change / striker.limits(striker.tool.nominal.mass).change).max()


PAGE = (Path(__file__).parents[2] / "doc" / "mujoco.md").read_text()
HEAVY = replace(HAMMER, mass=(0.8, 0.8), stiffness=(1e5, 1e5))
CASES = {
    "rigid head .3 kg, nail 200 N": (RIGID, 0.14, NAIL),
    "head .3 kg on 3e4 N/m, nail 200 N": (HAMMER, 0.7, NAIL),
    "head .8 kg on 1e5 N/m, nail 200 N": (HEAVY, 0.3, NAIL),
    "head .3 kg on 3e4 N/m, nail 400 N": (HAMMER, 0.9, NailCase(1e6, 400.0)),
}


@pytest.mark.parametrize("name", CASES)
def test_the_exported_strike_is_the_plants_and_that_of_the_page(panda, name):
    """Handle, nail and joints; with rigid joints the loads are others."""
    tool, speed, nail = CASES[name]
    striker, simulation, force = struck(panda, tool, speed, nail)
    plant, used = simulation.plant, plant_used(striker, simulation)
    exported, stiff = (Struck(panda, tool, speed, nail, flexible=each) for each in (True, False))
    deflection = plant.load.change[-1] / tool.stiffness[0] if tool.gives else 0.0
    depth, impulse = plant.wall_motion[0], force.sum() * 4e-5
    for each, close in ((exported, 0.005), (stiff, 0.05)):
        assert each.impulse_along == pytest.approx(impulse, rel=close)
        assert each.normal_force.max() == pytest.approx(force.max(), rel=0.01)
        assert each.depth[-1] == pytest.approx(depth, rel=0.02, abs=1e-4)
        assert each.depth[-1] > 0.9 * max(each.depth) > 1e-4, "it stays where it was driven"
        assert -min(each.deflection) == pytest.approx(deflection, rel=0.02)
    assert exported.used == pytest.approx(used, rel=0.04)
    assert stiff.used == pytest.approx(used, rel=0.15)
    row = (
        f"| {name}, {speed:g} m/s | {exported.impulse_along:.2f} / {impulse:.2f}"
        f" | {exported.normal_force.max():.0f} / {force.max():.0f}"
        f" | {1e3 * exported.depth[-1]:.2f} / {1e3 * depth:.2f}"
        f" | {0.0 - 1e3 * min(exported.deflection):.2f} / {1e3 * deflection:.2f}"
        f" | {exported.used:.3f} / {used:.3f} | {stiff.used:.3f} |"
    )
    assert row in PAGE


def test_a_nail_of_twice_its_resistance_stays(panda):
    """The resistance grows as the plant's; deeper than this the spring would push it out."""
    tool, nail = replace(HAMMER, mass=(0.8, 0.8)), NailCase(3e6, 100.0)
    _, simulation, _ = struck(panda, tool, 1.0, nail)
    exported = Struck(panda, tool, 1.0, nail)
    assert 0.017 < simulation.plant.wall_motion[0] < 0.02
    assert exported.depth[-1] == pytest.approx(simulation.plant.wall_motion[0], rel=0.01)


@pytest.mark.parametrize(("tool", "speed"), [(RIGID, 0.1), (HAMMER, 0.5)], ids=["rigid", "handle"])
def test_a_stop_returns_the_head_as_the_plants(panda, tool, speed):
    """Its law is another, so the peak is; impulse and loads are about the same."""
    striker, simulation, force = struck(panda, tool, speed, STOP)
    exported = Struck(panda, tool, speed, STOP)
    assert exported.impulse_along == pytest.approx(force.sum() * 4e-5, rel=0.05)
    assert exported.normal_force.max() == pytest.approx(force.max(), rel=0.12)
    assert exported.used == pytest.approx(plant_used(striker, simulation), rel=0.06)


def test_the_head_hangs_in_front_of_its_target_at_the_start(panda):
    scene = StrikeScene(panda, HAMMER, HAMMER.nominal, NAIL, Q)
    arm = scene.arm(flexible=True, torque_loop=True)
    exported = Exported(arm, scene.start(), scene.wall(arm, 0.5))
    exported.advance(0.05)
    assert np.abs(exported.q - scene.start()).max() < 1e-6
    assert np.abs(exported.force).max() < 0.1, "the sensor bears the nail alone"
    assert exported.data.joint(HANDLE).qpos[0] == pytest.approx(0.0, abs=1e-6)
