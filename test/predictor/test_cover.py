# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""A soft cover on the tool: against SciPy with events, limiting cases, the plant, refusals."""

from dataclasses import replace

import numpy as np
import pytest
from cover_reference import covered_impact

from impact_predictor import PredictionError, RobotContact
from impact_predictor.contact_force.laws import HuntCrossley, Viscoelastic
from impact_predictor.joint_load.covered import cover_at, covered_contact, reserve
from impact_predictor.joint_load.drive import IDEAL
from impact_predictor.joint_load.elastic_arm import ElasticArm, elastic_arm
from impact_predictor.joint_load.load import joint_load, load_contact, window
from impact_predictor.joint_load.load_case import viscoelastic
from impact_predictor.joint_load.load_limits import load_limits
from impact_predictor.joint_load.worst_load import LoadSearch
from impact_predictor.prediction.predicted_load import predicted_load
from impact_robots import RobotError, Surface
from impact_robots.description.named_contact import Cover
from impact_robots.exceptions import OutOfRangeError
from impact_sim.arm.direct_run import direct_run
from impact_sim.arm.loaded_plant import LoadedPlant
from impact_sim.arm.passive_impact import gravity_compensation
from impact_sim.exceptions import SimulationError
from impact_sim.plant.compliant_wall import CompliantWall

DRAWN = range(8)
NORMAL = np.array([-1.0, 0.0, 0.0])
RANGES = {"friction": (0.0, 0.279), "restitution": (0.02, 0.3), "stiffness": (1e5, 1e7)}


def draw(seed, mass):
    """Return a cover, a wall and a speed; about half of the covers bottom out."""
    random = np.random.default_rng(seed)
    stiffness, speed = 10.0 ** random.uniform(4.0, 5.3), random.uniform(0.05, 0.5)
    damping = 2.0 * random.uniform(0.05, 0.4) * np.sqrt(stiffness * mass)
    thickness = speed * np.sqrt(mass / stiffness) * random.uniform(0.3, 1.4)
    wall = viscoelastic(10.0 ** random.uniform(5.0, 7.0), random.uniform(0.02, 0.5), speed)
    return Cover(stiffness, damping, thickness), wall, speed


def with_cover(robot, cover):
    return replace(robot, tool=robot.tool._replace(cover=cover))


def hitting(panda, panda_dynamics, random, speed):
    """Return a state that hits along a drawn normal, and the surface."""
    q = panda.stance + random.uniform(-0.4, 0.4, 7)
    normal = random.normal(size=3)
    normal /= np.linalg.norm(normal)
    J = panda_dynamics(q, np.zeros(7)).J
    dq = np.linalg.pinv(J) @ np.append(-speed * normal, np.zeros(3))
    point = panda_dynamics(q, dq)
    return point, Surface(point.position, normal, 0.0)


@pytest.mark.parametrize("seed", DRAWN)
def test_a_free_body_moves_as_by_scipy_with_events(seed):
    mass = 1.0 + seed
    cover, wall, speed = draw(seed, mass)
    found = covered_contact(cover, wall, mass, speed)
    none, one = np.zeros(1), np.ones(1)
    body = ElasticArm(np.eye(1) / mass, none, none, one, one, none, none, none, none, none, 0.5)
    true = covered_impact(body, one, wall, cover, speed, 1.2 * found.duration)
    assert found.peak_force == pytest.approx(true.peak_force, rel=0.01)
    assert found.compression == pytest.approx(true.compression, rel=2e-3)
    assert found.bottoms_out == true.bottoms_out
    assert found.restitution == pytest.approx(true.impulse / (mass * speed) - 1.0, abs=5e-3)


@pytest.mark.parametrize("seed", DRAWN[:4])
def test_joint_loads_are_those_by_scipy_with_events(panda, panda_dynamics, seed):
    random = np.random.default_rng(100 + seed)
    cover, wall, speed = draw(seed, 3.0)
    point, surface = hitting(panda, panda_dynamics, random, speed)
    arm = elastic_arm(panda, point.robot_state, IDEAL)
    contact = load_contact(point, surface.rotation, wall, 0.0, cover=cover)
    load = joint_load(arm, [contact], duration=0.015)
    true = covered_impact(arm, contact.J[2], wall, cover, speed, 0.015)
    assert load.change == pytest.approx(true.loads, abs=0.01 * true.loads.max())
    assert load.compression[0] == pytest.approx(true.compression, rel=2e-3)
    assert (load.compression[0] == cover.thickness) == true.bottoms_out


def test_half_of_the_drawn_covers_bottom_out():
    """The comparisons are of both pieces."""
    ends = [
        covered_contact(*draw(seed, 1.0 + seed)[:2], 1.0 + seed, draw(seed, 1.0 + seed)[2])
        for seed in DRAWN
    ]
    assert 2 <= sum(each.bottoms_out for each in ends) <= len(ends) - 2


