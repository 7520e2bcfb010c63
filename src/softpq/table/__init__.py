"""From pixels to the table: labels are checked, counted into an Overlap, and matched. Internal; see :mod:`softpq`."""
