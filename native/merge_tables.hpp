// The table of two tiles together. Ids ascend and pairs are in order in both, so that one walk along both is enough.
#pragma once

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <utility>
#include <vector>

#include "object_table.hpp"

namespace softpq {

// A list that somebody else owns.
template <class T>
struct Span {
  const T* data;
  std::size_t size;
  const T& operator[](std::size_t i) const { return data[i]; }
};

struct ObjectsView {
  Span<std::uint64_t> ids;
  Span<std::int64_t> areas;
};

struct TableView {
  ObjectsView truth, pred;
  Span<std::int64_t> pair_truth, pair_pred, pair_pixels;
  std::int64_t background;
};

// Where the objects of each of the two tables are in the table of both.
struct Places {
  std::vector<std::int64_t> of_first, of_second;
};

inline Objects merge_objects(const ObjectsView& a, const ObjectsView& b, Places& places) {
  Objects merged;
  places.of_first.resize(a.ids.size);
  places.of_second.resize(b.ids.size);
  std::size_t common = 0;
  for (std::size_t i = 0, j = 0; i < a.ids.size && j < b.ids.size;) {
    common += a.ids[i] == b.ids[j];
    const bool step_a = a.ids[i] <= b.ids[j], step_b = b.ids[j] <= a.ids[i];
    i += step_a, j += step_b;
  }
  merged.ids.reserve(a.ids.size + b.ids.size - common);
  merged.areas.reserve(a.ids.size + b.ids.size - common);
  for (std::size_t i = 0, j = 0; i < a.ids.size || j < b.ids.size;) {
    const bool from_a = j == b.ids.size || (i < a.ids.size && a.ids[i] <= b.ids[j]);
    const bool from_b = i == a.ids.size || (j < b.ids.size && b.ids[j] <= a.ids[i]);
    const auto place = static_cast<std::int64_t>(merged.ids.size());
    merged.ids.push_back(from_a ? a.ids[i] : b.ids[j]);
    merged.areas.push_back((from_a ? a.areas[i] : 0) + (from_b ? b.areas[j] : 0));
    if (from_a) places.of_first[i++] = place;
    if (from_b) places.of_second[j++] = place;
  }
  return merged;
}

inline void check(const TableView& table) {
  const std::size_t pairs = table.pair_truth.size;
  if (table.truth.ids.size != table.truth.areas.size || table.pred.ids.size != table.pred.areas.size ||
      pairs != table.pair_pred.size || pairs != table.pair_pixels.size)
    throw std::invalid_argument("columns must have the same length");
  for (std::size_t k = 0; k < pairs; ++k)
    if (table.pair_truth[k] < 0 || static_cast<std::size_t>(table.pair_truth[k]) >= table.truth.ids.size ||
        table.pair_pred[k] < 0 || static_cast<std::size_t>(table.pair_pred[k]) >= table.pred.ids.size)
      throw std::invalid_argument("pairs must be of objects of the table");
}

// The pairs of one table, with places in the table of both.
class PairWalk {
 public:
  PairWalk(const TableView& table, const std::vector<std::int64_t>& truth, const std::vector<std::int64_t>& pred)
      : table_(table), truth_(truth), pred_(pred) {}
  bool done() const { return at_ == table_.pair_truth.size; }
  std::pair<std::int64_t, std::int64_t> pair() const {
    return {truth_[static_cast<std::size_t>(table_.pair_truth[at_])],
            pred_[static_cast<std::size_t>(table_.pair_pred[at_])]};
  }
  std::int64_t take() { return table_.pair_pixels[at_++]; }

 private:
  const TableView& table_;
  const std::vector<std::int64_t>&truth_, &pred_;
  std::size_t at_ = 0;
};

inline ObjectTable merge_tables(const TableView& a, const TableView& b) {
  check(a);
  check(b);
  ObjectTable merged;
  Places truth, pred;
  merged.truth = merge_objects(a.truth, b.truth, truth);
  merged.pred = merge_objects(a.pred, b.pred, pred);
  merged.background = a.background + b.background;
  const std::size_t most = a.pair_truth.size + b.pair_truth.size;
  for (auto* column : {&merged.pair_truth, &merged.pair_pred, &merged.pair_pixels}) column->reserve(most);
  PairWalk first(a, truth.of_first, pred.of_first), second(b, truth.of_second, pred.of_second);
  while (!first.done() || !second.done()) {
    const bool from_a = second.done() || (!first.done() && first.pair() <= second.pair());
    const bool from_b = first.done() || (!second.done() && second.pair() <= first.pair());
    const auto [t, p] = from_a ? first.pair() : second.pair();
    merged.pair_truth.push_back(t);
    merged.pair_pred.push_back(p);
    merged.pair_pixels.push_back((from_a ? first.take() : 0) + (from_b ? second.take() : 0));
  }
  return merged;
}

}  // namespace softpq