def test_a_cover_that_is_much_stiffer_than_the_wall_is_none(panda, panda_dynamics):
    wall = viscoelastic(3e5, 0.3, 0.2)
    point, surface = hitting(panda, panda_dynamics, np.random.default_rng(1), 0.2)
    arm = elastic_arm(panda, point.robot_state)
    with_, without = (
        joint_load(arm, [load_contact(point, surface.rotation, wall, 0.2, cover=cover)])
        for cover in (Cover(1e11, 0.0, 0.01), None)
    )
    assert with_.change == pytest.approx(without.change, abs=0.005 * without.change.max())
    assert with_.peak_force == pytest.approx(without.peak_force, rel=0.005)
    assert without.compression == [0.0]


def test_a_thick_cover_is_a_spring_in_series():
    k, wall, mass, speed = 4e4, 2e5, 2.5, 0.3
    found = covered_contact(Cover(k, 0.0, 1.0), Viscoelastic(wall, 0.0), mass, speed)
    series = k * wall / (k + wall)
    peak = speed * np.sqrt(series * mass)
    assert found.peak_force == pytest.approx(peak, rel=1e-3)
    assert found.compression == pytest.approx(peak / k, rel=1e-3)
    assert found.duration == pytest.approx(np.pi * np.sqrt(mass / series), rel=5e-3)
    assert found.restitution == pytest.approx(1.0, abs=2e-3)
    assert not found.bottoms_out


def test_a_cover_that_bottoms_out_is_two_springs():
    """Energy: half k t^2 in the cover, the rest in the wall, which bears k t already."""
    k, wall, mass, speed, t = 4e4, 2e5, 2.5, 0.3, 1e-3
    found = covered_contact(Cover(k, 0.0, t), Viscoelastic(wall, 0.0), mass, speed)
    assert found.bottoms_out
    assert found.compression == t
    assert found.peak_force == pytest.approx(np.sqrt(wall * (mass * speed**2 - k * t**2)), rel=5e-3)


def search_of(panda, panda_dynamics, cover):
    robot = with_cover(panda, cover)
    point = panda_dynamics.state(panda.stance, np.zeros(7)).at(panda.contact_frame)
    surface = Surface(point.position, NORMAL, **RANGES)
    return robot, point, LoadSearch(robot, surface), load_limits(robot, point.g, 0.02)


