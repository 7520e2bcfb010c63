"""
Four readings of SoftPQ
=======================

An object in more and more equal fragments, beside one that is found: what each reading of the paper says.
"""

import matplotlib.pyplot as plt
import numpy as np

import softpq

truth = np.zeros((24, 60), int)
truth[2:22, 2:26], truth[2:22, 30:54] = 1, 2
READINGS = ("text", "figures", "unified", "released")
scores = {reading: [] for reading in READINGS}
for fragments in range(1, 9):
    pred = truth.copy()
    pred[truth == 2] = 2 + (np.nonzero(truth == 2)[1] - 30) * fragments // 24
    for reading in READINGS:
        scores[reading].append(softpq.score(truth, pred, reading=reading))

figure, axes = plt.subplots(figsize=(7, 3.4))
for reading, values in scores.items():
    axes.plot(range(1, 9), values, marker="o", label=reading)
axes.set(xlabel="fragments of the second object", ylabel="SoftPQ", ylim=(0, 1.02))
axes.legend()
figure.tight_layout()
