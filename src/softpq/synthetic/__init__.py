"""Scenes with known errors: fields of cells, tissue, bacteria, histology, and what a model made of them."""

from softpq.synthetic.fields import Scene, cells, disc, microscope, tissue
from softpq.synthetic.rods import bacteria, histology

__all__ = ["Scene", "bacteria", "cells", "disc", "histology", "microscope", "tissue"]
