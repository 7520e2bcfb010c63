"""Why a score is what it is: verdicts on objects, repairs, thresholds. Internal; see :mod:`softpq`."""
