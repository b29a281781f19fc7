# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
r"""From recordings to an answer: impacts found, models compared, coefficients identified.

from impact_analysis.analyze import analyze

analysis = analyze("trials", robot="panda")
print("\n".join(analysis.answer))
table = pandas.DataFrame(analysis.records())
"""

from impact_analysis.analyze.analysis import analyze_impacts
from impact_analysis.analyze.comparing.comparison import Candidate, Ranked
from impact_analysis.analyze.comparing.identify import Identified
from impact_analysis.analyze.page.documents import document, write
from impact_analysis.analyze.reading.collected import AnalyzedImpact, Collected
from impact_analysis.analyze.reading.collection import collect
from impact_analysis.analyze.result import Analysis
from impact_analysis.analyze.run import analyze
from impact_analysis.analyze.settings import AnalysisSettings

__all__ = [
    "Analysis",
    "AnalysisSettings",
    "AnalyzedImpact",
    "Candidate",
    "Collected",
    "Identified",
    "Ranked",
    "analyze",
    "analyze_impacts",
    "collect",
    "document",
    "write",
]
