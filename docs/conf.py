"""How the site is made: `make docs`. It needs no network; a warning is an error."""

from __future__ import annotations

import os
import sys
import sysconfig
import tomllib
from pathlib import Path

HERE = Path(__file__).parent
ROOT = HERE.parent
sys.path.insert(0, str(HERE))
os.environ["PYTHONPATH"] = str(HERE)  # pages that are run import shown.py
os.environ |= {"TERM": "dumb", "NO_COLOR": "1", "COLUMNS": "88"}  # what commands print has no colours
os.environ["PATH"] = os.pathsep.join([sysconfig.get_path("scripts"), os.environ["PATH"]])  # and call softpq

from inventories import write_inventories  # noqa: E402
from sphinx.util.inspect import TypeAliasForwardRef  # noqa: E402

TypeAliasForwardRef.__repr__ = lambda self: self.name  # as signatures have it

_PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
_CODE = _PROJECT["urls"]["Source"]

project = "softpq"
author = "The softpq developers"
copyright = author
version = release = _PROJECT["version"]
language = "en"

_QUIET = HERE / "_build" / "ipython" / "profile_default" / "ipython_kernel_config.py"
_QUIET.parent.mkdir(parents=True, exist_ok=True)
_QUIET.write_text("c.IPKernelApp.log_level = 40  # kernels warn that they speak to this machine in plain text\n")
os.environ["IPYTHONDIR"] = str(_QUIET.parents[1])

extensions = [
    "myst_nb",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.intersphinx",
    "sphinx.ext.napoleon",
    "sphinx_click",
    "sphinx_copybutton",
    "sphinx_design",
    "sphinx_gallery.gen_gallery",
]
exclude_patterns = ["_build", "gallery", "made/**/*.ipynb", "**/.ipynb_checkpoints"]
templates_path = ["_templates"]

# Pages are Markdown; those with a kernel in their head are run.
myst_enable_extensions = ["colon_fence", "deflist", "attrs_inline"]
myst_heading_anchors = 3
nb_execution_mode = "force"
nb_execution_in_temp = True
nb_execution_timeout = 120
nb_execution_raise_on_error = True
nb_merge_streams = True

# The reference is made from docstrings.
autosummary_generate = True
autosummary_ignore_module_all = False
autodoc_mock_imports = ["torch", "torchmetrics"]
autodoc_typehints = "description"
autodoc_typehints_description_target = "all"
autodoc_member_order = "groupwise"
autodoc_type_aliases = {"ArrayLike": "ArrayLike", "NDArray": "NDArray", "Location": "Location", "Images": "Images"}
napoleon_google_docstring = False
napoleon_use_rtype = False
napoleon_attr_annotations = False  # types stand with the parameters
smartquotes = False  # options begin with two dashes
python_use_unqualified_type_names = True
python_maximum_signature_line_length = 88
toc_object_entries_show_parents = "hide"
copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True

intersphinx_mapping = write_inventories(HERE / "_build" / "inventories")
intersphinx_timeout = 1

sphinx_gallery_conf = {
    "examples_dirs": "gallery",
    "gallery_dirs": "made/gallery",
    "filename_pattern": r"/plot_",
    "copyfile_regex": r".*index.rst",
    "download_all_examples": False,
    "show_memory": False,
    "min_reported_time": 1e9,
    "write_computation_times": False,
    "remove_config_comments": True,
    "abort_on_example_error": True,
    "image_scrapers": ("shown.figures_of",),
}

html_theme = "pydata_sphinx_theme"
html_title = "softpq"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_show_sourcelink = False
html_copy_source = False
html_theme_options = {
    "github_url": _CODE,
    "navbar_align": "left",
    "header_links_before_dropdown": 6,
    "show_prev_next": False,
    "secondary_sidebar_items": ["page-toc"],
    "footer_start": ["copyright"],
    "footer_end": [],
    "logo": {"text": "softpq"},
    "back_to_top_button": False,
}
html_sidebars = {"index": [], "chooser": []}

linkcheck_ignore = [_CODE + ".*"]  # pages of the repository itself: checked as files by the tests

_OUTSIDE = {
    "../SECURITY.md": "project/security.md",
    "../CONTRIBUTING.md": "project/contributing.md",
    "../CHANGELOG.md": "project/changes.md",
}
"""Files beside docs/ -> the pages that show them."""


def _inside(app: object, name: str, source: list[str]) -> None:
    """Links of pages in docs/ to files beside it lead to pages of the site."""
    depth = "../" * name.count("/")
    for path, page in _OUTSIDE.items():
        source[0] = source[0].replace(f"]({path}", f"]({depth}{page}")
    source[0] = source[0].replace("<!-- table of formats -->", _formats())


def _formats() -> str:
    """All formats as a table, from their records."""
    from softpq.io import FORMATS

    rows = ["| format | suffixes | extra | in parts |", "| --- | --- | --- | --- |"]
    for known in FORMATS:
        suffixes = " ".join(f"`{suffix}`" for suffix in known.suffixes)
        rows.append(f"| {known.name} | {suffixes} | {known.extra or ''} | {'yes' if known.open_parts else ''} |")
    return "\n".join(rows)


def setup(app: object) -> None:
    """Called by Sphinx."""
    app.connect("source-read", _inside)  # type: ignore[attr-defined]
    app.connect("sphinx-click-process-description", _escaped)  # type: ignore[attr-defined]
    app.connect("sphinx-click-process-options", _escaped)  # type: ignore[attr-defined]
    app.connect("sphinx-click-process-arguments", _escaped)  # type: ignore[attr-defined]


def _escaped(app: object, context: object, lines: list[str]) -> None:
    """Stars of globs in the help are no emphasis."""
    lines[:] = [line.replace("*", r"\*") for line in lines]
