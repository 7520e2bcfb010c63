"""
All thresholds
==============

SoftPQ for every pair of thresholds: on the diagonal it is PQ.
"""

import softpq
from softpq import plots
from softpq.synthetic import cells

scene = cells(seed=1)
overlap = softpq.Overlap.from_labels(scene.truth, scene.pred)
figure = plots.plot_surface(softpq.sweep(overlap))
