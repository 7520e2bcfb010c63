"""
SoftPQ against PQ
=================

Every image of a dataset: far above the diagonal are images that PQ calls bad and that are nearly right.
"""

from softpq import evaluate_dataset, plots
from softpq.synthetic import cells

scenes = [cells((160, 160), 30, seed=k, fates={"split": 0.02 * (k % 12), "shifted": 0.03 * (k % 7)}) for k in range(40)]
results = evaluate_dataset([scene.truth for scene in scenes], [scene.pred for scene in scenes])
figure = plots.plot_pq_vs_softpq(results)
