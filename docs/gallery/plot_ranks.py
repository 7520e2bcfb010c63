"""
Ranks that cannot be told apart
===============================

Three models on 30 images: values with intervals, and the ranks that each may have.
"""

from softpq import evaluate_dataset, plots
from softpq.synthetic import cells

SPLIT = {"best": 0.02, "good": 0.08, "also good": 0.085}
scenes = {model: [cells((160, 160), 30, seed=k, fates={"split": s}) for k in range(30)] for model, s in SPLIT.items()}
truth = [scene.truth for scene in scenes["best"]]
results = evaluate_dataset(truth, {model: [scene.pred for scene in found] for model, found in scenes.items()})
figure = plots.plot_ranks(results)
