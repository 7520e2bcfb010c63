"""Beyond one process: each backend only produces Overlaps or adds Scores."""
