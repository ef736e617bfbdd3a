"""Puts compiled kernels into a wheel, if INCROWD_KERNELS names their folder: see `make wheel`."""

import os
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class CarryKernels(BuildHookInterface):
    """A wheel with compiled kernels is for one Python and one kind of machine."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:  # noqa: ARG002  hatchling's seam
        """Add the folder, if there is one."""
        folder = os.environ.get("INCROWD_KERNELS")
        if folder:
            build_data["pure_python"] = False
            build_data["infer_tag"] = True
            build_data["force_include"][folder] = "incrowd/kernels/carried"
