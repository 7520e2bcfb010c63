"""Beyond memory and beyond one process: each module only produces Overlaps. Internal; see :func:`softpq.count`."""
