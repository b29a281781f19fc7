# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Compiles the inner loops of a control cycle with numba: before the first cycle, never in one.

A file of compiled functions is compiled at its first import, which takes some seconds, and loaded
from its cache from then on. So import it where a controller is created. The annotations are its
types; arguments of other types raise a TypeError and compile nothing. With the environment variable
``NUMBA_DISABLE_JIT=1`` the same functions run as plain Python.

numba renews the cache of a file when the file changes, and does not see others. This one is also
renewed when a file changes whose compiled functions or numbers the file imports.

Copy arrays by loops: with ``a[i] = b`` of arrays numba compiles the text of an error message, too,
into this function and all that call it, which takes seconds.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import cache, partial
from pathlib import Path
from typing import Annotated, Any, get_args, get_origin, get_type_hints
from zlib import crc32

from numba import boolean, float64, int64, njit, types
from numba.core import event
from numba.core.dispatcher import Dispatcher

_PLAIN = {float: float64, int: int64, bool: boolean, type(None): types.void}

_njit = partial(njit, error_model="numpy", no_cfunc_wrapper=True)  # unused, a tenth of the time


def part_with(**options: bool) -> Callable[[Any], Any]:
    """Return the decorator of functions that only compiled functions call.

    What calls them from Python is not compiled, a sixth of the time: there they are plain Python.

    Args:
        **options: of ``numba.njit``.
    """

    def decorate(function: Any) -> Any:
        made: Any = _njit(no_cpython_wrapper=True, **options)(function)
        if _is_compiled(made):  # numba would call what is not there
            made._insert = lambda *_: None
            made._compile_for_args = lambda *arguments, **named: function
        return made

    return decorate


part = part_with(forceinline=True)  # of compiled functions


def compiled(function: Any) -> Any:
    """Compile a function for the types of its annotations.

    These are ``float``, ``int``, ``bool``, :mod:`~impact_robots.compiling.array_kinds`, tuples of
    them, and records: named tuples whose fields are so annotated. A function of records is called
    from plain Python by :func:`~impact_robots.compiling.direct_call.direct`.
    """
    made = cached(forceinline=True)(function)
    if _is_compiled(made):
        hints = get_type_hints(function, include_extras=True)
        result = _type_of(hints.pop("return"))
        made.compile(result(*map(_type_of, hints.values())))
        made.disable_compile()
    return made


def _type_of(hint: Any) -> types.Type:
    """Return numba's type of an annotation."""
    if hint in _PLAIN:
        return _PLAIN[hint]
    if get_origin(hint) is Annotated:
        (kind,) = hint.__metadata__
        layout = "C" if kind.new or kind.packed else "A"
        number = int64 if kind.integers else float64
        return types.Array(number, kind.axes, layout, readonly=not (kind.new or kind.written))
    if get_origin(hint) is tuple:
        return types.Tuple([_type_of(each) for each in get_args(hint)])
    fields = get_type_hints(hint, include_extras=True).values()
    return types.NamedTuple([_type_of(each) for each in fields], hint)


def cached(**options: bool) -> Callable[[Any], Any]:
    """Return the decorator that compiles a function at its first call, for that call's types.

    Args:
        **options: of ``numba.njit``.
    """

    def decorate(function: Any) -> Any:
        made: Any = _njit(**options)(function)
        if _is_compiled(made):
            made.enable_caching()
            file = made._cache._cache_file  # numba has no other way
            file._source_stamp = file._source_stamp, _version(function.__globals__)
            try:
                file._load_index()
            except (ImportError, AttributeError):  # of a record that has another name now
                file.flush()
            _announcer.made.append(made)
        return made

    return decorate


def _is_compiled(value: Any) -> bool:
    """Tell whether a function is numba's; false without a compiler (NUMBA_DISABLE_JIT=1)."""
    return isinstance(value, Dispatcher)


class _Announcer(event.Listener):
    """Prints once per process that functions are compiled, unless they come from a cache."""

    def __init__(self) -> None:
        self.made: list[Any] = []  # functions already reported
        self._said = False

    def on_start(self, compiling: event.Event) -> None:
        if not self._said and any(compiling.data["dispatcher"] is each for each in self.made):
            self._said = True
            said = "impact: compiling inner loops, once for all later calls (up to two minutes)"
            print(said, file=sys.stderr, flush=True)

    def on_end(self, compiling: event.Event) -> None:
        pass


_announcer = _Announcer()
event.register("numba:compile", _announcer)


def _version(names: dict[str, Any]) -> int:
    """Return a checksum of the imported names of a module: compiled functions, records, numbers."""
    number, modules = _content(__file__), [names]
    for module in modules:  # grows
        for name, value in module.items():
            if _is_compiled(value):
                own = value.py_func.__globals__
                if not any(own is each for each in modules):
                    modules.append(own)
                    number = crc32(b"%d" % _content(own["__file__"]), number)
            elif hasattr(value, "_fields"):  # a record
                number = crc32(f"{name} {value._fields}".encode(), number)
            elif not name.startswith("__") and isinstance(value, (int, float, str)):
                number = crc32(f"{name} {value!r}".encode(), number)
    return number


@cache
def _content(file: str) -> int:
    return crc32(Path(file).read_bytes())
