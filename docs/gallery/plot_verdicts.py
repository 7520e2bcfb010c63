"""
What happened to each object
============================

Truth left, prediction right, outlined by verdict.
"""

import softpq
from softpq import plots
from softpq.synthetic import cells

scene = cells((220, 220), 40, seed=4)
picture = plots.overlay(scene.truth, scene.pred, softpq.evaluate(scene.truth, scene.pred).objects)

# %%
# The picture is a Pillow image: ``picture.save("verdicts.png")`` writes it.
import matplotlib.pyplot as plt

figure, axes = plt.subplots(figsize=(9, 5))
axes.imshow(picture)
axes.axis("off")
figure.tight_layout()
