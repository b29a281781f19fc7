# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""The panel beside the scene: player, text, and the speed against its bound."""

from __future__ import annotations

from typing import Any

import numpy as np

from impact_view.run.record import ViewRecord
from impact_view.scene.instant import Instant, Timeline
from impact_view.scene.pace import RATES

UNBOUNDED = ("unaware", "existential")  # limits without a bound in closed form
MAX_POINTS = 1500  # of a curve
_COLORS = {"speed": "#1f77b4", "bound": "#d62728", "now": "#ff7f0e"}
_AXES = ({"label": "time [s]"}, {"label": "speed [m/s]"})


class Panel:
    """Widgets of viser.

    Attributes:
        playing: whether playback runs.
        run: label of the run that is chosen.
    """

    def __init__(self, gui: Any) -> None:
        """Build the widgets."""
        self.playing = True
        self._gui = gui
        self._runs = gui.add_dropdown("run", options=("",), visible=False)
        self._play = gui.add_button("pause")
        self._play.on_click(lambda _: self.play(not self.playing))
        self._time = gui.add_slider("time [s]", min=0.0, max=1.0, step=0.001, initial_value=0.0)
        self._time.on_update(self._on_time)
        self._rate = gui.add_dropdown("rate", options=tuple(RATES), initial_value="0.25x")
        self._slow = gui.add_checkbox("slow at contacts", initial_value=True)
        self._words = gui.add_markdown("")
        self._plot: Any = None
        self._curves: dict[str, np.ndarray] = {}
        self._legend = gui.add_markdown("")
        self._wanted: float | None = None  # time to which the slider was moved [s]

    @property
    def run(self) -> str:
        """Label of the chosen run."""
        return str(self._runs.value)

    @property
    def rate(self) -> float:
        """Playback rate where there is no contact."""
        return RATES[self._rate.value]

    @property
    def slow(self) -> bool:
        """Whether playback is slow around contacts."""
        return bool(self._slow.value)

    def play(self, on: bool) -> None:
        """Play, or pause."""
        self.playing = on
        self._play.label = "pause" if on else "play"

    def set_runs(self, labels: tuple[str, ...], chosen: str) -> None:
        """Offer runs to choose from; a single run is not offered as a choice."""
        self._runs.options = labels
        self._runs.value = chosen
        self._runs.visible = len(labels) > 1

    def complain(self, text: str) -> None:
        """Show an error of a run."""
        self._legend.content = f"**{text}**"

    def moved(self) -> float | None:
        """Return the slider position set by the user since the last call [s]."""
        wanted, self._wanted = self._wanted, None
        return wanted

    def _on_time(self, event: Any) -> None:
        if event.client is not None:  # a person, not this program
            self._wanted = float(self._time.value)

    def set_timeline(self, timeline: Timeline) -> None:
        """Draw the curves of a run, and print its scales."""
        record = timeline.record
        self._time.max = max(0.001, round(record.duration, 3))
        known, self._curves = [*self._curves], curves(timeline)
        scales = {"x": {"time": False}, "y": {"auto": False, "range": self._range()}}
        if self._plot is not None and known == [*self._curves]:
            self._plot.scales, self._plot.data = scales, self._with_now(0.0)
        else:
            if self._plot is not None:
                self._plot.remove()
            self._plot = self._new_plot(scales)
        self._legend.content = "\n\n".join(legend(timeline))

    def _new_plot(self, scales: Any) -> Any:
        """Return the plot, between the text and the legend."""
        drawn = [label for label in _COLORS if label == "now" or label in self._curves]
        return self._gui.add_uplot(
            self._with_now(0.0),
            series=(
                {"label": "time", "stroke": "#888888"},
                *({"label": each, "stroke": _COLORS[each], "width": 2} for each in drawn),
            ),
            scales=scales,
            axes=_AXES,
            title="speed of the contact point",
            aspect=1.3,
            order=self._legend.order - 0.5,
        )

    def show(self, instant: Instant) -> None:
        """Show an instant of the run."""
        self._time.value = round(instant.time, 3)
        self._words.content = "  \n".join(instant.lines)
        self._plot.data = self._with_now(instant.time)

    def _with_now(self, time: float) -> tuple[np.ndarray, ...]:
        """Return the curves plus a vertical line at ``time``."""
        at, *values = self._curves.values()
        now = np.full(len(at), np.nan)
        index = max(0, min(int(np.searchsorted(at, time)), len(at) - 2))
        now[index : index + 2] = self._range()[: len(at)]
        return at, *values, now

    def _range(self) -> tuple[float, float]:
        """Return lowest and highest speed of the plot [m/s]."""
        _, *values = self._curves.values()
        low, high = (float(pick(values, initial=0.0)) for pick in (np.nanmin, np.nanmax))
        return low - 0.01, 1.05 * high + 0.01


def curves(timeline: Timeline) -> dict[str, np.ndarray]:
    """Return time [s], speed and, if there is one, its bound [m/s], thinned out for a plot."""
    record = timeline.record
    step = max(1, -(-len(record) // MAX_POINTS))
    found = {"time": record.time, "speed": timeline.speed}
    known = np.isfinite(record.speed_bound)
    if known.any():
        found["bound"] = np.where(known, record.speed_bound, np.nan)
    return {name: values[::step] for name, values in found.items()}


def legend(timeline: Timeline) -> list[str]:
    """Return the legend, with the scales of quantities without a length."""
    record, wall = timeline.record, timeline.wall
    lines = [f"impact limits: **{record.limits}**"] if record.limits else []
    if record.contact_starts.size:
        lines.append(f"red: force on the arm, 0.1 m is {0.1 / timeline.force_scale:g} N")
    if any(said is not None for said in record.announced):
        lines.append(
            "blue: every impulse that was announced (with zero)"
            + (", orange: the measured one;" if record.contact_starts.size else ";")
            + f" 0.1 m is {0.1 / timeline.impulse_scale:g} N.s"
        )
    if wall is not None:
        lines.append(f"wall: {wall.source}; its size is unknown")
    if not np.isfinite(record.speed_bound).any():
        lines.append(f"no bound is drawn: {_why_no_bound(record)}")
    return [*lines, *record.remarks]


def _why_no_bound(record: ViewRecord) -> str:
    """Return why the speed has no bound."""
    if not any(record.mode):
        return "no status of a controller was recorded"
    if record.limits in UNBOUNDED:
        return f"the controller reports none under {record.limits}"
    return "the controller reported none"
