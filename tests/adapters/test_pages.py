"""The code blocks of the docs that want torch run."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from blocks import blocks_of, run

torch = pytest.importorskip("torch", reason="needs torch: make test-torch")


@pytest.mark.parametrize("page", ["docs/training.md", "docs/tutorials/training.md"])
def test_blocks_with_torch_run(page: str) -> None:
    from lightning import LightningModule

    labels = torch.tensor([[[1, 1, 0, 2]]])
    names = {
        "loader": [(labels, labels)],
        "model": lambda images: images,
        "postprocess": lambda output: output,
        "LightningModule": LightningModule,
        "batch": SimpleNamespace(image=labels, labels=labels),
    }
    for block in blocks_of(page):
        if block.language == "python":
            run(block, names)
