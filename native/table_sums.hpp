// What metrics ask of a table, each in one pass over its pairs.
//
// A table of an image with a few objects has a few rows. A dozen array operations then cost fifty times as much as the
// arithmetic, and a training loop asks for thousands of tables. In large tables one pass instead of a dozen saves memory.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <vector>

#include "exact_sum.hpp"

namespace softpq {

// A table whose positions are known to lie inside of it.
struct PairsOf {
  std::size_t truths, preds, pairs;
  const std::int64_t *truth_areas, *pred_areas, *truth, *pred, *pixels;
};

inline double pair_iou(const PairsOf& table, std::size_t k) {
  const std::int64_t areas = table.truth_areas[table.truth[k]] + table.pred_areas[table.pred[k]];
  return static_cast<double>(table.pixels[k]) / static_cast<double>(areas - table.pixels[k]);
}

inline std::vector<double> pair_ious(const PairsOf& table) {
  std::vector<double> iou(table.pairs);
  for (std::size_t k = 0; k < table.pairs; ++k) iou[k] = pair_iou(table, k);
  return iou;
}

// ---------------------------------------------------------------- matching

struct Candidates {
  std::vector<std::int64_t> pairs;
  bool contested = false;  // whether an object is in several of them
};

inline Candidates candidates_of(const PairsOf& table, const double* iou, double threshold, bool strict) {
  Candidates found;
  std::vector<char> seen(table.truths + table.preds, 0);
  for (std::size_t k = 0; k < table.pairs; ++k) {
    if (!(strict ? iou[k] > threshold : iou[k] >= threshold)) continue;
    char& truth = seen[static_cast<std::size_t>(table.truth[k])];
    char& pred = seen[table.truths + static_cast<std::size_t>(table.pred[k])];
    found.contested |= truth || pred;
    truth = pred = 1;
    found.pairs.push_back(static_cast<std::int64_t>(k));
  }
  return found;
}

// Pairs of which somebody else wants an object, with their objects numbered anew, in the order of the old numbers.
struct Contest {
  std::vector<std::int64_t> pairs, truth, pred;
  std::int64_t truths = 0, preds = 0;
};

inline std::vector<std::int64_t> places_of(const std::vector<char>& there, std::int64_t& count) {
  std::vector<std::int64_t> places(there.size());
  count = 0;
  for (std::size_t k = 0; k < there.size(); ++k) places[k] = count, count += there[k];
  return places;
}

inline Contest contest_of(const PairsOf& table) {
  std::vector<std::int64_t> of_truth(table.truths, 0), of_pred(table.preds, 0);
  for (std::size_t k = 0; k < table.pairs; ++k) ++of_truth[table.truth[k]], ++of_pred[table.pred[k]];
  Contest contest;
  std::vector<char> truth_there(table.truths, 0), pred_there(table.preds, 0);
  for (std::size_t k = 0; k < table.pairs; ++k)
    if (of_truth[table.truth[k]] > 1 || of_pred[table.pred[k]] > 1) {
      contest.pairs.push_back(static_cast<std::int64_t>(k));
      truth_there[table.truth[k]] = pred_there[table.pred[k]] = 1;
    }
  const auto truth_places = places_of(truth_there, contest.truths), pred_places = places_of(pred_there, contest.preds);
  for (const std::int64_t k : contest.pairs) {
    contest.truth.push_back(truth_places[table.truth[k]]);
    contest.pred.push_back(pred_places[table.pred[k]]);
  }
  return contest;
}

// ---------------------------------------------------------------- SoftPQ

struct SoftSums {
  std::int64_t matched = 0, soft = 0;
  double matched_iou = 0, soft_iou = 0;
};

// `group` is the object of each pair that soft pairs are grouped by; `divisor(n)` what those of an object with n are
// divided by, asked once for every n.
template <class Divisor>
SoftSums soft_sums(std::size_t pairs, std::size_t groups, const std::int64_t* group, const double* iou,
                   const bool* matched, const bool* soft, const double* credit, Divisor divisor) {
  SoftSums sums;
  ExactSum hard_sum, soft_sum;
  std::vector<std::size_t> counts(groups, 0);
  for (std::size_t k = 0; k < pairs; ++k) {
    if (matched[k]) ++sums.matched, hard_sum.add(iou[k]);
    if (soft[k]) ++sums.soft, ++counts[static_cast<std::size_t>(group[k])];
  }
  std::vector<double> divisors;
  for (std::size_t k = 0; k < pairs; ++k) {
    if (!soft[k]) continue;
    const std::size_t n = counts[static_cast<std::size_t>(group[k])];
    if (n >= divisors.size()) divisors.resize(n + 1, 0);
    if (divisors[n] == 0) divisors[n] = divisor(n);
    soft_sum.add(credit[k] / divisors[n]);
  }
  sums.matched_iou = hard_sum.total(), sums.soft_iou = soft_sum.total();
  return sums;
}

// The same from the table alone, of objects that do not overlap: what has an IoU from `high` on is matched, the rest above
// `low` is soft. Nothing if an object is in several matches: then somebody has to choose.
template <class Divisor>
std::optional<SoftSums> plain_soft_sums(const PairsOf& table, double low, double high, bool by_truth, Divisor divisor) {
  const std::vector<double> iou = pair_ious(table);
  const Candidates found = candidates_of(table, iou.data(), high, false);
  if (found.contested) return std::nullopt;
  const std::unique_ptr<bool[]> matched(new bool[table.pairs]()), soft(new bool[table.pairs]());
  for (const std::int64_t k : found.pairs) matched[static_cast<std::size_t>(k)] = true;
  for (std::size_t k = 0; k < table.pairs; ++k) soft[k] = !matched[k] && iou[k] > low;
  return soft_sums(table.pairs, by_truth ? table.truths : table.preds, by_truth ? table.truth : table.pred, iou.data(),
                   matched.get(), soft.get(), iou.data(), divisor);
}

// ---------------------------------------------------------------- AJI and SEG

struct Aggregated {
  std::int64_t intersection = 0;
  double united = 0;
};

// Every truth object with the prediction of largest IoU, of equal ones that with the larger intersection. Those that are
// equal in both are of one size; what they leave unused is averaged over the choices.
inline Aggregated aggregated(const PairsOf& table, const double* iou) {
  std::vector<std::size_t> best(table.truths, table.pairs), choices(table.truths, 0);
  const auto order = [&](std::size_t a, std::size_t b) {
    return iou[a] != iou[b] ? iou[a] > iou[b] : table.pixels[a] > table.pixels[b];
  };
  for (std::size_t k = 0; k < table.pairs; ++k) {
    const auto truth = static_cast<std::size_t>(table.truth[k]);
    if (best[truth] == table.pairs || order(k, best[truth])) best[truth] = k, choices[truth] = 1;
    else if (!order(best[truth], k)) ++choices[truth];
  }
  std::vector<double> unused(table.preds, 1.0);
  for (std::size_t k = 0; k < table.pairs; ++k) {
    const auto truth = static_cast<std::size_t>(table.truth[k]);
    if (!order(best[truth], k)) unused[table.pred[k]] *= 1 - 1 / static_cast<double>(choices[truth]);
  }
  Aggregated sums;
  std::int64_t united = 0;
  for (std::size_t truth = 0; truth < table.truths; ++truth) {
    united += table.truth_areas[truth];
    if (best[truth] == table.pairs) continue;
    sums.intersection += table.pixels[best[truth]];
    united += table.pred_areas[table.pred[best[truth]]] - table.pixels[best[truth]];
  }
  ExactSum left;
  for (std::size_t pred = 0; pred < table.preds; ++pred) left.add(static_cast<double>(table.pred_areas[pred]) * unused[pred]);
  sums.united = static_cast<double>(united) + left.total();
  return sums;
}

// The sum of the largest IoU of each truth object with a prediction that covers more than half of it.
inline double covered_iou(const PairsOf& table, const double* iou) {
  std::vector<double> best(table.truths, 0.0);
  for (std::size_t k = 0; k < table.pairs; ++k)
    if (2 * table.pixels[k] > table.truth_areas[table.truth[k]]) {
      double& so_far = best[table.truth[k]];
      so_far = std::max(so_far, iou[k]);
    }
  ExactSum sum;
  for (const double value : best) sum.add(value);
  return sum.total();
}

// ---------------------------------------------------------------- partitions of the pixels

// Two partitions of the pixels, in which background is a segment like any other, one per image. Unless it is judged,
// pixels where truth is background are left out.
class Segments {
 public:
  Segments(const PairsOf& table, std::int64_t background, bool judged)
      : table_(table), around_(judged ? background : 0), judged_(judged),
        truth_alone_(table.truth_areas, table.truth_areas + table.truths),
        pred_alone_(table.pred_areas, table.pred_areas + table.preds) {
    for (std::size_t k = 0; k < table.pairs; ++k) {
      truth_alone_[table.truth[k]] -= table.pixels[k];
      pred_alone_[table.pred[k]] -= table.pixels[k];
    }
    for (const std::int64_t pixels : truth_alone_) missed_ += pixels;
    for (const std::int64_t pixels : pred_alone_) extra_ += pixels;
  }