def test_the_bound_is_the_speed_at_which_a_limit_is_reached(panda, panda_dynamics):
    """The impact itself, at that speed and a little above, in cases on either side of bottoming."""
    robot, point, search, limits = search_of(panda, panda_dynamics, Cover(4e4, 60.0, 1e-3))
    found = search.worst(point, limits)
    assert found[0].bottoms < found[0].speed
    arm, J = search.arm(point), search.surface.rotation.T @ point.J[:3]
    for rated in found[:: len(found) // 8]:
        for speed, over in ((rated.speed, False), (1.01 * rated.speed, True)):
            law = viscoelastic(min(rated.case.stiffness, 1e8), rated.case.restitution, speed)
            at = replace_velocity(point, J, law, rated, robot.cover, speed)
            load = joint_load(arm.scaled(rated.case.scale), [at], duration=0.03)
            used = limits.used(load).max() + speed * reserve(robot.cover, arm.mass(J[2]))
            assert (used > 1.0) == over, (rated.speed, rated.bottoms)
        assert (rated.speed > rated.bottoms) == (load.compression[0] == robot.cover.thickness)


def replace_velocity(point, J, law, rated, cover, speed):
    """Return the contact of a case at a speed [m/s]."""
    at = load_contact(point, np.eye(3), law, rated.case.friction, [0.0, 0.0, -speed], cover)
    return at._replace(J=J)


def test_a_cover_that_never_bottoms_out_changes_no_proportion(panda, panda_dynamics):
    slow, fast = (
        covered_contact(Cover(4e4, 60.0, 1.0), viscoelastic(1e6, 0.2, v), 2.0, v)
        for v in (0.05, 0.5)
    )
    assert 10.0 * slow.peak_force == pytest.approx(fast.peak_force, rel=1e-9)
    thin = covered_contact(
        cover_at(Cover(4e4, 60.0, 2e-3), 0.5), viscoelastic(1e6, 0.2, 1.0), 2.0, 1.0
    )
    own = covered_contact(Cover(4e4, 60.0, 2e-3), viscoelastic(1e6, 0.2, 0.5), 2.0, 0.5)
    assert 0.5 * thin.peak_force == pytest.approx(own.peak_force, rel=1e-9)


@pytest.mark.parametrize("thickness", [1e-3, 8e-3])
def test_no_hit_at_the_bound_takes_a_joint_over_its_limit_in_the_plant(
    panda, panda_dynamics, thickness
):
    """Drawn walls and joints at the bound of the ranges; and the worst case, which is near it."""
    cover = Cover(4e4, 60.0, thickness)
    robot, point, search, limits = search_of(panda, panda_dynamics, cover)
    worst = search.worst(point, limits)[0]
    J, random = panda_dynamics(panda.stance, np.zeros(7)).J, np.random.default_rng(7)
    dq = np.linalg.pinv(J) @ np.append(-worst.speed * NORMAL, np.zeros(3))
    case, used, bottomed = worst.case, [], []
    cases = [(case.stiffness, case.restitution, case.friction, case.scale)]
    for _ in range(6):
        drawn = 10.0 ** random.uniform(5.0, 7.0), *random.uniform([0.02, 0.0], [0.3, 0.279])
        cases.append((*drawn, random.uniform(*search._ends)))
    for k, e, mu, scale in cases:
        wall = Surface(point.position, NORMAL, mu).moved(-1e-6)
        plant = LoadedPlant(
            robot.with_joints(scale), CompliantWall(wall, viscoelastic(k, e, worst.speed))
        )
        plant.reset(panda.stance, dq)
        direct_run(plant, gravity_compensation, after_contact=0.03)
        used.append(limits.used(plant.load).max() * 0.98)
        bottomed.append(plant.load.compression[0] == thickness)
    assert max(used) < 1.0
    assert used[0] > 0.9
    assert bottomed[0] == (thickness < 2e-3)


def test_the_plant_moves_as_the_model(panda, panda_dynamics):
    for seed in DRAWN[:5]:
        random = np.random.default_rng(200 + seed)
        cover, wall, speed = draw(seed, 3.0)
        point, surface = hitting(panda, panda_dynamics, random, speed)
        plant = LoadedPlant(with_cover(panda, cover), CompliantWall(surface.moved(-1e-6), wall))
        plant.reset(point.q, point.dq)
        direct_run(plant, gravity_compensation, after_contact=0.03)
        arm = elastic_arm(panda, point.robot_state)
        contact = load_contact(point, surface.rotation, wall, 0.0, cover=cover)
        load = joint_load(arm, [contact])
        limit = panda.limits.impulsive_torque
        true = (plant.load.change / limit).max()
        assert (load.change / limit).max() == pytest.approx(true, rel=0.02)
        assert load.compression == pytest.approx(plant.load.compression, rel=0.01)
        plant.reset(point.q, point.dq)
        assert plant.cover_compression == 0.0


def test_a_prediction_says_how_far_the_cover_is_compressed(panda, panda_dynamics):
    point, surface = hitting(panda, panda_dynamics, np.random.default_rng(1), 0.2)
    surface = Surface(surface.point, surface.normal, **RANGES)
    thin, thick, none = (
        predicted_load([RobotContact(point, surface)], with_cover(panda, cover))
        for cover in (Cover(4e4, 60.0, 5e-4), Cover(4e4, 60.0, 8e-3), None)
    )
    assert none.cover is None
    assert thin.cover.expected == thin.cover.high == thin.cover.thickness
    assert thick.cover.low <= thick.cover.expected <= thick.cover.high < thick.cover.thickness
    assert thick.change.max() < thin.change.max() < none.change.max()


@pytest.mark.parametrize(
    ("cover", "line"),
    [
        ((0.0, 1.0, 1.0), "cover.stiffness: expected a finite number above 0, got 0.0"),
        ((np.inf, 1.0, 1.0), "cover.stiffness: expected a finite number above 0, got inf"),
        ((1e4, -1.0, 1.0), "cover.damping: expected a finite number, at least 0, got -1.0"),
        ((1e4, 1.0, np.nan), "cover.thickness: expected a finite number above 0, got nan"),
    ],
)
def test_wrong_covers_are_refused(cover, line):
    with pytest.raises(OutOfRangeError, match=line):
        Cover(*cover)


def test_what_does_not_take_a_cover_refuses_it(panda, panda_dynamics):
    robot = with_cover(panda, Cover(4e4, 60.0, 8e-3))
    point, surface = hitting(panda, panda_dynamics, np.random.default_rng(1), 0.2)
    with pytest.raises(PredictionError, match="does not take the cover of the tool into account"):
        elastic_arm(robot, point.robot_state)
    hertz = HuntCrossley(2e8, 4e8, 1.5)
    contact = load_contact(point, surface.rotation, hertz, 0.0, cover=robot.cover)
    with pytest.raises(PredictionError, match="cover: expected a viscoelastic surface under it"):
        joint_load(elastic_arm(panda, point.robot_state), [contact])
    from impact_predictor.people.aim import aim

    with pytest.raises(RobotError, match="a speed towards a person"):
        aim(robot, panda.stance, NORMAL)
    assert aim(robot, panda.stance, NORMAL, "elbow").robot is robot


def test_the_plant_refuses_walls_that_take_no_cover(panda):
    from impact_predictor.joint_load.load import YieldingLaw

    wall = CompliantWall(Surface(np.zeros(3), NORMAL), YieldingLaw(1e6, 200.0, 1e4))
    plant = LoadedPlant(with_cover(panda, Cover(4e4, 60.0, 8e-3)), wall)
    plant.reset(panda.stance)
    with pytest.raises(SimulationError, match="under the cover of the tool, got YieldingLaw"):
        plant.advance_contact()


def test_loads_count_until_a_soft_cover_has_carried_its_peak():
    assert window(3.0, 1e5) == 0.03
    assert window(3.0, 1e3) == pytest.approx(0.6 * np.pi * np.sqrt(3e-3))
