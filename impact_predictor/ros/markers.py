# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Writes shapes as markers for RViz; needs visualization_msgs."""

from __future__ import annotations

from collections.abc import Sequence

from geometry_msgs.msg import Point, Pose
from std_msgs.msg import ColorRGBA, Header
from visualization_msgs.msg import Marker, MarkerArray

from impact_predictor.prediction.prediction import Prediction
from impact_predictor.ros.marker_shapes import Kind, Scales, Shape, shapes
from impact_predictor.sets.polytope import Polytope
from impact_ros.messages import from_nanoseconds, rotation_of, set_orientation, set_vector, vector

STAY = 0  # lifetime of markers that stay until others replace them [ns]

_TYPES = {
    Kind.ARROW: Marker.ARROW,
    Kind.LINES: Marker.LINE_LIST,
    Kind.DOTS: Marker.SPHERE_LIST,
    Kind.TEXT: Marker.TEXT_VIEW_FACING,
}


def marker_array(
    predictions: Sequence[Prediction],
    impulses: Sequence[Polytope | None],
    scales: Scales,
    header: Header,
    lifetime: int,
) -> MarkerArray:
    """Return the markers of an impact.

    Args:
        predictions: one per contact, by one impact map.
        impulses: the set of impulses of each contact, or None.
        scales: of drawn velocities and impulses.
        header: the state's time and the base frame.
        lifetime: after which RViz forgets them [ns]. With ``STAY`` all that were drawn before are
            deleted first: there may have been more contacts.
    """
    markers = [Marker(header=header, action=Marker.DELETEALL)] if lifetime == STAY else []
    for number, (prediction, possible) in enumerate(zip(predictions, impulses, strict=True)):
        pose = Pose()
        write_pose(pose, prediction)
        for shape in shapes(prediction, possible, scales, number):
            marker = _marker(shape, pose, header)
            from_nanoseconds(lifetime, marker.lifetime)
            markers.append(marker)
    return MarkerArray(markers=markers)


def write_pose(pose: Pose, prediction: Prediction) -> None:
    """Write position and orientation of the contact frame in base axes."""
    set_vector(pose.position, prediction.contact_position)
    set_orientation(pose.orientation, prediction.contact_rotation)


def _marker(shape: Shape, pose: Pose, header: Header) -> Marker:
    """Return one marker; it deletes the former one if the shape is empty."""
    marker = Marker(header=header, ns=shape.group, id=shape.number, type=_TYPES[shape.kind])
    if not shape.visible:
        marker.action = Marker.DELETE
        return marker
    marker.pose = pose
    r, g, b, a = shape.colour
    marker.color = ColorRGBA(r=r, g=g, b=b, a=a)
    _write_scale(marker, shape)
    if shape.kind is Kind.TEXT:
        marker.text = shape.text
        marker.pose = _moved(pose, shape.points[0].tolist())
    else:
        marker.points = [Point(x=x, y=y, z=z) for x, y, z in shape.points.tolist()]
    return marker


def _write_scale(marker: Marker, shape: Shape) -> None:
    """Write the sizes that RViz reads for this type of marker, and only these."""
    size = shape.size
    if shape.kind is Kind.ARROW:
        marker.scale.x, marker.scale.y = size, 2 * size  # shaft, head
    elif shape.kind is Kind.LINES:
        marker.scale.x = size
    elif shape.kind is Kind.DOTS:
        set_vector(marker.scale, (size, size, size))
    else:
        marker.scale.z = size


def _moved(pose: Pose, offset: Sequence[float]) -> Pose:
    """Return the pose moved by an ``offset`` (3,) [m] along its own axes."""
    moved = Pose(orientation=pose.orientation)
    ahead = rotation_of(pose.orientation) @ offset
    set_vector(moved.position, vector(pose.position) + ahead)
    return moved
