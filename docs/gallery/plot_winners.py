"""
Who wins at which thresholds
============================

One model splits, the other merges. Which is better depends on how soft one judges; hatched: not clear.
"""

from softpq import evaluate_dataset, plots
from softpq.synthetic import cells

FATES = {"splits": {"split": 0.25}, "merges": {"merged": 0.2}}
scenes = {model: [cells((160, 160), 30, seed=k, fates=fates) for k in range(16)] for model, fates in FATES.items()}
truth = [scene.truth for scene in scenes["splits"]]
models = {model: [scene.pred for scene in found] for model, found in scenes.items()}
results = evaluate_dataset(truth, models, keep_tables=True)
figure = plots.plot_winners(results.winners(step=0.05))
