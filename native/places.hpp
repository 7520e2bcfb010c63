// Where objects are: bounding boxes and centroids.
//
// A run says all that its pixels would: its ends bound it, its middle times its length is the sum of its coordinates. So
// one pass over the runs of each line adds a handful of numbers per run to the record of its object. Sums are whole
// numbers, so neither the order of pixels nor the number of threads can be seen in a centroid.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <vector>

#include "label_index.hpp"
#include "layout.hpp"
#include "lines.hpp"
#include "run_on_threads.hpp"

namespace softpq {

// One row per object, one column per axis.
struct Boxes {
  std::vector<std::int64_t> low, high;  // half open; low is the largest number where there is no pixel
  std::vector<double> center;
};

class PlaceSums {
 public:
  PlaceSums(std::size_t objects, std::size_t dimensions) : dimensions_(dimensions), pixels_(objects, 0) {
    axes_.assign(objects * dimensions, {std::numeric_limits<std::int64_t>::max(), 0, 0});
  }

  // A run along the last axis of the line that is at `at`.
  void add(std::size_t object, const std::vector<std::size_t>& at, std::size_t first, std::size_t end) {
    const auto length = static_cast<std::int64_t>(end - first);
    AxisSums* axis = &axes_[object * dimensions_];
    pixels_[object] += length;
    for (const std::size_t place : at) axis++->add(static_cast<std::int64_t>(place), 1, length);
    axis->add(static_cast<std::int64_t>(first), length, length);
  }
  void add(const PlaceSums& other) {
    for (std::size_t k = 0; k < pixels_.size(); ++k) pixels_[k] += other.pixels_[k];
    for (std::size_t k = 0; k < axes_.size(); ++k) axes_[k].add(other.axes_[k]);
  }

  // Columns in the order of the axes of the caller, without the last object.
  Boxes boxes(const std::vector<std::size_t>& order) const {
    const std::size_t rows = pixels_.size() - 1;
    Boxes found{std::vector<std::int64_t>(rows * dimensions_), std::vector<std::int64_t>(rows * dimensions_),
                 std::vector<double>(rows * dimensions_)};
    for (std::size_t k = 0; k < rows; ++k)
      for (std::size_t d = 0; d < dimensions_; ++d) {
        const AxisSums& axis = axes_[k * dimensions_ + d];
        const std::size_t to = k * dimensions_ + order[d];
        found.low[to] = axis.low, found.high[to] = axis.high;
        found.center[to] = static_cast<double>(axis.sum) / static_cast<double>(std::max<std::int64_t>(pixels_[k], 1));
      }
    return found;
  }

 private:
  struct AxisSums {
    std::int64_t low, high, sum;

    // Pixels at first, first + 1, ... if they are several along this axis; all at first if it is one.
    void add(std::int64_t first, std::int64_t extent, std::int64_t pixels) {
      low = std::min(low, first);
      high = std::max(high, first + extent);
      sum += first * pixels + (extent - 1) * extent / 2;
    }
    void add(const AxisSums& other) {
      low = std::min(low, other.low), high = std::max(high, other.high), sum += other.sum;
    }
  };
  std::size_t dimensions_;
  std::vector<std::int64_t> pixels_;
  std::vector<AxisSums> axes_;
};

// The places of the objects `ids`, in this order; pixels under `ignore` (may be null) belong to nobody.
template <class Label>
Boxes find_places(const Label* labels, const std::uint8_t* ignore, Layout layout, const std::uint64_t* ids,
                   std::size_t count, unsigned threads) {
  const std::vector<std::size_t> order = layout.sort();
  const LabelIndex index(ids, count);
  const std::size_t lines = layout.lines(), room = layout.size() / (2 * count + 1);  // a table has to be worth it
  const std::size_t workers = std::max<std::size_t>(1, std::min<std::size_t>({threads, lines, room >> 6}));
  std::vector<PlaceSums> parts(workers, PlaceSums(count + 1, layout.axes.size()));
  run_on_threads(workers, [&](std::size_t k) {
    const auto reader = std::make_unique<LineReader<Label>>();
    const Layout::Axis& inner = layout.axes.back();
    std::vector<std::size_t> at;
    for (std::size_t line = lines * k / workers; line < lines * (k + 1) / workers; ++line) {
      layout.locate(line, at);
      auto add = [&](std::size_t first, std::size_t end, Label label) {
        if (label != 0) parts[k].add(index.of(label), at, first, end);
      };
      const Label* from = labels + layout.offset(line, 0);
      if (ignore) reader->each_run(from, inner.stride[0], ignore + layout.offset(line, 2), inner.stride[2], inner.size, add);
      else reader->each_run(from, inner.stride[0], inner.size, add);
    }
  });
  for (std::size_t k = 1; k < workers; ++k) parts[0].add(parts[k]);
  return parts[0].boxes(order);
}

}  // namespace softpq
