"""Predictions by the order of their scores: average precision as COCO and LVIS define it."""
