// Runs against runs: which masks of two sides share how many pixels, without a dense matrix and without a loop over
// pairs. One side's runs are indexed by line; every mask of the other side walks its lines and sums into a row of its own.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "interrupt.hpp"
#include "mask_runs.hpp"
#include "run_on_threads.hpp"

namespace softpq {

// Runs that somebody else owns.
struct RunsView {
  const std::int64_t *offsets, *starts, *stops;
  std::size_t masks;
  std::size_t runs() const { return static_cast<std::size_t>(offsets[masks]); }
};

// The runs of all masks, cut at lines, by line and then by where they start.
class LineIndex {
 public:
  // Lines are at least as long as the last axis, and not many more than runs.
  LineIndex(const RunsView& view, std::int64_t pixels, std::int64_t width)
      : length_(std::max<std::int64_t>(
            {width, 64, pixels / (4 * static_cast<std::int64_t>(view.runs()) + 1024) + 1})) {
    length_ = std::min<std::int64_t>(length_, std::int64_t{1} << 31);
    first_.assign(static_cast<std::size_t>(pixels / length_) + 2, 0);
    for_each_part(view, [this](std::size_t line, const Part&) { ++first_[line + 1]; });
    for (std::size_t line = 1; line < first_.size(); ++line) first_[line] += first_[line - 1];
    parts_.resize(first_.back());
    std::vector<std::size_t> next(first_.begin(), first_.end() - 1);
    for_each_part(view, [&](std::size_t line, const Part& part) { parts_[next[line]++] = part; });
    for (std::size_t line = 0; line + 1 < first_.size(); ++line) arrange(first_[line], first_[line + 1]);
  }

  // Calls body(mask, shared pixels) for everything that shares pixels with [start, stop).
  template <class Body>
  void for_each_shared(std::int64_t start, std::int64_t stop, Body body) const {
    for (std::int64_t line = start / length_; line * length_ < stop; ++line) {
      const auto from = static_cast<std::uint32_t>(std::max<std::int64_t>(start - line * length_, 0));
      const auto to = static_cast<std::uint32_t>(std::min(stop - line * length_, length_));
      const auto end = parts_.begin() + static_cast<std::ptrdiff_t>(first_[static_cast<std::size_t>(line) + 1]);
      auto part = std::partition_point(parts_.begin() + static_cast<std::ptrdiff_t>(first_[static_cast<std::size_t>(line)]),
                                       end, [from](const Part& one) { return one.reach <= from; });
      for (; part != end && part->start < to; ++part)
        if (part->stop > from) body(part->mask, std::min(part->stop, to) - std::max(part->start, from));
    }
  }

 private:
  struct Part {
    std::uint32_t start, stop, mask;
    std::uint32_t reach;  // the largest stop up to here in the line
  };

  template <class Body>
  void for_each_part(const RunsView& view, Body body) const {
    for (std::size_t mask = 0; mask < view.masks; ++mask) {
      if ((mask & 0xff) == 0) tick();
      for (std::int64_t k = view.offsets[mask]; k < view.offsets[mask + 1]; ++k)
        for (std::int64_t at = view.starts[k]; at < view.stops[k];) {
          const std::int64_t line = at / length_, stop = std::min(view.stops[k], (line + 1) * length_);
          body(static_cast<std::size_t>(line),
               Part{static_cast<std::uint32_t>(at - line * length_), static_cast<std::uint32_t>(stop - line * length_),
                    static_cast<std::uint32_t>(mask), 0});
          at = stop;
        }
    }
  }

  void arrange(std::size_t begin, std::size_t end) {
    std::sort(parts_.begin() + static_cast<std::ptrdiff_t>(begin), parts_.begin() + static_cast<std::ptrdiff_t>(end),
              [](const Part& a, const Part& b) { return a.start < b.start; });
    std::uint32_t reach = 0;
    for (std::size_t k = begin; k < end; ++k) parts_[k].reach = reach = std::max(reach, parts_[k].stop);
  }

