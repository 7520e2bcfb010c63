// The charts that there are.

/** Id, title, explanation, classes; those of several models or images are left out where there is one. */
export const CARDS = [
  ["dots", "SoftPQ of the models", "A line is the interval over images, where there are enough of them.", "several"],
  ["duel", "Model against model", "One point per image; above the line, the shown model is better.", "several images"],
  [
    "scatter",
    "SoftPQ against PQ",
    "One point per image; above the line, SoftPQ sees more than PQ. Click for the image.",
    "images",
  ],
  ["objects", "IoU of each object", "One point per truth object: its best IoU. Click for the object.", "one"],
  ["best", "Best IoU of each truth object", "Drag l and h; click a bar to see such an object."],
  ["surface", "SoftPQ for all thresholds", "The circle is the current pair; colours are the same for all models."],
  [
    "winners",
    "The best model for all thresholds",
    "In steps of 0.05; faint where another model may be the best one.",
    "several",
  ],
  ["gains", "What fixing it would bring", "SoftPQ gained if all errors of one kind were repaired, all else as it is."],
  ["size", "Score against object size", "Truth objects in groups of equal number; click for the worst one."],
  ["verdicts", "What happened to the objects", "Click a part to see such an object.", "wide"],
  ["curves", "PQ, F1 and accuracy against the threshold", "The dashed line is the threshold of the run.", "wide"],
  [
    "repairs",
    "What fixing it would bring to each model",
    "SoftPQ gained if all errors of one kind were repaired, all else as it is. Click a row for the model.",
    "several wide",
  ],
  [
    "score",
    "SoftPQ against the score",
    "Predictions with at least a score; a dot is the best one. Click to take it.",
    "scores",
  ],
  [
    "confused",
    "Confused classes",
    "Objects of all classes matched together at h: rows are truth, columns predictions. Click for such an object.",
    "classes",
  ],
];