  // Calls body(pixels, size of the segment of truth, size of that of pred) for what two segments share.
  template <class Body>
  void each_piece(Body body) const {
    const std::int64_t truth_background = judged_ ? extra_ + around_ : 0, pred_background = missed_ + around_;
    for (std::size_t k = 0; k < table_.pairs; ++k)
      body(table_.pixels[k], table_.truth_areas[table_.truth[k]], pred_size(static_cast<std::size_t>(table_.pred[k])));
    for (std::size_t k = 0; k < table_.truths; ++k)
      if (truth_alone_[k]) body(truth_alone_[k], table_.truth_areas[k], pred_background);
    for (std::size_t k = 0; judged_ && k < table_.preds; ++k)
      if (pred_alone_[k]) body(pred_alone_[k], truth_background, pred_size(k));
    if (around_) body(around_, truth_background, pred_background);
  }
  template <class Body>
  void each_truth_segment(Body body) const {
    for (std::size_t k = 0; k < table_.truths; ++k) body(table_.truth_areas[k]);
    if (judged_) body(extra_ + around_);
  }
  template <class Body>
  void each_pred_segment(Body body) const {
    for (std::size_t k = 0; k < table_.preds; ++k) body(pred_size(k));
    body(missed_ + around_);
  }

 private:
  std::int64_t pred_size(std::size_t k) const { return table_.pred_areas[k] - (judged_ ? 0 : pred_alone_[k]); }

