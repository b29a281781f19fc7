# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Which model explains recorded impacts: python examples/analyze_trials.py FOLDER."""

import sys

from impact_analysis.analyze import analyze

if len(sys.argv) != 2:
    sys.exit(__doc__)
analysis = analyze(sys.argv[1], robot="panda")
print("\n".join(analysis.answer))
rows = analysis.records()  # pandas.DataFrame(rows) has one line per impact, joint and model
worst = max(rows, key=lambda row: abs(row["error_degps"]))
print(f"largest error: {worst['error_degps']:.1f} deg/s, {worst['joint']}, {worst['model']}")
