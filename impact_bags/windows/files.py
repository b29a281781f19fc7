# Copyright 2026 The impact_control developers
# SPDX-License-Identifier: Apache-2.0
"""Files of tables: HDF5 (a group per table) or Parquet (a folder with a file per table)."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from impact_bags.exceptions import RecordingError
from impact_bags.windows.tables import Table, WindowColumn
from impact_robots import ImpactError
from impact_robots.exceptions import UsageError, one_line

HDF5, PARQUET = "hdf5", "parquet"
LIBRARIES = {HDF5: "h5py", PARQUET: "pyarrow"}
HDF5_SUFFIX, PARQUET_SUFFIX = ".h5", ".parquet"
TABLES = ("windows", "joints", "reference", "force", "announcements", "impacts")
MARK = f"{TABLES[0]}{PARQUET_SUFFIX}"  # the file by which a folder is known
_ROWS = 4096  # of a chunk
_KEY = b"impact_control"  # of the attributes, in Parquet's metadata


def library(kind: str) -> Any:
    """Return the library of a format.

    Raises:
        UsageError: it is not installed; the text says how to install it.
    """
    name = LIBRARIES[kind]
    try:
        return import_module(name)
    except ImportError:
        line = f"{kind}: expected the package {name}: pip install {name}"
        raise UsageError(line) from None


def is_window_file(path: Path) -> bool:
    """Return whether a path is that of contact windows, by its name or by a file in it."""
    return path.suffix.lower() == HDF5_SUFFIX or (path / MARK).is_file()


def encoded(
    kind: str, name: str, tables: Mapping[str, Table], attributes: Mapping[str, Any]
) -> dict[str, bytes]:
    """Return the files of tables: their content by path.

    Args:
        kind: HDF5 or PARQUET.
        name: of the file or folder, without suffix.
        tables: by name.
        attributes: of the whole; values that JSON has.

    Raises:
        UsageError: the library of the format is missing.
    """
    library(kind)
    if kind == HDF5:
        return {f"{name}{HDF5_SUFFIX}": _hdf5(tables, attributes)}
    return {
        f"{name}/{table}{PARQUET_SUFFIX}": _parquet(columns, attributes)
        for table, columns in tables.items()
    }


def decoded(path: Path) -> tuple[dict[str, dict[str, np.ndarray]], dict[str, Any]]:
    """Return the values by table and column, and the attributes.

    Raises:
        RecordingError: damaged, or not made by the suite.
        UsageError: the library of the format is missing.
    """
    kind = PARQUET if path.is_dir() else HDF5
    library(kind)
    with _one_line(path, kind):
        return _read_hdf5(path) if kind == HDF5 else _read_parquet(path)


@contextmanager
def _one_line(path: Path, kind: str) -> Iterator[None]:
    """Turn what a library raises at a damaged file into one line.

    Raises:
        RecordingError: something was raised.
    """
    try:
        yield
    except ImpactError:
        raise
    except Exception as error:  # damaged files may raise any exception
        reason = one_line(error) or type(error).__name__
        raise RecordingError.at(
            path, f"expected contact windows in {kind} of impact export: {reason}"
        ) from None


def _texts(column: WindowColumn) -> dict[str, str]:
    """Return the attributes of a column."""
    return {"unit": column.unit, "frame": column.frame, "description": column.about}


def _hdf5(tables: Mapping[str, Table], attributes: Mapping[str, Any]) -> bytes:
    h5py, memory = library(HDF5), io.BytesIO()
    with h5py.File(memory, "w") as file:
        for key, value in attributes.items():
            file.attrs[key] = value if isinstance(value, str | int | float) else json.dumps(value)
        for name, table in tables.items():
            group = file.create_group(name)
            for key, column in table.items():
                text = column.values.dtype == object
                data = group.create_dataset(
                    key,
                    data=column.values,
                    dtype=h5py.string_dtype() if text else column.values.dtype,
                    chunks=(min(_ROWS, len(column.values)),) if len(column.values) else None,
                    compression="gzip" if len(column.values) else None,
                )
                data.attrs.update(_texts(column))
    return memory.getvalue()


def _read_hdf5(path: Path) -> tuple[dict[str, dict[str, np.ndarray]], dict[str, Any]]:
    h5py = library(HDF5)
    with h5py.File(path, "r") as file:
        attributes = {key: _plain(value) for key, value in file.attrs.items()}
        tables = {
            name: {
                key: data.asstr()[()] if h5py.check_string_dtype(data.dtype) else data[()]
                for key, data in file[name].items()
            }
            for name in TABLES
        }
    return tables, attributes


def _plain(value: Any) -> Any:
    """Return an attribute as it was written."""
    if isinstance(value, str) and value[:1] in ("{", "["):
        return json.loads(value)
    return value.item() if isinstance(value, np.generic) else value


def _parquet(table: Table, attributes: Mapping[str, Any]) -> bytes:
    pyarrow = library(PARQUET)
    from pyarrow import parquet

    columns = {
        key: pyarrow.array(
            column.values, type=pyarrow.string() if column.values.dtype == object else None
        )
        for key, column in table.items()
    }
    fields = [
        pyarrow.field(key, columns[key].type, metadata=_texts(column))
        for key, column in table.items()
    ]
    schema = pyarrow.schema(fields, metadata={_KEY: json.dumps(attributes)})
    memory = io.BytesIO()
    parquet.write_table(pyarrow.Table.from_arrays(list(columns.values()), schema=schema), memory)
    return memory.getvalue()


def _read_parquet(path: Path) -> tuple[dict[str, dict[str, np.ndarray]], dict[str, Any]]:
    from pyarrow import parquet

    read = {name: parquet.ParquetFile(path / f"{name}{PARQUET_SUFFIX}").read() for name in TABLES}
    tables = {
        name: {key: table[key].to_numpy() for key in table.column_names}
        for name, table in read.items()
    }
    return tables, json.loads(read[TABLES[0]].schema.metadata[_KEY])
