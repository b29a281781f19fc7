# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The ways of a contact frame to a point: compiled they are those of pinocchio and numpy."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pinocchio as pin
import pytest

from impact_qp.exceptions import ControlError
from impact_qp.reach import RESERVE, Reach
from impact_robots.state.axis_chain import axis_chain

UP = np.array([0.0, 0.0, 1.0])
POINT = np.array([0.5, 0.1, 0.1])
TILT = 0.5
ITERATIONS, REACHED, DAMPING = 30, 1e-8, 1e-6  # as in impact_qp.reach


def mixed_arm():
    """Joints that turn and slide about aligned and other axes, and a branch beside the chain."""
    random, model, parent = np.random.default_rng(3), pin.Model(), 0
    kinds = [
        pin.JointModelRZ(),
        pin.JointModelRevoluteUnaligned(0.6, 0.0, 0.8),
        pin.JointModelPX(),
        pin.JointModelRY(),
        pin.JointModelPrismaticUnaligned(0.0, -0.6, 0.8),
        pin.JointModelRX(),
        pin.JointModelRZ(),
    ]
    for number, kind in enumerate(kinds):
        at = pin.SE3(pin.exp3(random.normal(size=3)), random.uniform(-0.3, 0.3, 3))
        joint = model.addJoint(parent, kind, at, f"joint{number}")
        parent = joint if number != 3 else parent  # nothing follows the fourth
    place = pin.SE3(pin.exp3(random.normal(size=3)), random.uniform(-0.1, 0.1, 3))
    model.addFrame(pin.Frame("tip", parent, place, pin.FrameType.OP_FRAME))
    limits = SimpleNamespace(position_lower=np.full(7, -2.0), position_upper=np.full(7, 2.0))
    return SimpleNamespace(model=model, contact_frame="tip", limits=limits, dof=7)


@pytest.fixture(params=["panda", "mixed"])
def arm(request, panda):
    return panda if request.param == "panda" else mixed_arm()


def reach_of(arm, kind=Reach):
    limits = arm.limits
    middle = np.clip(0.0, limits.position_lower, limits.position_upper)
    return kind(arm, None, facing=-UP, normal=UP, tilt=TILT, around=middle)


class PlainReach(Reach):
    """The same by pinocchio and numpy."""

    def to(self, point, q):
        for _ in range(ITERATIONS):
            place = self.place(q)
            missing = point - place.translation
            if missing @ missing < REACHED**2:
                inside = (q >= self.low).all() and (q <= self.high).all()
                return q if inside and self.cosine(place) >= self.least - 1e-6 else None
            J = self.jacobian(q)[:3]
            q = q + J.T @ np.linalg.solve(J @ J.T + DAMPING * np.eye(3), missing)
        return None

    def bring(self, point, q):
        error = np.zeros(6)
        across = np.eye(3) - np.outer(UP, UP)
        for _ in range(ITERATIONS):
            q = np.clip(q, self.low, self.high)
            place = self.place(q)
            error[:3] = point - place.translation
            faces = self.cosine(place) >= self.least
            if faces and error[:3] @ error[:3] < REACHED**2:
                return q
            J = self.jacobian(q)
            J[3:] = 0.0 if faces else across @ J[3:]
            error[3:] = 0.0 if faces else np.cross(place.rotation @ -UP, UP)
            q = q + J.T @ np.linalg.solve(J @ J.T + DAMPING * np.eye(6), error)
        return None

    def around(self, q, step):
        self.place(q)
        J = self.jacobian(q)[:3]
        return q + step - J.T @ np.linalg.solve(J @ J.T + DAMPING * np.eye(3), J @ step)

    def jacobian(self, q):
        """Return that of the contact frame, base axes, after ``place``, shape (6, n)."""
        axes = pin.LOCAL_WORLD_ALIGNED
        return pin.computeFrameJacobian(self._model, self._data, q, self._frame, axes)


def test_one_step_is_that_of_pinocchio(arm):
    reach, plain, random = reach_of(arm), reach_of(arm, PlainReach), np.random.default_rng(0)
    for _ in range(50):
        q, step = random.uniform(reach.low, reach.high), 0.1 * random.normal(size=7)
        expected = plain.around(q, step)
        np.testing.assert_allclose(reach.around(q, step), expected, rtol=0.0, atol=1e-12)


@pytest.mark.parametrize(("way", "spread", "differ"), [("to", 0.2, 1e-12), ("bring", 2.0, 1e-9)])
def test_it_ends_where_the_plain_form_ends(panda, way, spread, differ):
    """But for a few that pass a singular configuration, where rounding grows."""
    reach, other, differences = reach_of(panda), reach_of(panda, PlainReach), []
    random = np.random.default_rng(1)
    there = reach.bring(POINT, panda.stance)
    for _ in range(80):
        q = there + spread * random.uniform(-1.0, 1.0, 7)
        mine, plain = (getattr(each, way)(POINT, q) for each in (reach, other))
        if mine is None or plain is None:
            differences.append(0.0 if mine is plain else np.inf)
        else:
            differences.append(np.abs(mine - plain).max())
    assert np.count_nonzero(differences) > 15 and np.quantile(differences, 0.9) < differ


@pytest.mark.parametrize("way", ["to", "bring"])
def test_what_it_finds_is_at_the_point_and_allowed(panda, way):
    reach, random = reach_of(panda), np.random.default_rng(2)
    limits = panda.limits
    for _ in range(60):
        start = random.uniform(reach.low, reach.high)
        before = start.copy()
        q = getattr(reach, way)(POINT, start)
        np.testing.assert_array_equal(start, before)
        if q is None:
            continue
        place = reach.place(q)
        np.testing.assert_allclose(place.translation, POINT, rtol=0.0, atol=1e-8)
        assert reach.cosine(place) >= np.cos(TILT) - 1e-6
        assert (q >= limits.position_lower + RESERVE - 1e-12).all()
        assert (q <= limits.position_upper - RESERVE + 1e-12).all()


def test_no_configuration_reaches_what_is_too_far(panda):
    reach = reach_of(panda)
    far = np.array([3.0, 0.0, 0.0])
    assert reach.to(far, panda.stance) is None and reach.bring(far, panda.stance) is None


def test_a_frame_that_no_joint_moves_is_refused(panda):
    fixed = replace(panda, contact_frame=panda.base_frame)
    line = "contact frame: expected one that the joints move, got 'panda_link0'"
    with pytest.raises(ControlError, match=line):
        reach_of(fixed)


def test_a_floating_base_is_no_chain():
    model = pin.Model()
    model.addJoint(0, pin.JointModelFreeFlyer(), pin.SE3.Identity(), "root")
    model.addFrame(pin.Frame("tip", 1, pin.SE3.Identity(), pin.FrameType.OP_FRAME))
    assert axis_chain(model, model.getFrameId("tip")) is None


def test_a_screw_is_no_chain():
    model = pin.Model()
    model.addJoint(0, pin.JointModelHelicalUnaligned(0.0, 0.0, 1.0, 0.1), pin.SE3.Identity(), "s")
    model.addFrame(pin.Frame("tip", 1, pin.SE3.Identity(), pin.FrameType.OP_FRAME))
    assert axis_chain(model, model.getFrameId("tip")) is None
