// Which predictions are found right, as COCO's average precision asks: in each group (the objects of a class on an image)
// predictions come by falling score, and each takes the free truth object of largest IoU.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

#include "interrupt.hpp"

namespace softpq {

// Runs of masks: mask k has offsets[k] .. offsets[k + 1] - 1, ascending.
struct MaskColumns {
  const std::int64_t *offsets, *starts, *stops;

  std::int64_t area(std::int64_t k) const {
    std::int64_t pixels = 0;
    for (std::int64_t run = offsets[k]; run < offsets[k + 1]; ++run) pixels += stops[run] - starts[run];
    return pixels;
  }
};

inline std::int64_t shared_pixels(const MaskColumns& a, std::int64_t i, const MaskColumns& b, std::int64_t j) {
  std::int64_t at = a.offsets[i], other = b.offsets[j], pixels = 0;
  const std::int64_t end = a.offsets[i + 1], other_end = b.offsets[j + 1];
  if (at == end || other == other_end) return 0;
  if (a.stops[end - 1] <= b.starts[other] || b.stops[other_end - 1] <= a.starts[at]) return 0;
  at = std::upper_bound(a.stops + at, a.stops + end, b.starts[other]) - a.stops;
  if (at < end) other = std::upper_bound(b.stops + other, b.stops + other_end, a.starts[at]) - b.stops;
  while (at < end && other < other_end) {
    const std::int64_t first = std::max(a.starts[at], b.starts[other]);
    const std::int64_t last = std::min(a.stops[at], b.stops[other]);
    pixels += std::max<std::int64_t>(last - first, 0);
    if (a.stops[at] < b.stops[other])
      ++at;
    else
      ++other;
  }
  return pixels;
}

// IoU of masks; of a crowd, the share of the prediction that lies in it.
class MaskIous {
 public:
  MaskIous(MaskColumns truth, std::size_t truths, MaskColumns pred, std::size_t preds) : truth_(truth), pred_(pred) {
    for (std::size_t k = 0; k < truths; ++k) truth_areas_.push_back(truth.area(static_cast<std::int64_t>(k)));
    for (std::size_t k = 0; k < preds; ++k) pred_areas_.push_back(pred.area(static_cast<std::int64_t>(k)));
  }

  double operator()(std::int64_t truth, std::int64_t pred, bool crowd) const {
    const std::int64_t shared = shared_pixels(truth_, truth, pred_, pred);
    if (shared == 0) return 0;
    const std::int64_t of_truth = truth_areas_[static_cast<std::size_t>(truth)];
    const std::int64_t of_pred = pred_areas_[static_cast<std::size_t>(pred)];
    return static_cast<double>(shared) / static_cast<double>(crowd ? of_pred : of_pred + of_truth - shared);
  }

 private:
  MaskColumns truth_, pred_;
  std::vector<std::int64_t> truth_areas_, pred_areas_;
};

// IoU of boxes x, y, width, height.
struct BoxIous {
  const double *truth, *pred;

  double operator()(std::int64_t of_truth, std::int64_t of_pred, bool crowd) const {
    const double *g = truth + 4 * of_truth, *d = pred + 4 * of_pred;
    const double width = std::min(d[2] + d[0], g[2] + g[0]) - std::max(d[0], g[0]);
    const double height = std::min(d[3] + d[1], g[3] + g[1]) - std::max(d[1], g[1]);
    if (!(width > 0 && height > 0)) return 0;
    const double shared = width * height, area = d[2] * d[3];
    return shared / (crowd ? area : area + g[2] * g[3] - shared);
  }
};

// Groups of objects. Members of group k are truth[truth_ends[k - 1] .. truth_ends[k] - 1], numbers of masks or boxes, and
// likewise the predictions, which come by falling score. What follows has one value per member: whether it is a crowd,
// and for each range of areas whether it is ignored, or, of a prediction, ignored unless it is matched.
struct Groups {
  std::size_t size, truths, preds, ranges, thresholds;
  const std::int64_t *truth, *truth_ends, *pred, *pred_ends;
  const std::uint8_t *crowd, *truth_ignored, *pred_outside;  // the last two: ranges x members
  const double* iou;                                         // thresholds
};

struct Found {
  std::vector<std::uint8_t> matched, ignored;  // ranges x thresholds x predictions
};

template <class Ious>
class GroupMatcher {
 public:
  GroupMatcher(const Groups& groups, const Ious& ious) : groups_(groups), ious_(ious) {
    const std::size_t cells = groups.ranges * groups.thresholds * groups.preds;
    found_.matched.resize(cells), found_.ignored.resize(cells);
  }