  std::int64_t length_;
  std::vector<std::size_t> first_;
  std::vector<Part> parts_;
};

struct MaskPairs {
  std::vector<std::int64_t> truth, pred, pixels;
};

// Ordered by truth, then pred; the same for any number of threads.
inline MaskPairs count_masks(const RunsView& truth, const RunsView& pred, std::int64_t pixels, std::int64_t width,
                             unsigned threads) {
  const LineIndex index(pred, pixels, width);
  const std::size_t parts = std::max<std::size_t>(1, std::min<std::size_t>(threads, truth.masks));
  std::vector<MaskPairs> found(parts);
  run_on_threads(parts, [&](std::size_t part) {
    MaskPairs here;
    std::vector<std::int64_t> row(pred.masks, 0);
    std::vector<std::uint32_t> touched;
    for (std::size_t t = truth.masks * part / parts; t < truth.masks * (part + 1) / parts; ++t) {
      tick();
      for (std::int64_t k = truth.offsets[t]; k < truth.offsets[t + 1]; ++k)
        index.for_each_shared(truth.starts[k], truth.stops[k], [&](std::uint32_t mask, std::uint32_t shared) {
          if (row[mask] == 0) touched.push_back(mask);
          row[mask] += shared;
        });
      std::sort(touched.begin(), touched.end());
      for (const std::uint32_t mask : touched) {
        here.truth.push_back(static_cast<std::int64_t>(t));
        here.pred.push_back(mask);
        here.pixels.push_back(row[mask]);
        row[mask] = 0;
      }
      touched.clear();
    }
    found[part] = std::move(here);
  });
  for (std::size_t part = 1; part < parts; ++part)
    for (auto column : {&MaskPairs::truth, &MaskPairs::pred, &MaskPairs::pixels})
      (found[0].*column).insert((found[0].*column).end(), (found[part].*column).begin(), (found[part].*column).end());
  return std::move(found[0]);
}

// The runs of all masks by where they start: into buckets first, as there are many and most are short.
inline std::vector<std::pair<std::int64_t, std::int64_t>> sorted_runs(const RunsView& view, std::int64_t pixels) {
  const std::size_t runs = view.runs();
  const std::int64_t length = pixels / static_cast<std::int64_t>(runs / 8 + 1) + 1;
  std::vector<std::uint32_t> first(static_cast<std::size_t>(pixels / length) + 2, 0);
  for (std::size_t k = 0; k < runs; ++k) ++first[static_cast<std::size_t>(view.starts[k] / length) + 1];
  for (std::size_t k = 1; k < first.size(); ++k) first[k] += first[k - 1];
  std::vector<std::uint32_t> next(first.begin(), first.end() - 1);
  std::vector<std::pair<std::int64_t, std::int64_t>> sorted(runs);
  for (std::size_t k = 0; k < runs; ++k)
    sorted[next[static_cast<std::size_t>(view.starts[k] / length)]++] = {view.starts[k], view.stops[k]};
  for (std::size_t k = 0; k + 1 < first.size(); ++k)
    std::sort(sorted.begin() + first[k], sorted.begin() + first[k + 1]);
  return sorted;
}

// What any mask covers, as one mask.
inline MaskRuns covered_runs(const RunsView& view, std::int64_t pixels) {
  MaskRuns found;
  for (const auto& [start, stop] : sorted_runs(view, pixels)) {
    if (!found.stops.empty() && start <= found.stops.back()) found.stops.back() = std::max(found.stops.back(), stop);
    else found.add(start, stop);
  }
  found.end_mask();
  return found;
}

// Every mask without the pixels of the first mask of `region`.
inline MaskRuns without_region(const RunsView& view, const RunsView& region) {
  MaskRuns found;
  const std::int64_t* const end = region.stops + region.offsets[1];
  for (std::size_t mask = 0; mask < view.masks; ++mask) {
    if ((mask & 0xff) == 0) tick();
    for (std::int64_t k = view.offsets[mask]; k < view.offsets[mask + 1]; ++k) {
      std::int64_t at = view.starts[k];
      const std::int64_t stop = view.stops[k];
      for (const std::int64_t* ends = std::upper_bound(region.stops, end, at); at < stop; ++ends) {
        const std::int64_t* const begins = region.starts + (ends - region.stops);
        const std::int64_t until = ends == end ? stop : std::min(stop, *begins);
        if (at < until) found.add(at, until);
        if (ends == end) break;
        at = std::max(at, *ends);
      }
    }
    found.end_mask();
  }
  return found;
}

}  // namespace softpq
