// Which of equally good matchings is taken: a number for every pair, which labels, sides and scale do not change.
//
// The idea. Every object gets a colour from what it shares with its partners (IoU, and the share of either area), again
// and again mixed with the colours of those partners, until no more colours appear (Weisfeiler and Leman). Objects
// that still look the same are told apart: twins, which have the very same partners, in any order; of others, one is
// chosen in each connected part and marked, and colours are mixed again. If what looks the same is the same, all
// choices lead to the same numbers. Arithmetic is that of 32 bits, so that the page can repeat it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <vector>

#include "assignment.hpp"
#include "interrupt.hpp"

namespace softpq {

using Colour = std::uint32_t;

inline Colour mixed(Colour x) {
  x ^= x >> 16;
  x *= 0x85ebca6bU;
  x ^= x >> 13;
  x *= 0xc2b2ae35U;
  return x ^ (x >> 16);
}

inline Colour mixed(double value) {
  std::uint64_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  return mixed(static_cast<Colour>(bits) ^ mixed(static_cast<Colour>(bits >> 32) + 0x9e3779b9U));
}

constexpr int kMostMarks = 64;  // parts that need more have order decide

class TieBreaks {
 public:
  // Shares are the pixels of a pair over the area of its truth object and of its prediction.
  TieBreaks(Index truths, Index preds, std::size_t pairs, const Index* truth, const Index* pred, const double* iou,
            const double* truth_share, const double* pred_share)
      : truths_(truths), nodes_(static_cast<std::size_t>(truths + preds)), truth_(truth), pred_(pred), pair_(pairs),
        to_truth_(pairs), to_pred_(pairs), colour_(nodes_, 0), sums_(nodes_) {
    for (std::size_t k = 0; k < pairs; ++k) {
      const Colour of_truth = mixed(truth_share[k]), of_pred = mixed(pred_share[k]);
      pair_[k] = mixed(iou[k]);
      to_truth_[k] = mixed(pair_[k] + 3U * of_truth + 5U * of_pred);
      to_pred_[k] = mixed(pair_[k] + 3U * of_pred + 5U * of_truth);
    }
  }

  std::vector<Colour> solve() {
    refine();
    find_parts();
    tell_twins_apart();
    for (int k = 0; k < kMostMarks && mark_one_per_part(); ++k) refine();
    std::vector<Colour> ties(pair_.size());
    for (std::size_t k = 0; k < ties.size(); ++k) ties[k] = mixed(colour_[truth_[k]] + colour_[node_of_pred(k)] + pair_[k]);
    return ties;
  }

 private:
  std::size_t node_of_pred(std::size_t pair) const { return static_cast<std::size_t>(truths_ + pred_[pair]); }

  void refine() {
    std::size_t before = 0, now = count_colours();
    while (now > before) {
      tick();
      gather([this](std::size_t node) { return colour_[node]; });
      for (std::size_t node = 0; node < nodes_; ++node) colour_[node] = mixed(colour_[node] + 0x7f4a7c15U + sums_[node]);
      before = now;
      now = count_colours();
    }
  }

  // For every node, the sum over its pairs of what the partner is, seen from here.
  template <class Value>
  void gather(Value value_of) {
    std::fill(sums_.begin(), sums_.end(), 0);
    for (std::size_t k = 0; k < pair_.size(); ++k) {
      sums_[truth_[k]] += mixed(value_of(node_of_pred(k)) ^ to_truth_[k]);
      sums_[node_of_pred(k)] += mixed(value_of(static_cast<std::size_t>(truth_[k])) ^ to_pred_[k]);
    }
  }

  std::size_t count_colours() {
    std::vector<Colour> sorted = colour_;
    std::sort(sorted.begin(), sorted.end());
    return static_cast<std::size_t>(std::unique(sorted.begin(), sorted.end()) - sorted.begin());
  }

  void find_parts() {
    part_.resize(nodes_);
    std::iota(part_.begin(), part_.end(), std::size_t{0});
    auto root = [this](std::size_t node) {
      while (part_[node] != node) node = part_[node] = part_[part_[node]];
      return node;
    };
    for (std::size_t k = 0; k < pair_.size(); ++k) part_[root(static_cast<std::size_t>(truth_[k]))] = root(node_of_pred(k));
    for (std::size_t node = 0; node < nodes_; ++node) part_[node] = root(node);
  }

  // Twins have the very same partners: whichever comes first, everything stays as it is.
  void tell_twins_apart() {
    gather([](std::size_t node) { return mixed(static_cast<Colour>(node)); });
    auto key = [this](std::size_t node) { return std::make_tuple(part_[node], colour_[node], sums_[node], node); };
    const std::vector<std::size_t> order = ordered(key);
    bool some = false;
    Colour rank = 0;
    for (std::size_t k = 1; k < nodes_; ++k) {
      const std::size_t a = order[k - 1], b = order[k];
      const bool twins = part_[a] == part_[b] && sums_[a] == sums_[b] && before_[a] == before_[b];
      rank = twins ? rank + 1 : 0;
      if (rank) colour_[b] = mixed(before_[b] + rank), some = true;
    }
    if (some) refine();
  }

  // In every part with several nodes of one colour, one node of the smallest such colour gets another.
  bool mark_one_per_part() {
    const std::vector<std::size_t> order =
        ordered([this](std::size_t node) { return std::make_tuple(part_[node], colour_[node], node); });
    bool some = false;
    std::size_t done = nodes_;  // the part that has its mark
    for (std::size_t k = 1; k < nodes_; ++k) {
      const std::size_t a = order[k - 1], b = order[k];
      if (part_[a] == done || part_[a] != part_[b] || before_[a] != before_[b]) continue;
      done = part_[a];
      if (is_pair_alone(order, k)) continue;
      colour_[a] = mixed(before_[a] + 0x2545f491U);
      some = true;
    }
    return some;
  }

  // Whether a part is two objects that have only each other: nothing to decide.
  bool is_pair_alone(const std::vector<std::size_t>& order, std::size_t k) const {
    const bool more_before = k >= 2 && part_[order[k - 2]] == part_[order[k]];
    const bool more_after = k + 1 < nodes_ && part_[order[k + 1]] == part_[order[k]];
    return !more_before && !more_after;
  }

  template <class Key>
  std::vector<std::size_t> ordered(Key key) {
    before_ = colour_;
    std::vector<std::size_t> order(nodes_);
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(), [&key](std::size_t a, std::size_t b) { return key(a) < key(b); });
    return order;
  }

  Index truths_;
  std::size_t nodes_;
  const Index *truth_, *pred_;
  std::vector<Colour> pair_, to_truth_, to_pred_, colour_, before_, sums_;
  std::vector<std::size_t> part_;
};

}  // namespace softpq
