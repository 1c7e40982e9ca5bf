"""Objects that reject misspelt attribute names.

SPDX-License-Identifier: Apache-2.0
"""
from __future__ import annotations

import difflib
from typing import TYPE_CHECKING, Any


class Sealed:
    """After `_seal`, only properties with a setter and the names in `_assignable` can be assigned. Classes derived by
    users may have more attributes."""

    _assignable: frozenset[str] = frozenset()

    def _seal(self) -> None:
        self._sealed = type(self).__module__.split(".")[0] == __name__.split(".")[0]

    if not TYPE_CHECKING:  # checkers of types would take any name from here on

        def __setattr__(self, name: str, value: Any) -> None:
            free = name.startswith("_") or not self.__dict__.get("_sealed") or name in self._assignable
            if not free and getattr(getattr(type(self), name, None), "fset", None) is None:
                raise AttributeError(self._refusal(name))
            super().__setattr__(name, value)

    def _refusal(self, name: str) -> str:
        known = [key for key in dir(self) if not key.startswith("_")]
        may = [key for key in known
               if key in self._assignable or getattr(getattr(type(self), key, None), "fset", None) is not None]
        what = f"{type(self).__name__}: '{name}' cannot be assigned"
        if name not in known:
            what = f"{type(self).__name__} has no attribute '{name}'"
            near = difflib.get_close_matches(name, may, 1) or difflib.get_close_matches(name, known, 1)
            what += f"; did you mean '{near[0]}'?" if near else ""
        return (f"{what} (may be assigned: {', '.join(may) if may else 'nothing'}; numbers of the scene are changed by "
                "Simulation.remake)")
