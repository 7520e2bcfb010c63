"""Mutants that survive, and why no test can notice them."""

from __future__ import annotations

EXPLAINED: dict[tuple[str, str, str], str] = {
    (
        "explain/surface.py",
        "reached = in_group / np.r_[1.0, divisors(settings, np.arange(1, sizes.max() + 1))][count]",
        "1 -> 2",
    ): "one more divisor is computed, and not used",
    (
        "explain/surface.py",
        "step = self.shape[0] + 1",
        "1 -> 2",
    ): "any step longer than heights keeps predictions apart",
    (
        "explain/verdicts.py",
        '"pred", "duplicate", _LILAC, "is a second one of an object that has its match; only where objects overlap", 6',
        "6 -> 7",
    ): "it is the last in the order of verdicts, by any number that is larger than the others",
    (
        "table/tables.py",
        "small = labels.size == 0 or (labels.max() < 2**32 and labels.min() >= 0)",
        "0 -> 1",
    ): "the same labels are written as one type, whichever that is",
    (
        "table/tables.py",
        "small = labels.size == 0 or (labels.max() < 2**32 and labels.min() >= 0)",
        "GtE -> Gt",
    ): "the same labels are written as one type, whichever that is",
    (
        "explain/surface.py",
        "single = (np.bincount(truth, minlength=1)[truth] == 1) & (np.bincount(pred, minlength=1)[pred] == 1)",
        "1 -> 2",
    ): "how long the counts are at least; those of objects that occur are looked at",
    (
        "metrics/_aggregated.py",
        "chosen = best_sum(overlap, overlap.pair_iou + 1e-10 * (overlap.pair_pixels / max(area, 1)))",
        "1 -> 2",
    ): "without an object there is nothing to choose from, and with one there are two pixels",
    (
        "explain/objects.py",
        "low, high, center = (np.concatenate([side[k].reshape(-1, len(axes)) for side in found]) for k in range(3))",
        "1 -> 2",
    ): "NumPy takes any negative number for the length that is left",
    (
        "explain/repairs.py",
        "return rows.with_pred(np.where(own[rows.truth] >= 0, own[rows.truth], "
        "np.where(taken[rows.pred], -1, rows.pred)))",
        "GtE -> Gt",
    ): "new numbers come after those of predictions, of which a partial object has one: 0 is none of them",
    (
        "explain/surface.py",
        "ever_free = np.flatnonzero(free_from < self.shape[1])",
        "Lt -> LtE",
    ): "what is free after the last threshold adds to none",
    (
        "explain/surface.py",
        "strictly = _Grid(overlap, main, lows, np.nextafter(highs, 2))",
        "2 -> 3",
    ): "any number above 1 says in which direction to go",
    (
        "table/matching.py",
        "if len(ious) < np.count_nonzero(overlap.pair_iou >= lowest.threshold):",
        "Lt -> LtE",
    ): "matching at every threshold anew gives the same, later",
    (
        "table/tables.py",
        'return hashlib.blake2b("\\n".join(parts).encode(), digest_size=8).hexdigest()',
        "8 -> 9",
    ): "a fingerprint of any length tells images apart",
    (
        "metrics/_aggregated.py",
        "choices = np.bincount(truth[twin], minlength=overlap.n_truth)",
        "n_truth -> n_pred",
    ): "only the counts of objects that occur are looked at",
    (
        "explain/repairs.py",
        "is_matched = np.zeros(overlap.n_pred + 1, bool)",
        "1 -> 2",
    ): "the last place stands for the background, wherever it is",
    (
        "table/labels.py",
        'if isinstance(values, list | tuple) and len(values) and all(getattr(one, "ndim", 0) >= 2 for one in values):',
        "0 -> 1",
    ): "what has no dimensions has fewer than two either way",
    (
        "explain/objects.py",
        "for axis in range(arrays[0].ndim):",
        "0 -> 1",
    ): "both images have as many dimensions",
    (
        "explain/verdicts.py",
        '_verdict("truth", "partial", _YELLOW, "has one soft partner: found, but not well enough", 5),',
        "5 -> 6",
    ): "it is looked at last either way",
    (
        "table/tables.py",
        "return base64.b64encode(zlib.compress(data, 6)).decode()",
        "6 -> 7",
    ): "how hard bytes are packed",
    (
        "table/tables.py",
        "digest = hashlib.blake2b(repr(labels.shape).encode(), digest_size=8)",
        "8 -> 9",
    ): "a fingerprint of any length tells images apart",
    (
        "table/tables.py",
        'column = column.astype("<u4" if int(column.max(initial=0)) < 2**32 else "<f8")',
        "0 -> 1",
    ): "no column needs fewer than four bytes",
    (
        "table/tables.py",
        "kind, data = _stored(np.concatenate(parts).astype(dtype) if parts else np.zeros(0, dtype))",
        "0 -> 1",
    ): "without a table nothing is read from the columns",
    (
        "table/labels.py",
        'if labels.dtype.kind == "u" or not labels.size or labels.min() >= 0:',
        "GtE -> Gt",
    ): "what has no negative label comes out as it is either way",
    (
        "explain/repairs.py",
        'own = np.append(np.where(truth_verdict == "partial", overlap.n_pred + np.arange(overlap.n_truth), -1), -1)',
        "1 -> 2",
    ): "any negative number says that there is none",
    (
        "explain/repairs.py",
        "taken = np.zeros(overlap.n_pred + 1, bool)",
        "1 -> 2",
    ): "the last place stands for the background, wherever it is",
    (
        "explain/repairs.py",
        'has_fragment[overlap.pair_truth[inside & (pred_verdict[overlap.pair_pred] == "fragment")]] = True',
        "BitAnd -> BitOr",
    ): "what is joined beyond that is one prediction by itself, which is called something else",
    (
        "table/matching.py",
        "order = np.random.default_rng(0).integers(0, 2**31, count).astype(np.uint32)",
        "0 -> 1",
    ): "any random order will do",
    (
        "table/partial.py",
        "threads: int = 1,",
        "1 -> 2",
    ): "the result is the same for any number of threads",
    (
        "table/labels.py",
        'return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1',
        "1 -> 2",
    ): "only where a system cannot count its cores; the result is the same for any number of threads",
    (
        "explain/objects.py",
        "axes = range(len(images.truth.shape))",
        "truth -> pred",
    ): "both images have as many dimensions",
    (
        "explain/repairs.py",
        "return rows.with_pred(np.where(own[rows.truth] >= 0, own[rows.truth], "
        "np.where(taken[rows.pred], -1, rows.pred)))",
        "0 -> 1",
    ): "new numbers come after those of predictions, of which a partial object has one: 0 is none of them",
    ("table/labels.py", "ONE_THREAD = 1 << 21", "21 -> 22"): "the result is the same for any number of threads",
    (
        "table/labels.py",
        "return 1 if threads is None and pixels < ONE_THREAD else cores(threads)",
        "1 -> 2",
    ): "the result is the same for any number of threads",
    (
        "table/labels.py",
        "return 1 if threads is None and pixels < ONE_THREAD else cores(threads)",
        "Lt -> LtE",
    ): "the result is the same for any number of threads",
    (
        "table/labels.py",
        'return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1',
        "0 -> 1",
    ): "how many cores another process may use; the result is the same for any number of threads",
    (
        "table/labels.py",
        "if column.ndim != 1 or column.size != columns[0].size:",
        "0 -> 1",
    ): "all have the size of the second, or they differ from each other",
    (
        "table/matching.py",
        "if len(ious) < np.count_nonzero(overlap.pair_iou >= lowest.threshold):",
        "GtE -> Gt",
    ): "matching at every threshold anew gives the same, later",
}
"""File, line of code and change -> why no test can notice it."""
