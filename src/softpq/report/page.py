"""From the payload to HTML: one file, no network, and a policy that lets nothing else run."""

from __future__ import annotations

import base64
import hashlib
import html
import json
import posixpath
import re
from importlib.resources import files
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from softpq.report.payload import Payload

FIRST, WORKER = "page/start.js", "engine/worker.js"
"""The modules that start the page, and the thread that computes beside it."""

_IMPORT = re.compile(r'^import\s*\{([^}]*)\}\s*from\s*"([^"]+)";\n', re.M)
_COMMENT = re.compile(r"^[ \t]*//.*\n|(?:^[ \t]*)?/\*\*(?:[^*]|\*(?!/))*\*/(?:[ \t]*\n|[ \t]+)?", re.M)
_EXPORT = re.compile(r"^export (?=(?:async )?(?:function\*?|class|const|let) (\w+))", re.M)


def script_file(name: str) -> str:
    """Return a file of the page."""
    return files("softpq.report").joinpath("scripts", *name.split("/")).read_text(encoding="utf-8")


def script(first: str = FIRST) -> str:
    """All modules as one, as a page from a file cannot load modules: each is a function that returns its exports."""
    return "\n".join(_as_function(name) for name in in_order(first))


def in_order(first: str) -> list[str]:
    """The modules that one needs, each after those that it imports.

    Examples
    --------
    >>> in_order("background.js"), in_order("engine/exchanges.js")
    (['background.js'], ['facts.js', 'engine/exchanges.js'])
    """
    found: list[str] = []

    def visit(name: str) -> None:
        for _, place in _IMPORT.findall(script_file(name)):
            if _resolved(place, name) not in found:
                visit(_resolved(place, name))
        if name not in found:
            found.append(name)

    visit(first)
    return found


def _resolved(place: str, importer: str) -> str:
    return posixpath.normpath(posixpath.join(posixpath.dirname(importer), place))


def without_comments(source: str) -> str:
    r"""Return a script as the page carries it: what explains it stays in its file.

    Examples
    --------
    >>> without_comments("/** Adds. @param {number} a */\nconst f = (/** @type {any} */ a) => a; // so\n// end\n")
    'const f = (a) => a; // so\n'
    """
    return _COMMENT.sub("", source)


def _as_function(name: str) -> str:
    source = without_comments(script_file(name))
    exports = ", ".join(_EXPORT.findall(source))
    inner = _EXPORT.sub("", _IMPORT.sub(lambda found: _taken(found, name), source))
    return f"const {_variable(name)} = (() => {{\n{inner}\nreturn {{ {exports} }};\n}})();"


def _taken(found: re.Match[str], importer: str) -> str:
    names = found[1].replace(" as ", ": ")
    return f"const {{{names}}} = {_variable(_resolved(found[2], importer))};\n"


def _variable(name: str) -> str:
    return "$" + re.sub(r"\W", "_", name.removesuffix(".js"))


def assemble(title: str, payload: Payload) -> str:
    """Return the page."""
    head, style, code = as_script_text(payload.head()), script_file("style.css"), script()
    policy = (
        f"default-src 'none'; script-src '{_hash(code)}'; style-src '{_hash(style)}'; img-src data: blob:; "
        "worker-src blob:; base-uri 'none'; form-action 'none'"
    )
    blobs = "\n".join(f'<script type="text/plain" id="{name}">{text}</script>' for name, text in payload.blobs.items())
    parts = {
        "TITLE": html.escape(title),
        "POLICY": html.escape(policy),
        "STYLE": style,
        "HEAD": head,
        "BLOBS": blobs,
        "WORKER": script(WORKER),
        "SCRIPT": code,
    }
    return re.sub(r"\{\{(\w+)\}\}", lambda found: parts[found[1]], script_file("page.html"))


def as_script_text(value: Any) -> str:
    """JSON that cannot end the script element it stands in.

    Examples
    --------
    >>> "<" in as_script_text({"name": "</script>"})
    False
    """
    return json.dumps(value, allow_nan=False).replace("<", "\\u003c")


def _hash(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
