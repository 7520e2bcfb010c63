// From counted pairs of labels to the table of objects: ids and areas of both sides, pairs by position.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "count_pairs.hpp"

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

// Sorts and sums entries that may come in any order and more than once.
inline std::vector<Entry> in_order(std::vector<Entry> entries) {
  if (!std::is_sorted(entries.begin(), entries.end(), before)) std::sort(entries.begin(), entries.end(), before);
  return PairTable::merge(entries, {});
}

// Finds the position of a pred label: a plain table while labels are dense, a binary search otherwise.
class Positions {
 public:
  explicit Positions(const std::vector<Entry>& entries) {
    std::uint64_t largest = 0;
    for (const Entry& entry : entries) largest = std::max(largest, entry.pred);
    if (largest < 8 * (entries.size() + 1024)) mark_dense(entries, largest);
    else sort_sparse(entries);
  }
  std::vector<std::uint64_t> ids;
  std::int64_t of(std::uint64_t label) const {
    if (!dense_.empty()) return dense_[label];
    return std::lower_bound(ids.begin(), ids.end(), label) - ids.begin();
  }

 private:
  void mark_dense(const std::vector<Entry>& entries, std::uint64_t largest) {
    dense_.assign(largest + 1, 0);
    for (const Entry& entry : entries) dense_[entry.pred] = 1;
    std::int64_t next = 0;
    for (std::uint64_t label = 1; label <= largest; ++label)
      if (dense_[label]) dense_[label] = next++, ids.push_back(label);
  }
  void sort_sparse(const std::vector<Entry>& entries) {
    for (const Entry& entry : entries)
      if (entry.pred) ids.push_back(entry.pred);
    std::sort(ids.begin(), ids.end());
    ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
  }
  std::vector<std::int64_t> dense_;
};

// `entries` must be in order, each pair once.
inline ObjectTable tabulate(const std::vector<Entry>& entries) {
  ObjectTable table;
  Positions positions(entries);
  table.pred.ids = positions.ids;
  table.pred.areas.assign(positions.ids.size(), 0);
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
    const std::int64_t position = positions.of(entry.pred);
    table.pred.areas[static_cast<std::size_t>(position)] += pixels;
    if (!entry.truth) continue;
    table.pair_truth.push_back(static_cast<std::int64_t>(table.truth.ids.size()) - 1);
    table.pair_pred.push_back(position);
    table.pair_pixels.push_back(pixels);
  }
  return table;
}

}  // namespace softpq
