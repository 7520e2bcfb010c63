"""
Model against model, image by image
===================================

Every point is an image; above the line, the first model is better.
"""

from softpq import evaluate_dataset, plots
from softpq.synthetic import cells

FATES = {"splits": {"split": 0.2}, "merges": {"merged": 0.2}, "misses": {"missed": 0.2}}
scenes = {model: [cells((160, 160), 30, seed=k, fates=fates) for k in range(12)] for model, fates in FATES.items()}
truth = [scene.truth for scene in scenes["splits"]]
preds = {model: [scene.pred for scene in found] for model, found in scenes.items()}
results = evaluate_dataset(truth, preds)
figure = plots.plot_duel(results, "splits", "merges")
