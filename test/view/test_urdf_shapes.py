# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""An arm is drawn as its URDF says, and as capsules where that says nothing."""

from dataclasses import replace

import numpy as np
import pinocchio as pin
import pytest
import trimesh

from impact_view.scene.urdf_shapes import CAPSULE, MESH, PRIMITIVE, link_shapes, mesh_file
from impact_view.web.camera import STANDARD, Camera


def with_mesh(panda, filename, scale="2 2 2"):
    """The arm, with a mesh for its last link and nothing for the others."""
    link = (
        f'<link name="panda_link7"><visual><origin xyz="0 0 0.1"/><geometry><mesh'
        f' filename="{filename}" scale="{scale}"/></geometry></visual></link>'
    )
    return replace(panda, urdf=f'<robot name="panda">{link}</robot>')


def drawn(shapes, kind):
    return [shape for shape in shapes if shape.kind == kind]


def test_primitives_of_the_urdf_are_drawn_and_joined_by_capsules(panda):
    shapes = link_shapes(panda)
    assert len(drawn(shapes, PRIMITIVE)) == panda.urdf.count("<visual>")
    assert len(drawn(shapes, CAPSULE)) >= 5 and not drawn(shapes, MESH)
    assert all(shape.faces.max() < len(shape.vertices) for shape in shapes)


def test_capsules_reach_from_joint_to_joint_and_to_the_contact_point(panda):
    bare = link_shapes(replace(panda, urdf="<robot/>"))
    tool = bare[-1]
    frame = panda.model.frames[panda.model.getFrameId(panda.contact_frame)]
    assert {shape.kind for shape in bare} == {CAPSULE}
    assert panda.model.frames[tool.frame].parentJoint == frame.parentJoint
    far = np.linalg.norm(tool.vertices, axis=1).max()
    assert far == pytest.approx(np.linalg.norm(frame.placement.translation) + 0.02, abs=1e-3)


def test_only_one_ball_is_at_a_joint(panda):
    """Two of one size in one place flicker."""
    dynamics, still = panda.model.createData(), panda.stance
    pin.framesForwardKinematics(panda.model, dynamics, still)
    centres = []
    for shape in link_shapes(replace(panda, urdf="<robot/>"))[:-1]:  # but for the thinner tool
        mesh = trimesh.Trimesh(shape.vertices, shape.faces, process=False)
        parts = mesh.split(only_watertight=False)
        balls = [part for part in parts if part.bounding_box.extents.std() < 1e-3]
        centres += [dynamics.oMf[shape.frame].act(ball.bounds.mean(axis=0)) for ball in balls]
    apart = [np.linalg.norm(a - b) for k, a in enumerate(centres) for b in centres[:k]]
    assert len(centres) >= 5 and min(apart) > 0.01


def test_a_link_whose_visual_mesh_is_not_there_is_what_it_is_for_collisions(panda, tmp_path):
    trimesh.creation.box((0.1, 0.1, 0.1)).export(tmp_path / "link.stl")
    robot = with_mesh(panda, "package://nowhere/link.dae")
    solid = f'<geometry><mesh filename="{tmp_path / "link.stl"}"/></geometry>'
    urdf = robot.urdf.replace("</link>", f"<collision>{solid}</collision></link>")
    (mesh,) = drawn(link_shapes(replace(robot, urdf=urdf)), MESH)
    assert mesh.vertices.max() == pytest.approx(0.05)


@pytest.mark.parametrize("form", ["{}", "file://{}"])
def test_a_mesh_of_the_urdf_is_drawn_where_it_says(panda, tmp_path, form):
    trimesh.creation.box((0.1, 0.1, 0.1)).export(tmp_path / "link.stl")
    shapes = link_shapes(with_mesh(panda, form.format(tmp_path / "link.stl")))
    (mesh,) = drawn(shapes, MESH)
    assert mesh.vertices.max(axis=0) == pytest.approx([0.1, 0.1, 0.2], abs=1e-6)
    assert mesh.vertices.min(axis=0) == pytest.approx([-0.1, -0.1, 0.0], abs=1e-6)
    joints = [panda.model.frames[shape.frame].parentJoint for shape in drawn(shapes, CAPSULE)]
    assert panda.model.frames[mesh.frame].parentJoint not in joints


def test_a_mesh_of_a_package_is_found_in_the_ros_prefixes(tmp_path, monkeypatch):
    file = tmp_path / "share" / "arm" / "link.stl"
    file.parent.mkdir(parents=True)
    file.touch()
    assert mesh_file("package://arm/link.stl") is None
    monkeypatch.setenv("AMENT_PREFIX_PATH", f"/nowhere:{tmp_path}")
    assert mesh_file("package://arm/link.stl") == file


@pytest.mark.parametrize("content", [None, b"no mesh at all"])
def test_a_mesh_that_cannot_be_read_is_a_capsule(panda, tmp_path, content):
    if content is not None:
        (tmp_path / "link.stl").write_bytes(content)
    shapes = link_shapes(with_mesh(panda, tmp_path / "link.stl"))
    assert {shape.kind for shape in shapes} == {CAPSULE}


def test_a_camera_looks_at_its_target():
    for camera in (STANDARD, Camera((0.0, -2.0, 0.5), (0.0, 0.0, 0.5))):
        w, *v = camera.wxyz
        forward = np.array([0.0, 0.0, 1.0])
        turned = forward + 2.0 * np.cross(v, np.cross(v, forward) + w * forward)
        towards = np.subtract(camera.target, camera.position)
        assert turned == pytest.approx(towards / np.linalg.norm(towards))
