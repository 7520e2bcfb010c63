"""
Metrics over one threshold
==========================

PQ, F1 and others as the IoU that counts as a match goes from .5 to 1.
"""

import softpq
from softpq import plots
from softpq.synthetic import cells

scene = cells(seed=1)
overlap = softpq.Overlap.from_labels(scene.truth, scene.pred)
figure = plots.plot_curves(overlap)
