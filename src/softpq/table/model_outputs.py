"""What models return, known by its fields; their packages are not imported."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from softpq.table.labels import as_array
from softpq.table.masks import Masks

if TYPE_CHECKING:
    from numpy.typing import NDArray

KNOWN = (
    "a dictionary with masks (torchvision), Instances (detectron2), a sample with pred_instances (mmdet), Detections "
    "(supervision), Results (ultralytics), or a list of dictionaries with segmentation (SAM)"
)


def masks_of_output(output: Any, mask_threshold: float | None = None) -> Masks:
    """Return masks with what the output says of scores and classes."""
    if isinstance(output, Masks):
        return output
    if isinstance(output, Mapping):
        return _of_mapping(output, mask_threshold)
    if isinstance(output, Sequence) and not isinstance(output, str):
        return _of_sam(output)
    for fields, made in _BY_FIELDS:
        if all(hasattr(output, name) for name in fields):
            return made(output, mask_threshold)
    raise TypeError(f"output must be {KNOWN}; got {type(output).__name__}.")


def _of_mapping(output: Mapping[str, Any], mask_threshold: float | None) -> Masks:
    if "masks" in output:
        more = (output.get("scores"), output.get("labels"))
        return _made(output["masks"], *more, mask_threshold, crowd=output.get("iscrowd"))
    if "instances" in output:
        return masks_of_output(output["instances"], mask_threshold)
    if "segmentation" in output:
        return _of_sam([output])
    raise TypeError(f"output must be {KNOWN}; got a dictionary with {', '.join(map(str, output)) or 'nothing'}.")


def _of_sam(output: Sequence[Any]) -> Masks:
    if not output:
        raise ValueError(
            "output must not be an empty list, which has no size; got []. Use Masks.from_list([], shape=...)."
        )
    if any(hasattr(output[0], field) for fields, _ in _BY_FIELDS for field in fields):
        raise TypeError(
            f"output must be that of one image; got a list of {len(output)}. Pass them one by one: output[0]."
        )
    if not all(isinstance(one, Mapping) and "segmentation" in one for one in output):
        raise TypeError(f"output must be {KNOWN}; got a list of {type(output[0]).__name__}.")
    segmentations = [one["segmentation"] for one in output]
    without = [k for k, one in enumerate(output) if one.get("predicted_iou") is None]
    if 0 < len(without) < len(output):
        raise ValueError(
            f"output must have predicted_iou for all of its masks or for none; mask {without[0]} has none."
        )
    scores = None if without else [float(one["predicted_iou"]) for one in output]
    if isinstance(segmentations[0], Mapping):
        return Masks.from_rle(segmentations, scores=scores)
    return Masks.from_list(segmentations, scores=scores)


def _of_detectron(output: Any, mask_threshold: float | None) -> Masks:
    return _made(output.pred_masks, _field(output, "scores"), _field(output, "pred_classes"), mask_threshold)


def _of_detectron_truth(output: Any, mask_threshold: float | None) -> Masks:
    masks = output.gt_masks
    if hasattr(masks, "polygons"):
        classes = None if (found := _field(output, "gt_classes")) is None else _plain(found, "classes")
        shape = tuple(int(size) for size in output.image_size)
        return Masks.from_polygons(masks.polygons, shape, polygons="coco", classes=classes)
    return _made(getattr(masks, "tensor", masks), None, _field(output, "gt_classes"), mask_threshold)


def _of_mmdet(output: Any, mask_threshold: float | None) -> Masks:
    found = _field(output, "pred_instances")
    found = output.gt_instances if found is None else found
    if (masks := _field(found, "masks")) is None:
        raise ValueError("output must hold masks; got instances without, as those of a model of boxes.")
    drawn = getattr(masks, "masks", masks)
    if (
        isinstance(drawn, list | tuple)
        and hasattr(masks, "height")
        and not any(hasattr(one, "shape") and np.ndim(one) > 1 for one in drawn)
    ):
        labels = _field(found, "labels")
        classes = None if labels is None else _plain(labels, "classes")
        return Masks.from_polygons(drawn, (int(masks.height), int(masks.width)), polygons="coco", classes=classes)
    return _made(drawn, _field(found, "scores"), _field(found, "labels"), mask_threshold)


def _of_supervision(output: Any, mask_threshold: float | None) -> Masks:
    if output.mask is None:
        raise ValueError(
            "output must hold masks; got Detections with boxes alone. Where nothing was found, "
            "Masks.from_list([], shape=...) says so."
        )
    data = getattr(output, "data", None) or {}
    names = data.get("class_name") if isinstance(data, Mapping) else None
    return _made(output.mask, output.confidence, output.class_id if names is None else names, mask_threshold)


def _of_ultralytics(output: Any, mask_threshold: float | None) -> Masks:
    shape = tuple(int(size) for size in output.orig_shape)
    if output.masks is None:
        if output.boxes is not None and len(output.boxes):
            raise ValueError("output must hold masks; got Results with boxes alone.")
        return Masks.from_list([], shape=shape)
    stack = _plain(output.masks.data, "masks")
    if stack.shape[1:] != shape:
        raise ValueError(
            f"output must hold masks of the size of the image, {shape}; got {stack.shape[1:]}. "
            "Predict with retina_masks=True."
        )
    if output.boxes is None:
        return _made(stack != 0, None, None, None)
    numbers = _plain(output.boxes.cls, "classes").astype(int)
    names = [str(output.names.get(number, number)) for number in numbers.tolist()]
    return _made(stack != 0, output.boxes.conf, names, None)


_BY_FIELDS = (
    (("pred_masks",), _of_detectron),
    (("gt_masks",), _of_detectron_truth),
    (("pred_instances",), _of_mmdet),
    (("gt_instances",), _of_mmdet),
    (("mask", "confidence", "class_id"), _of_supervision),
    (("masks", "boxes", "orig_shape"), _of_ultralytics),
)


def _field(output: Any, name: str) -> Any:
    return getattr(output, name, None)


def _made(masks: Any, scores: Any, classes: Any, mask_threshold: float | None, crowd: Any = None) -> Masks:
    known = (("scores", scores), ("classes", classes), ("crowd", crowd))
    more: dict[str, Any] = {name: _plain(given, name) for name, given in known if given is not None}
    if isinstance(masks, list | tuple) and masks and isinstance(masks[0], Mapping):  # as mmdet writes them down
        return Masks.from_rle(masks, **more)
    stack = _plain(masks, "masks")
    if stack.ndim == 4 and stack.shape[1] == 1:  # one channel, as torchvision has it
        stack = stack[:, 0]
    threshold = None if stack.dtype.kind != "f" else mask_threshold
    return Masks.from_stack(stack, mask_threshold=threshold, **more)


def _plain(values: Any, name: str) -> NDArray[Any]:
    """An array, of a tensor on any device."""
    if hasattr(values, "detach"):
        values = values.detach().cpu()
        values = values.float() if "bfloat16" in str(values.dtype) else values  # which NumPy does not know
    return as_array(np.asarray(values) if isinstance(values, list | tuple) else values, name)
