"""Failures as exceptions, with the messages of the C library.

SPDX-License-Identifier: Apache-2.0
"""
from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ._library import ffi, text
from ._report import ErrorCode


@dataclass(frozen=True)
class Problem:
    """One mistake in a scene."""

    message: str
    """The whole message, as the program prints it: place, key, what was found, what was expected."""
    line: int
    """Of the scene file, from 1; 0 in a scene that was made in code."""
    column: int
    source: str
    """That line; "" in a scene that was made in code."""


class Error(Exception):
    """Any failure of percale. `str(error)` is the message of the C library: where, what was found, what to do.

    Catch this for all of them, or one of its classes, which are also Python's own: `InputError` is a `ValueError`,
    `FileError` an `OSError`, `OutOfMemory` a `MemoryError`, `StateError`, `DeviceError` and
    `StoppedError` are `RuntimeError`.
    """

    code: ErrorCode
    message: str
    problems: tuple[Problem, ...]
    """Every mistake of a scene, where it was a scene that failed."""

    def __init__(self, message: str, problems: tuple[Problem, ...] = ()) -> None:
        super().__init__(message)
        self.message = message
        self.problems = problems

    def __str__(self) -> str:
        return self.message

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.message, self.problems)


class InputError(Error, ValueError):
    """An invalid value, mesh or file; the message says which."""

    code = ErrorCode.INPUT


class OutOfMemory(Error, MemoryError):
    """There is not enough memory; nothing was changed."""

    code = ErrorCode.MEMORY


class FileError(Error, OSError):
    """A file could not be read or written."""

    code = ErrorCode.IO


class StateError(Error, RuntimeError):
    """A step could not be completed; the last accepted state is kept."""

    code = ErrorCode.STATE


class DeviceError(Error, RuntimeError):
    """A GPU is missing, cannot be used or has failed; the message says which."""

    code = ErrorCode.DEVICE


class StoppedError(Error, RuntimeError):
    """A step was stopped by its caller; the last accepted state is kept. In Python, the exception that stopped it is
    raised instead, for example KeyboardInterrupt."""

    code = ErrorCode.STOPPED


_classes: dict[int, type[Error]] = {
    int(kind.code): kind for kind in (InputError, OutOfMemory, FileError, StateError, DeviceError, StoppedError)
}


def make_error(code: int, message: str, problems: tuple[Problem, ...] = ()) -> Error:
    return _classes.get(code, Error)(message, problems)


def new_error() -> Any:
    """A prc_error for a call."""
    return ffi.new("prc_error *")


def check_result(result: int, error: Any) -> None:
    """Raises the exception of a prc_result."""
    if result:
        raise make_error(int(result), text(error.message))
