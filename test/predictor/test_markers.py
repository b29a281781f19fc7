# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Markers for RViz, by their content: what RViz makes of them is not tested."""

import numpy as np
import pinocchio as pin
import pytest
from walls import a_wall

pytest.importorskip("rclpy")

from predictor_caller import Caller, joint_state, wall_contact
from std_msgs.msg import Header
from visualization_msgs.msg import Marker

from impact_msgs.srv import PredictImpact
from impact_predictor import predict, robot_sets
from impact_predictor.ros.marker_shapes import Scales
from impact_predictor.ros.markers import STAY, marker_array
from impact_ros.messages import vector

SECOND = 1_000_000_000  # [ns]


@pytest.fixture
def prediction(hitting, panda):
    return predict(hitting, a_wall(0.3, 0.15), panda)


@pytest.fixture
def impulses(hitting, panda):
    return robot_sets(hitting, a_wall(0.3, (0.0, 0.3)), panda, names=["impulse"])[0]


@pytest.fixture
def drawn(prediction, impulses):
    """The markers of one contact by namespace and id."""
    header = Header(frame_id="panda_link0")
    array = marker_array([prediction], [impulses], Scales(0.1, 0.5), header, SECOND)
    return {(each.ns, each.id): each for each in array.markers}


def in_base(marker):
    """Return a marker's points in base axes, as RViz does, shape (k, 3) [m]."""
    o = marker.pose.orientation
    rotation = pin.Quaternion(o.w, o.x, o.y, o.z).matrix()
    return np.array([vector(each) for each in marker.points]) @ rotation.T + vector(
        marker.pose.position
    )


def test_axes_and_velocities_have_the_pose_of_the_contact(drawn, prediction):
    p, R = prediction.contact_position, prediction.contact_rotation
    for i in range(3):
        np.testing.assert_allclose(
            in_base(drawn["contact_frame", i]), [p, p + 0.1 * R[:, i]], atol=1e-12
        )
    ahead = p + 0.5 * R @ prediction.velocity_after
    np.testing.assert_allclose(in_base(drawn["velocity_after", 0]), [p, ahead], atol=1e-12)
    behind = p - 0.5 * R @ prediction.velocity_before
    np.testing.assert_allclose(in_base(drawn["velocity_before", 0]), [behind, p], atol=1e-12)


def test_the_corners_drawn_are_the_sets(drawn, prediction, impulses):
    p, R = prediction.contact_position, prediction.contact_rotation
    corners = p + 0.1 * impulses.vertices @ R.T
    points = in_base(drawn["impulse_set", 0])
    distances = np.linalg.norm(points[:, None] - corners[None], axis=2)
    assert distances.min(axis=0).max() < 1e-12  # each corner is drawn
    assert distances.min(axis=1).max() < 1e-12  # nothing else is


def test_markers_have_what_rviz_needs(drawn):
    types = {
        "contact_frame": Marker.ARROW,
        "velocity_before": Marker.ARROW,
        "velocity_after": Marker.ARROW,
        "impulse_set": Marker.LINE_LIST,
        "text": Marker.TEXT_VIEW_FACING,
    }
    assert {ns for ns, _ in drawn} == set(types)
    for (ns, _), marker in drawn.items():
        assert (marker.type, marker.action) == (types[ns], Marker.ADD)
        assert marker.header.frame_id == "panda_link0"
        assert marker.color.a > 0.0
        assert marker.lifetime.sec == 1
        o = marker.pose.orientation
        assert np.linalg.norm([o.x, o.y, o.z, o.w]) == pytest.approx(1.0)
        if ns != "text":
            assert marker.scale.x > 0.0
            assert len(marker.points) % 2 == 0 < len(marker.points)
    assert drawn["text", 0].scale.z > 0.0
    assert "kg (crb)" in drawn["text", 0].text


def test_the_text_hovers_over_the_contact_outside_the_surface(drawn, prediction):
    above = vector(drawn["text", 0].pose.position) - prediction.contact_position
    np.testing.assert_allclose(above, 0.15 * prediction.contact_rotation[:, 2], atol=1e-12)


