# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The suite as a Python package: for colcon (ament_python) and for pip, with or without ROS 2."""

import re
import sys
from glob import glob
from pathlib import Path
from xml.etree import ElementTree

from setuptools import setup

NAME = "impact_control"
PACKAGES = [
    "impact_robots",
    "impact_robots.compiling",
    "impact_robots.description",
    "impact_robots.state",
    "impact_robots.task",
    "impact_robots.tools",
    "impact_robots.urdf",
    "impact_ros",
    "impact_ros.node",
    "impact_predictor",
    "impact_predictor.balance",
    "impact_predictor.compiled",
    "impact_predictor.contact_force",
    "impact_predictor.identification",
    "impact_predictor.inertia",
    "impact_predictor.joint_load",
    "impact_predictor.laws",
    "impact_predictor.learning",
    "impact_predictor.multicontact",
    "impact_predictor.people",
    "impact_predictor.prediction",
    "impact_predictor.reflex",
    "impact_predictor.ros",
    "impact_predictor.sets",
    "impact_predictor.strike",
    "impact_detector",
    "impact_detector.attribution",
    "impact_detector.compiled",
    "impact_detector.detectors",
    "impact_detector.estimators",
    "impact_detector.ros",
    "impact_detector.signals",
    "impact_qp",
    "impact_qp.arms",
    "impact_qp.body",
    "impact_qp.body.palms",
    "impact_qp.compiled",
    "impact_qp.control",
    "impact_qp.goals",
    "impact_qp.governor",
    "impact_qp.guards",
    "impact_qp.learning",
    "impact_qp.learning.ros",
    "impact_qp.limits",
    "impact_qp.limits.impact_limits",
    "impact_qp.object_speed",
    "impact_qp.program",
    "impact_qp.references",
    "impact_qp.ros",
    "impact_qp.ros.actions",
    "impact_qp.spreading",
    "impact_qp.strike",
    "impact_qp.tasks",
    "impact_qp.touch",
    "impact_qp.whole_body",
    "impact_sim",
    "impact_sim.arm",
    "impact_sim.cell",
    "impact_sim.driver",
    "impact_sim.export",
    "impact_sim.floating",
    "impact_sim.humanoid",
    "impact_sim.plant",
    "impact_sim.ros",
    "impact_bags",
    "impact_bags.reading",
    "impact_bags.windows",
    "impact_bags.writing",
    "impact_trials",
    "impact_trials.grab",
    "impact_trials.in_process",
    "impact_trials.recording",
    "impact_trials.strikes",
    "impact_trials.truth",
    "impact_bringup",
    "impact_bringup.experiments",
    "impact_view",
    "impact_view.run",
    "impact_view.scene",
    "impact_view.web",
    "impact_drivers",
    "impact_drivers.fake_fr3",
    "impact_drivers.franka",
    "impact_drivers.franka.arm",
    "impact_drivers.franka.loop",
    "impact_drivers.franka.memory",
    "impact_drivers.franka.ros",
    "impact_analysis",
    "impact_analysis.analyze",
    "impact_analysis.analyze.comparing",
    "impact_analysis.analyze.page",
    "impact_analysis.analyze.reading",
    "impact_analysis.demo",
    "impact_analysis.demonstration",
    "impact_analysis.detection",
    "impact_analysis.franka",
    "impact_analysis.landings",
    "impact_analysis.learning",
    "impact_analysis.strikes",
    "impact_analysis.planar",
    "impact_analysis.present",
    "impact_analysis.spreading",
    "impact_analysis.tosses",
    "impact_cli",
    "impact_cli.commands",
    "impact_cli.demo",
    "impact_cli.franka",
    "impact_cli.maps",
    "impact_cli.options",
    "impact_cli.plans",
    "impact_cli.reports",
    "impact_cli.strikes",
    "impact_cli.touch",
]
# The texts of impact_msgs, with which bags are written without ROS; a build by links has no copy.
MESSAGES = {"impact_bags.msg": "impact_msgs/msg"} if Path("impact_msgs/msg").is_dir() else {}
MANIFEST = ElementTree.parse("package.xml")
VERSION = MANIFEST.findtext("version")
# ROS 2 Kilted's public wheels, of which the nodes import these; see requirements.txt for the rest.
ROS = [
    f"impact-msgs=={VERSION}",
    "ros-rclpy[fastrtps]~=9.1",
    *(
        f"ros-{name}-msgs~=5.5"
        for name in (
            "diagnostic",
            "geometry",
            "nav",
            "sensor",
            "std",
            "trajectory",
            "visualization",
        )
    ),
    "ros-std-srvs~=5.5",
    *(
        f"ros-{name}~=2.3"
        for name in ("action-msgs", "lifecycle-msgs", "rcl-interfaces", "rosgraph-msgs")
    ),
]
SCRIPTS = [
    "bring_up = impact_bringup.entry:bring_up",
    "franka = impact_bringup.entry:franka",
    "impact = impact_cli.__main__:main",
    "impact_detector = impact_bringup.entry:impact_detector",
    "impact_governor = impact_bringup.entry:impact_governor",
    "impact_humanoid = impact_bringup.entry:impact_humanoid",
    "impact_humanoid_sim = impact_bringup.entry:impact_humanoid_sim",
    "impact_learner = impact_bringup.entry:impact_learner",
    "impact_predictor = impact_bringup.entry:impact_predictor",
    "impact_qp = impact_bringup.entry:impact_qp",
    "impact_sim = impact_bringup.entry:impact_sim",
    "impact_cell = impact_bringup.entry:impact_cell",
    "impact_spreading = impact_bringup.entry:impact_spreading",
    "suite = impact_bringup.entry:suite",
]
WHEEL = {"dist_info", "bdist_wheel"}.intersection(sys.argv)


def named(script):
    """Return a script by the name that it is installed with: a wheel's go to the PATH."""
    return f"impact_{script}" if WHEEL and not script.startswith("impact") else script


def described():
    """Return the README without its pictures and its links to files, which an index cannot show."""
    text = (Path(__file__).resolve().parent / "README.md").read_text("utf-8")
    text = re.sub(r"!\[[^]]*\]\([^)]*\)\n*", "", text)
    return re.sub(r"\[([^]]*)\]\((?!https?:)[^)]*\)", r"\1", text)


setup(
    name=NAME,
    version=VERSION,
    description=MANIFEST.findtext("description"),
    license=MANIFEST.findtext("license"),
    author=MANIFEST.findtext("author"),
    maintainer=MANIFEST.findtext("maintainer"),
    long_description=described(),
    long_description_content_type="text/markdown",
    keywords="robotics impact collision contact control simulation ros2",
    classifiers=[
        "Development Status :: 4 - Beta",
        "Intended Audience :: Science/Research",
        "Operating System :: POSIX :: Linux",
        "Programming Language :: Python :: 3",
        *(f"Programming Language :: Python :: 3.{minor}" for minor in range(10, 14)),
        "Topic :: Scientific/Engineering",
        "Topic :: Scientific/Engineering :: Physics",
        "Typing :: Typed",
    ],
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
        "hdf5": ["h5py>=3.9"],
        "parquet": ["pyarrow>=15"],
        "franka": ['pylibfranka>=0.21; python_version < "3.13"', "franky-sim>=1.0.4"],
        "ros": ROS,
        "test": ["pytest", "pytest-timeout", "hypothesis"],
    },
    zip_safe=False,
    entry_points={
        "console_scripts": [named(script) for script in SCRIPTS],
        "ament_copyright.license": ["apache2_spdx = impact_ros.node.ament_license:SPDX"],
    },
)
