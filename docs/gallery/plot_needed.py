"""
How many images it takes
========================

From a pilot of 12 images: the difference that so many images would show.
"""

from softpq import evaluate_dataset, plots
from softpq.synthetic import cells

FATES = {"a": {"split": 0.05}, "b": {"split": 0.09}}
scenes = {model: [cells((160, 160), 30, seed=k, fates=fates) for k in range(12)] for model, fates in FATES.items()}
truth = [scene.truth for scene in scenes["a"]]
results = evaluate_dataset(truth, {model: [scene.pred for scene in found] for model, found in scenes.items()})
figure = plots.plot_needed(results.needed("softpq"))
