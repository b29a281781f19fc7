# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""With NUMBA_DISABLE_JIT=1 compiled functions are plain Python, with the same results."""

import os
import subprocess
import sys

import numpy as np
import pytest

CONTROLLER = """
from impact_qp import *
from impact_sim import load_scenario
s = load_scenario('qp_panda_demo')
c = ImpactController(panda, Plan(Contact(s.surface_point(panda), s.normal, 0.3), 'MODE'))
q, dq = s.start(panda).copy(), np.zeros(7)
for _ in range(40):
    dq = dq + 1e-3 * c.update(q, dq).ddq
    q = q + 1e-3 * dq
print(*dq)
"""
CONTACTS = """
from impact_predictor.laws.coulomb import coulomb_impulse
for _ in range(300):
    A, v = random.normal(size=(3, 3)), random.normal(size=3)
    v[2] = -abs(v[2])
    print(*coulomb_impulse(A @ A.T, v, random.uniform(0.0, 1.0), 0.2)[0])
"""
LOADS = """
from impact_predictor.contact_force.laws import HuntCrossley
from impact_predictor.joint_load.elastic_arm import elastic_arm
from impact_predictor.joint_load.load import joint_load, load_contact
point = ArmDynamics(panda)(panda.stance, np.full(7, 0.1))
contact = load_contact(point, np.eye(3), HuntCrossley(1e5, 300.0, 1.5), 0.3, [0.0, 0.02, -0.2])
loads = joint_load(elastic_arm(panda, point.robot_state), [contact, contact], duration=3e-3)
print(*loads.highest, *loads.lowest, *loads.impulse.ravel())
"""
REACH = """
from impact_qp.reach import Reach
up, point = np.array([0.0, 0.0, 1.0]), np.array([0.5, 0.1, 0.1])
reach = Reach(panda, None, facing=-up, normal=up, tilt=0.5, around=panda.stance)
found = reach.bring(point, panda.stance)
print(*found, *reach.to(point, found + 0.05), *reach.around(found, np.full(7, 0.1)))
"""
CODES = {
    "robust": CONTROLLER.replace("MODE", "robust"),
    "existential": CONTROLLER.replace("MODE", "existential"),
    "contacts": CONTACTS,
    "loads": LOADS,
    "reach": REACH,
}
BEFORE = """
import numpy as np
from impact_robots import ArmDynamics, load_robot
panda, random = load_robot('panda'), np.random.default_rng(2)
"""


@pytest.mark.parametrize("code", CODES.values(), ids=CODES)
def test_without_a_compiler_it_is_the_same(project_root, code):
    results = []
    for disabled in ("0", "1"):
        done = subprocess.run(
            [sys.executable, "-c", BEFORE + code],
            cwd=project_root,
            env=os.environ | {"NUMBA_DISABLE_JIT": disabled},
            capture_output=True,
            text=True,
            timeout=120,
        )
        assert done.returncode == 0, done.stderr
        results.append(np.array(done.stdout.split(), dtype=float))
    assert np.abs(results[0]).max() > 1e-3
    np.testing.assert_allclose(*results, rtol=1e-9, atol=1e-12)
