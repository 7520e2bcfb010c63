"""Every metric is a function from an Overlap to a Score; METRICS has them all, with what is known of each.

Examples
--------
>>> from softpq import Overlap
>>> float(METRICS["pq"](Overlap.from_labels([1, 1, 0, 2], [1, 1, 0, 2])))
1.0
>>> METRICS["vi"].less_is_better, METRICS["boundary_pq"].reads
(True, 'bands')
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from softpq.metrics import (
    _aggregated,
    _boundary,
    _detection,
    _foreground,
    _information,
    _panoptic,
    _softpq,
)
from softpq.metrics._aggregated import aji as aji
from softpq.metrics._aggregated import aji_plus as aji_plus
from softpq.metrics._aggregated import seg as seg
from softpq.metrics._aggregated import sorted_ap as sorted_ap
from softpq.metrics._boundary import boundary_iou as boundary_iou
from softpq.metrics._boundary import boundary_pq as boundary_pq
from softpq.metrics._boundary import boundary_softpq as boundary_softpq
from softpq.metrics._by_size import by_size as by_size
from softpq.metrics._detection import accuracy as accuracy
from softpq.metrics._detection import accuracy_range as accuracy_range
from softpq.metrics._detection import f1 as f1
from softpq.metrics._detection import map_ as map_
from softpq.metrics._detection import precision as precision
from softpq.metrics._detection import recall as recall
from softpq.metrics._foreground import dice as dice
from softpq.metrics._foreground import iou as iou
from softpq.metrics._information import adapted_rand_error as adapted_rand_error
from softpq.metrics._information import adapted_rand_precision as adapted_rand_precision
from softpq.metrics._information import adapted_rand_recall as adapted_rand_recall
from softpq.metrics._information import variation_of_information as variation_of_information
from softpq.metrics._information import vi_merge as vi_merge
from softpq.metrics._information import vi_split as vi_split
from softpq.metrics._metric import Metric as Metric
from softpq.metrics._metric import records_in
from softpq.metrics._panoptic import mean_matched_iou as mean_matched_iou
from softpq.metrics._panoptic import mean_true_iou as mean_true_iou
from softpq.metrics._panoptic import pq as pq
from softpq.metrics._panoptic import rq as rq
from softpq.metrics._panoptic import sq as sq
from softpq.metrics._softpq import softpq as softpq

_FAMILIES = (_softpq, _panoptic, _detection, _foreground, _aggregated, _information, _boundary)

METRICS: Mapping[str, Metric] = MappingProxyType(
    {record.name: record for family in _FAMILIES for record in records_in(family)}
)
"""Metric name -> its record, which can be called."""

__all__ = ["METRICS", "Metric", "by_size", *(record.parts.__name__ for record in METRICS.values())]
