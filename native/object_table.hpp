// From counted pairs of labels to the table of objects: ids and areas of both sides, pairs by position.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>

#include "large.hpp"
#include "pair_counts.hpp"

namespace softpq {

struct Objects {
  Large<std::uint64_t> ids;
  Large<std::int64_t> areas;
};

struct ObjectTable {
  Objects truth, pred;
  Large<std::int64_t> pair_truth, pair_pred, pair_pixels;
  std::int64_t background = 0;
};

// The objects of pred, and where they are among them: a plain table while labels are dense, a binary search otherwise.
class PredObjects {
 public:
  explicit PredObjects(const Large<Entry>& entries) {
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
  void sum_dense(const Large<Entry>& entries, std::uint64_t largest) {
    dense_.assign(static_cast<std::size_t>(largest) + 1, 0);
    for (const Entry& entry : entries) dense_[static_cast<std::size_t>(entry.pred)] += static_cast<std::int64_t>(entry.pixels);
    const auto there = [](std::int64_t area) { return area != 0; };
    const std::ptrdiff_t count = std::count_if(dense_.begin() + 1, dense_.end(), there);
    objects.ids.reserve(static_cast<std::size_t>(count)), objects.areas.reserve(static_cast<std::size_t>(count));
    for (std::size_t label = 1; label < dense_.size(); ++label)
      if (const std::int64_t area = dense_[label]) {  // which gives way to the position
        dense_[label] = static_cast<std::int64_t>(objects.ids.size());
        objects.ids.push_back(label), objects.areas.push_back(area);
      }
  }
  void sum_sparse(const Large<Entry>& entries) {
    Large<Entry> sides;
    for (const Entry& entry : entries)
      if (entry.pred) sides.push_back({0, entry.pred, entry.pixels});
    for (const Entry& side : in_order(std::move(sides)))
      objects.ids.push_back(side.pred), objects.areas.push_back(static_cast<std::int64_t>(side.pixels));
  }
  Large<std::int64_t> dense_;
};

// How many objects of truth, and how many pairs of objects, there are among entries in order.
struct Sizes {
  std::size_t truths = 0, pairs = 0;
  explicit Sizes(const Large<Entry>& entries) {
    std::uint64_t last = 0;
    for (const Entry& entry : entries) {
      truths += entry.truth != last;
      pairs += (entry.truth != 0) & (entry.pred != 0);
      last = entry.truth;
    }
  }
};

// `entries` must be in order, each pair once. Columns are written to by position: with many small objects, looking up the
// objects of pred is all that takes time, and nothing should stand between one look and the next.
inline ObjectTable tabulate(const Large<Entry>& entries) {
  ObjectTable table;
  PredObjects preds(entries);
  const Sizes sizes(entries);
  table.truth.ids.resize(sizes.truths), table.truth.areas.assign(sizes.truths, 0);
  for (auto* column : {&table.pair_truth, &table.pair_pred, &table.pair_pixels}) column->resize(sizes.pairs);
  std::int64_t truth = -1;
  std::size_t pair = 0;
  std::uint64_t last = 0;
  for (const Entry& entry : entries) {
    const std::int64_t pixels = static_cast<std::int64_t>(entry.pixels);
    if (entry.truth != last) {
      ++truth, last = entry.truth;
      table.truth.ids[static_cast<std::size_t>(truth)] = entry.truth;
    }
    if (entry.truth) table.truth.areas[static_cast<std::size_t>(truth)] += pixels;
    else if (!entry.pred) table.background += pixels;
    if (!entry.truth || !entry.pred) continue;
    table.pair_truth[pair] = truth;
    table.pair_pred[pair] = preds.position(entry.pred);
    table.pair_pixels[pair++] = pixels;
  }
  table.pred = std::move(preds.objects);
  return table;
}

}  // namespace softpq
