# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The suite as a Python package: for colcon (ament_python) and for pip, with or without ROS 2."""

from glob import glob
from pathlib import Path
from xml.etree import ElementTree

from setuptools import setup

NAME = "impact_control"
PACKAGES = [
    "impact_robots",
    "impact_ros",
    "impact_predictor",
    "impact_predictor.contact_force",
    "impact_predictor.identification",
    "impact_predictor.inertia",
    "impact_predictor.joint_load",
    "impact_predictor.laws",
    "impact_predictor.multicontact",
    "impact_predictor.prediction",
    "impact_predictor.ros",
    "impact_predictor.sets",
    "impact_detector",
    "impact_detector.attribution",
    "impact_detector.detectors",
    "impact_detector.estimators",
    "impact_detector.ros",
    "impact_detector.signals",
    "impact_qp",
    "impact_qp.control",
    "impact_qp.limits",
    "impact_qp.ros",
    "impact_qp.tasks",
    "impact_sim",
    "impact_sim.export",
    "impact_foreign",
    "impact_bags",
    "impact_trials",
    "impact_bringup",
    "impact_view",
    "impact_drivers",
    "impact_drivers.fake_fr3",
    "impact_drivers.franka",
    "impact_drivers.franka.ros",
    "impact_analysis",
    "impact_analysis.analyze",
    "impact_analysis.demo",
    "impact_analysis.detection",
    "impact_analysis.planar",
    "impact_analysis.reproduce",
    "impact_analysis.reproduce.controller",
    "impact_analysis.reproduce.flexible_joints",
    "impact_analysis.reproduce.foreign",
    "impact_analysis.reproduce.impact_models",
    "impact_analysis.reproduce.joint_loads",
    "impact_analysis.reproduce.reference_spreading",
    "impact_cli",
    "impact_cli.commands",
    "impact_cli.reports",
]
# The texts of impact_msgs, with which bags are written without ROS; a build by links has no copy.
MESSAGES = {"impact_bags.msg": "impact_msgs/msg"} if Path("impact_msgs/msg").is_dir() else {}
MANIFEST = ElementTree.parse("package.xml")

setup(
    name=NAME,
    version=MANIFEST.findtext("version"),
    description=MANIFEST.findtext("description"),
    license=MANIFEST.findtext("license"),
    author=MANIFEST.findtext("author"),
    maintainer=MANIFEST.findtext("maintainer"),
    url=MANIFEST.findtext("url"),
    python_requires=">=3.10",
    packages=[*PACKAGES, *MESSAGES],
    package_dir=MESSAGES,
    package_data={"": ["*.yaml", "*.urdf", "*.csv", "*.msg", "py.typed", "data/*"]},
    data_files=[
        ("share/ament_index/resource_index/packages", [f"resource/{NAME}"]),
        (f"share/{NAME}", ["package.xml"]),
        (f"share/{NAME}/launch", sorted(glob("launch/*.launch.py"))),
        (f"share/{NAME}/config", sorted(glob("config/*.yaml"))),
        (f"share/{NAME}/config/sros2", sorted(glob("config/sros2/*.xml"))),
        (f"share/{NAME}/rviz", sorted(glob("rviz/*.rviz"))),
        (f"share/{NAME}/foxglove", sorted(glob("foxglove/*.json"))),
    ],
    install_requires=[
        "daqp>=0.7",
        "matplotlib>=3.8",
        "mujoco>=3.2",
        "numba>=0.61",
        "numpy>=1.26",
        "pin>=4.1",
        "plotly>=6.0",
        "pyyaml>=6.0",
        "quadprog>=0.1.12",
        "rosbags>=0.10.9",
        "scipy>=1.11",
        "transforms3d>=0.4.2",
        "viser>=1.1",
    ],
    extras_require={
        "dask": ["distributed"],
        "franka": ['pylibfranka>=0.21; python_version < "3.13"', "franky-sim>=1.0.4"],
        "test": ["pytest", "pytest-timeout", "hypothesis"],
    },
    zip_safe=False,
    entry_points={
        "console_scripts": [
            "bring_up = impact_bringup.entry:bring_up",
            "franka = impact_bringup.entry:franka",
            "impact = impact_cli.__main__:main",
            "impact_detector = impact_bringup.entry:impact_detector",
            "impact_predictor = impact_bringup.entry:impact_predictor",
            "impact_qp = impact_bringup.entry:impact_qp",
            "impact_sim = impact_bringup.entry:impact_sim",
            "suite = impact_bringup.entry:suite",
        ],
        "ament_copyright.license": ["apache2_spdx = impact_ros.ament_license:SPDX"],
    },
)