  Found match() {
    for (std::size_t k = 0; k < groups_.size; ++k) {
      tick();
      first_truth_ = k == 0 ? 0 : static_cast<std::size_t>(groups_.truth_ends[k - 1]);
      first_pred_ = k == 0 ? 0 : static_cast<std::size_t>(groups_.pred_ends[k - 1]);
      truths_ = static_cast<std::size_t>(groups_.truth_ends[k]) - first_truth_;
      preds_ = static_cast<std::size_t>(groups_.pred_ends[k]) - first_pred_;
      fill();
      for (std::size_t range = 0; range < groups_.ranges; ++range) match_range(range);
    }
    return std::move(found_);
  }

 private:
  void fill() {
    iou_.assign(truths_ * preds_, 0);
    for (std::size_t p = 0; p < preds_; ++p) {
      if ((p & 15) == 15) tick();
      for (std::size_t t = 0; t < truths_; ++t)
        iou_[p * truths_ + t] = ious_(groups_.truth[first_truth_ + t], groups_.pred[first_pred_ + p],
                                      groups_.crowd[first_truth_ + t] != 0);
    }
  }

  void match_range(std::size_t range) {
    const std::uint8_t* ignored = groups_.truth_ignored + range * groups_.truths + first_truth_;
    order_.resize(truths_);
    std::iota(order_.begin(), order_.end(), std::size_t{0});
    std::stable_partition(order_.begin(), order_.end(), [&](std::size_t t) { return !ignored[t]; });
    for (std::size_t level = 0; level < groups_.thresholds; ++level) {
      if (truths_ * preds_ > 10000) tick();
      const std::size_t row = (range * groups_.thresholds + level) * groups_.preds + first_pred_;
      taken_.assign(truths_, 0);
      for (std::size_t p = 0; p < preds_; ++p) {
        const std::size_t best = choose(p, std::min(groups_.iou[level], 1 - 1e-10), ignored);
        const bool matched = best != truths_;
        if (matched) taken_[best] = 1;
        found_.matched[row + p] = matched;
        found_.ignored[row + p] =
            matched ? ignored[best] : groups_.pred_outside[range * groups_.preds + first_pred_ + p];
      }
    }
  }

  // The truth object that a prediction takes, or truths_: those that count come first in the order, and where one of them
  // fits, ignored ones are not looked at.
  std::size_t choose(std::size_t p, double least, const std::uint8_t* ignored) const {
    std::size_t best = truths_;
    for (const std::size_t t : order_) {
      if (taken_[t] && !groups_.crowd[first_truth_ + t]) continue;
      if (best != truths_ && !ignored[best] && ignored[t]) break;
      const double iou = iou_[p * truths_ + t];
      if (iou < least) continue;
      least = iou, best = t;
    }
    return best;
  }

  const Groups& groups_;
  const Ious& ious_;
  std::size_t first_truth_ = 0, first_pred_ = 0, truths_ = 0, preds_ = 0;
  std::vector<double> iou_;
  std::vector<std::size_t> order_;
  std::vector<std::uint8_t> taken_;
  Found found_;
};

template <class Ious>
Found match_groups(const Groups& groups, const Ious& ious) {
  return GroupMatcher<Ious>(groups, ious).match();
}

}  // namespace softpq
