# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The commands there are, and what each is for: known without loading any of them."""

COMMANDS = {
    "demo": "a Panda hits a wall under four controllers; or pushes or grabs a box",
    "hit": "an FR3 at an address hits a surface, through libfranka: MOVES THE ARM",
    "fake-fr3": "an FR3 that is not there, for libfranka's programs",
    "scenarios": "list the named scenarios",
    "learn": "a simulated arm learns a wall from its own hits, and hits faster",
    "simulate": "run many trials of named scenarios, and record them",
    "view": "a recording in 3-D in the browser",
    "predict": "what an impact would do, by every model",
    "sets": "which impulses are possible, and what they can do",
    "plan": "the highest safe speed of an impact",
    "map": "the highest safe speed all over a surface",
    "detect": "find the impacts in a recording",
    "analyze": "explain the impacts of recordings: models, coefficients, report",
    "evaluate": "compare impact models on measured impacts",
    "reproduce": "recompute what the papers claim",
    "bench": "how long things take",
    "robot": "the YAML of your own arm, from its URDF",
    "export": "the arm and a wall for another simulator",
}
