// From counted pairs of labels to the table of objects: ids and areas of both sides, pairs by position.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "pair_counts.hpp"

namespace softpq {

struct Objects {
  std::vector<std::uint64_t> ids;
  std::vector<std::int64_t> areas;
};

struct ObjectTable {
  Objects truth, pred;
  std::vector<std::int64_t> pair_truth, pair_pred, pair_pixels;
  std::int64_t background = 0;
};

// The objects of pred, and where they are among them: a plain table while labels are dense, a binary search otherwise.
class PredObjects {
 public:
  explicit PredObjects(const std::vector<Entry>& entries) {
    std::uint64_t largest = 0;
    for (const Entry& entry : entries) largest = std::max(largest, entry.pred);
    if (largest < 8 * (entries.size() + 1024)) sum_dense(entries, largest);
    else sum_sparse(entries);
  }
  Objects objects;
  std::int64_t position(std::uint64_t label) const {
    if (!dense_.empty()) return dense_[static_cast<std::size_t>(label)];
    return std::lower_bound(objects.ids.begin(), objects.ids.end(), label) - objects.ids.begin();
  }

 private:
  void sum_dense(const std::vector<Entry>& entries, std::uint64_t largest) {
    dense_.assign(static_cast<std::size_t>(largest) + 1, 0);
    for (const Entry& entry : entries) dense_[static_cast<std::size_t>(entry.pred)] += static_cast<std::int64_t>(entry.pixels);
    for (std::size_t label = 1; label < dense_.size(); ++label)
      if (const std::int64_t area = dense_[label]) {  // which gives way to the position
        dense_[label] = static_cast<std::int64_t>(objects.ids.size());
        objects.ids.push_back(label), objects.areas.push_back(area);
      }
  }
  void sum_sparse(const std::vector<Entry>& entries) {
    std::vector<Entry> sides;
    for (const Entry& entry : entries)
      if (entry.pred) sides.push_back({0, entry.pred, entry.pixels});
    for (const Entry& side : in_order(std::move(sides)))
      objects.ids.push_back(side.pred), objects.areas.push_back(static_cast<std::int64_t>(side.pixels));
  }
  std::vector<std::int64_t> dense_;
};

// `entries` must be in order, each pair once.
inline ObjectTable tabulate(const std::vector<Entry>& entries) {
  ObjectTable table;
  PredObjects preds(entries);
  std::size_t pairs = 0;
  for (const Entry& entry : entries) pairs += entry.truth && entry.pred;
  for (auto* column : {&table.pair_truth, &table.pair_pred, &table.pair_pixels}) column->reserve(pairs);
  for (const Entry& entry : entries) {
    const std::int64_t pixels = static_cast<std::int64_t>(entry.pixels);
    if (entry.truth) {
      if (table.truth.ids.empty() || table.truth.ids.back() != entry.truth) {
        table.truth.ids.push_back(entry.truth);
        table.truth.areas.push_back(0);
      }
      table.truth.areas.back() += pixels;
    }
    if (!entry.pred) {
      if (!entry.truth) table.background += pixels;
      continue;
    }
    if (!entry.truth) continue;
    table.pair_truth.push_back(static_cast<std::int64_t>(table.truth.ids.size()) - 1);
    table.pair_pred.push_back(preds.position(entry.pred));
    table.pair_pixels.push_back(pixels);
  }
  table.pred = std::move(preds.objects);
  return table;
}

}  // namespace softpq