def test_a_single_impulse_is_a_dot(prediction, hitting, panda):
    sets = robot_sets(hitting, a_wall(0.0, 0.2), panda, names=["impulse"])
    array = marker_array([prediction], sets, Scales(), Header(), SECOND)
    (dot,) = [each for each in array.markers if each.ns == "impulse_set"]
    assert (dot.type, len(dot.points), dot.action) == (Marker.SPHERE_LIST, 1, Marker.ADD)
    assert dot.scale.x == dot.scale.y == dot.scale.z > 0.0


def test_what_is_not_there_any_more_is_deleted(prediction, drawn):
    unknown = prediction._replace(velocity_after=np.full(3, np.nan))
    array = marker_array([unknown], [None], Scales(), Header(), SECOND)
    assert [(each.ns, each.id) for each in array.markers] == list(drawn)
    deleted = {each.ns for each in array.markers if each.action == Marker.DELETE}
    assert deleted == {"impulse_set", "velocity_after"}


def test_markers_that_stay_first_delete_those_before(prediction):
    array = marker_array([prediction] * 2, [None] * 2, Scales(), Header(), STAY)
    assert array.markers[0].action == Marker.DELETEALL
    names = [(each.ns, each.id) for each in array.markers[1:]]
    assert len(set(names)) == len(names)
    assert all(each.lifetime.sec == each.lifetime.nanosec == 0 for each in array.markers)


@pytest.fixture
def caller(context):
    made = Caller(context, "markers", marker_velocity_scale=2.0)
    made.listen()
    yield made
    made.close()


def test_a_prediction_asked_for_is_drawn(caller, panda, hitting):
    asked = PredictImpact.Request(
        state=joint_state(panda.joint_names, hitting.q, hitting.dq),
        contacts=[wall_contact(), wall_contact(frame="panda_link8")],
    )
    assert caller.call(asked).success
    caller.spin(lambda: caller.heard["markers"])
    (array,) = caller.heard["markers"]
    assert array.markers[0].action == Marker.DELETEALL
    texts = [each.text for each in array.markers if each.ns == "text"]
    assert len(texts) == 2
    assert all("(M+B_theta)" in text for text in texts)  # the node's model, of the three asked for
    (arrow,) = [each for each in array.markers if (each.ns, each.id) == ("velocity_before", 0)]
    np.testing.assert_allclose(vector(arrow.points[0]), [0.0, 0.0, 2.0 * 0.2], atol=1e-9)
    assert {each.header.frame_id for each in array.markers} == {panda.base_frame}
    assert {each.header.stamp.sec for each in array.markers} == {12}


def test_an_arm_that_leaves_is_drawn_without_a_set(caller, panda, hitting):
    asked = PredictImpact.Request(
        state=joint_state(panda.joint_names, hitting.q, -hitting.dq),
        contacts=[wall_contact()],
        models=["M"],
    )
    assert caller.call(asked).success
    caller.spin(lambda: caller.heard["markers"])
    found = {each.ns: each for each in caller.heard["markers"][0].markers}
    assert found["impulse_set"].action == Marker.DELETE
    assert "(M)" in found["text"].text


def test_a_picture_that_fails_spoils_no_answer(caller, panda, hitting, monkeypatch, capfd):
    def fail(*_):
        raise ZeroDivisionError("no paint")

    monkeypatch.setattr("impact_predictor.node.marker_array", fail)
    asked = PredictImpact.Request(
        state=joint_state(panda.joint_names, hitting.q, hitting.dq), contacts=[wall_contact()]
    )
    assert caller.call(asked).success
    assert "no markers: no paint" in capfd.readouterr().err


def test_a_refusal_draws_nothing(caller, panda, hitting):
    asked = PredictImpact.Request(
        state=joint_state(panda.joint_names, hitting.q, hitting.dq), contacts=[]
    )
    assert not caller.call(asked).success
    asked.contacts = [wall_contact()]
    assert caller.call(asked).success
    caller.spin(lambda: caller.heard["markers"])
    assert len(caller.heard["markers"]) == 1
