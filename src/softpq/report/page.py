"""From the payload to HTML: one file, no network, and a policy that lets nothing else run."""

from __future__ import annotations

import base64
import hashlib
import html
import json
import re
from importlib.resources import files
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from softpq.report.payload import Payload

SCRIPTS = ("assignment", "engine", "verdicts", "repairs", "data", "state", "analysis", "contours", "picture", "dom",
           "charts", "summary", "gallery", "viewer", "page")  # fmt: skip
"""The modules of the page, each after those that it imports."""

_IMPORT = re.compile(r'^import\s+(?:\{[^}]*\}|[\w*\s]+)\s+from\s+"\./\w+\.js";\n', re.M)
_EXPORT = re.compile(r"^export (?=(?:async )?(?:function|class|const|let)\b)", re.M)


def static(name: str) -> str:
    """Return a file of the page."""
    return (files("softpq.report") / "static" / name).read_text(encoding="utf-8")


def script() -> str:
    """All modules as one: imports and exports are taken out, as a page from a file cannot load modules."""
    return "\n".join(_EXPORT.sub("", _IMPORT.sub("", static(f"{name}.js"))) for name in SCRIPTS)


def assemble(title: str, payload: Payload) -> str:
    """Return the page."""
    head, style, code = as_script_text(payload.head()), static("style.css"), script()
    policy = (
        f"default-src 'none'; script-src '{_hash(code)}'; style-src '{_hash(style)}'; img-src data: blob:; "
        "base-uri 'none'; form-action 'none'"
    )
    blobs = "\n".join(f'<script type="text/plain" id="{name}">{text}</script>' for name, text in payload.blobs.items())
    parts = {
        "TITLE": html.escape(title),
        "POLICY": html.escape(policy),
        "STYLE": style,
        "HEAD": head,
        "BLOBS": blobs,
        "SCRIPT": code,
    }
    return re.sub(r"\{\{(\w+)\}\}", lambda found: parts[found[1]], static("page.html"))


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
