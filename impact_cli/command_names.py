# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Names and summaries of all commands, available without importing any of them."""

COMMANDS = {
    "demo": "a Panda hits a wall under four controllers; or pushes or grabs a box",
    "hit": "an FR3 at an address hits a surface, through libfranka: MOVES THE ARM",
    "fake-fr3": "a simulated FR3 for libfranka programs",
    "scenarios": "list the named scenarios",
    "learn": "a simulated arm learns a wall from its own hits, and hits faster",
    "simulate": "run and record many trials of named scenarios",
    "view": "show a recording in 3-D in the browser",
    "predict": "predict an impact with every model",
    "sets": "compute the possible impulses and their effects",
    "plan": "compute the highest safe speed of an impact",
    "touch": "move the simulated arm until contact, or plan how fast",
    "map": "compute the highest safe speed at many points of a surface",
    "compare": "compare arms at the points of a surface that all reach",
    "detect": "find the impacts in a recording",
    "reference": "write references of reference spreading from a demonstration",
    "analyze": "explain the impacts of recordings: models, coefficients, report",
    "evaluate": "compare impact models on measured impacts",
    "reproduce": "recompute the published claims",
    "bench": "measure computation times",
    "robot": "write the YAML of your own arm from its URDF",
    "export": "write the arm and a wall for another simulator, or impacts as tables",
    "completion": "print what lets a shell complete commands and names",
}

OF_CHECKOUT = ("test", "doc", "shell", "setup", "wheels")  # of ./impact alone
