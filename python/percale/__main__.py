"""``python -m percale`` runs the program percale that was installed with this package.

SPDX-License-Identifier: Apache-2.0
"""
import os
import shutil
import sys
import sysconfig
from importlib import metadata


def find_program() -> str:
    """The program recorded by the installer; else the one found in the environment."""
    try:
        for file in metadata.files("percale") or ():
            if file.name == "percale" and os.access(file.locate(), os.X_OK) and os.path.isfile(file.locate()):
                return str(file.locate())
    except metadata.PackageNotFoundError:
        pass
    found = shutil.which("percale", path=sysconfig.get_path("scripts")) or shutil.which("percale")
    if found is None:
        sys.exit("percale: the program is not installed; install it with 'pip install percale'")
    return found


def main() -> None:
    program = find_program()
    os.execv(program, [program] + sys.argv[1:])


if __name__ == "__main__":
    main()
