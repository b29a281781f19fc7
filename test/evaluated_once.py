# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""`evaluate` for tests that ask for the same evaluation in several forms: it is made once."""

import pickle

from impact_analysis.planar.evaluate_run import evaluate


class EvaluatedOnce:
    """Stands for :func:`evaluate` with few fits per bootstrap; remembers what it answered."""

    def __init__(self, samples):
        self._samples, self._known = samples, {}

    def __call__(self, dataset, seed=0, *, inertia=None, test=None):
        question = pickle.dumps((dataset, seed, inertia, test))
        if question not in self._known:
            answer = evaluate(dataset, seed, self._samples, inertia=inertia, test=test)
            self._known[question] = answer
        return self._known[question]
