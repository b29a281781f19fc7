# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The figures that tests carry are those of the shared data, and none was recorded on a robot."""

import pytest

FILES = {
    "chosen_scenario_configurations.csv": "derived",
    "hrp4_grab_postures.csv": "../robots",
    "joint_load_vectors.json": "derived",
    "panda_links.csv": "../robots",
    "scenarios.yaml": "derived",
    "scenarios_rs.yaml": "derived",
    "test_vectors.json": "derived",
}


def test_every_file_is_named_with_its_source(derived_data):
    found = {path.name for path in derived_data.iterdir()} - {"README.md"}
    assert found == set(FILES)
    readme = (derived_data / "README.md").read_text()
    assert all(f"`{name}`" in readme for name in found)


@pytest.mark.parametrize("name", sorted(FILES))
def test_carried_figures_are_those_of_the_shared_data(derived_data, shared_data, name):
    source = shared_data / FILES[name] / name
    assert (derived_data / name).read_bytes() == source.read_bytes()
