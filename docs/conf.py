"""The documentation site: `make docs` builds it into build/docs, without a network."""

# ruff: noqa: INP001  programs of the site, no package

import sys
from importlib.metadata import version as version_of
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

import generate

project = "incrowd"
author = project_copyright = "The incrowd developers"
version = release = version_of("incrowd")

extensions = ["myst_nb"]
myst_heading_anchors = 4
nb_execution_mode = "cache"  # notebooks are run once, and again when they change
nb_execution_cache_path = str(Path(__file__).parents[1] / "build" / "notebooks")
nb_execution_raise_on_error = True
nb_execution_timeout = 300
exclude_patterns = ["_build"]
nitpicky = True

html_theme = "furo"
html_title = "incrowd"
html_static_path = ["static"]
html_css_files = ["site.css"]
html_copy_source = False
html_show_sphinx = False
html_last_updated_fmt = None

generate.write(Path(__file__).parent / "reference" / "generated")