  const PairsOf& table_;
  std::int64_t around_, missed_ = 0, extra_ = 0;
  bool judged_;
  std::vector<std::int64_t> truth_alone_, pred_alone_;
};

struct Bits {
  double split = 0, merge = 0;
  std::int64_t pixels = 0;
};

// How many bits tell where in its segment of truth, and of pred, a pixel's piece is, over all pixels.
inline Bits bits_of(const Segments& segments) {
  ExactSum split, merge;
  std::int64_t all = 0;
  segments.each_piece([&](std::int64_t pixels, std::int64_t truth, std::int64_t pred) {
    const auto weight = static_cast<double>(pixels);
    split.add(weight * std::log2(static_cast<double>(truth) / weight));
    merge.add(weight * std::log2(static_cast<double>(pred) / weight));
    all += pixels;
  });
  return {split.total(), merge.total(), all};
}

struct Together {
  double in_both = 0, in_truth = 0, in_pred = 0;
};

// How many ordered pairs of pixels are together; as floating-point numbers, as they outgrow 64 bits.
inline Together together_in(const Segments& segments) {
  ExactSum both, truth, pred;
  const auto pairs = [](std::int64_t size) { return static_cast<double>(size) * static_cast<double>(size - 1); };
  segments.each_piece([&](std::int64_t pixels, std::int64_t, std::int64_t) { both.add(pairs(pixels)); });
  segments.each_truth_segment([&](std::int64_t size) { truth.add(pairs(size)); });
  segments.each_pred_segment([&](std::int64_t size) { pred.add(pairs(size)); });
  return {both.total(), truth.total(), pred.total()};
}

}  // namespace softpq
