# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Two Pandas beside a box, as a file and as arguments of the library."""

import numpy as np

from impact_predictor.multicontact.bodies import box
from impact_predictor.prediction.object_question import ObjectArm, ObjectQuestion

LEFT = ObjectArm(
    [-0.3, 0.2826, -0.0534, -2.1699, -1.8376, 1.8026, -0.6557],
    [-0.4266, -0.715, -0.332, 0.3557, -0.3383, 0.7858, -0.912],
    (0.0, 0.45, 0.0),
)
RIGHT = ObjectArm(
    [0.3, 0.2826, 0.0534, -2.1699, 1.8376, 1.8026, 0.6557],
    [0.4266, -0.715, 0.332, 0.3557, 0.3383, 0.7858, 0.912],
    (0.0, -0.45, 0.0),
)
MASS, SIZE, CENTRE = 1.3, (0.26, 0.16, 0.20), (0.5, 0.0, 0.3)
QUESTION = ObjectQuestion({"left": LEFT, "right": RIGHT}, box(MASS, SIZE, np.array(CENTRE)))
FILE = f"""
arms:
  left: {{base: [0.0, 0.45, 0.0], q: {LEFT.q}, dq: {LEFT.dq}}}
  right: {{base: [0.0, -0.45, 0.0], q: {RIGHT.q}, dq: {RIGHT.dq}}}
object: {{mass: {MASS}, size: {list(SIZE)}, position: {list(CENTRE)}}}
"""
