// Counting boundary bands: pixels of objects that have another label, or the image's border, within reach.
//
// Reach is a box: so many pixels along each axis (the chessboard distance, as eroding with a 3 x 3 square does it). What is
// not in the band is inside: the whole box around it has one label. No mask is drawn; insides are kept as stretches.
//
//   1. Along a line, the inside of a run is the run without its two ends. Runs that are shorter have none: what is left
//      of most images is little.
//   2. Across lines, a stretch is inside if the lines around it, as far as the reach goes, all have it, with its label:
//      the intersection of 2 x reach + 1 lists of stretches. Blocks of so many lines are intersected from their middle
//      borders on, backwards and forwards; every window is one of the former and one of the latter (van Herk, Gil and
//      Werman). So an axis costs three intersections per line, whatever the reach.
//   3. Lines are counted as always (count_pairs.hpp), after their insides were blanked in the chunk at hand.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "count_pairs.hpp"
#include "layout.hpp"
#include "lines.hpp"
#include "run_on_threads.hpp"

namespace softpq {

template <class Label>
using Stretches = std::vector<Stretch<Label>>;

// What both lists have, with the same label. Stretches ascend.
template <class Label>
void intersect(const Stretches<Label>& a, const Stretches<Label>& b, Stretches<Label>& out) {
  out.clear();
  for (std::size_t i = 0, j = 0; i < a.size() && j < b.size(); a[i].end < b[j].end ? ++i : ++j) {
    const std::size_t first = std::max(a[i].first, b[j].first), end = std::min(a[i].end, b[j].end);
    if (first < end && a[i].label == b[j].label) out.push_back({first, end, a[i].label});
  }
}

// The insides of all objects, line by line.
template <class Label>
class Insides {
 public:
  Insides(const Label* labels, const Layout& layout, int which, const std::vector<std::size_t>& reach, std::size_t threads)
      : layout_(layout), threads_(threads), lines_(layout.lines()) {
    along_lines(labels, which, reach.back());
    std::size_t step = 1;
    for (std::size_t axis = layout.axes.size() - 1; axis-- > 0; step *= layout.axes[axis].size)
      across_lines(layout.axes[axis].size, step, reach[axis]);
  }
  const Stretches<Label>& of(std::size_t line) const { return lines_[line]; }

 private:
  void along_lines(const Label* labels, int which, std::size_t reach) {
    const std::size_t workers = std::max<std::size_t>(1, std::min(threads_, lines_.size()));
    run_on_threads(workers, [&](std::size_t k) {
      const auto reader = std::make_unique<LineReader<Label>>();
      Stretches<Label> runs;
      for (std::size_t line = lines_.size() * k / workers; line < lines_.size() * (k + 1) / workers; ++line) {
        reader->objects(labels + layout_.offset(line, which), layout_.axes.back().stride[which], layout_.length(), runs);
        for (const Stretch<Label>& run : runs)
          if ((run.end - run.first - 1) / 2 >= reach)
            lines_[line].push_back({run.first + reach, run.end - reach, run.label});
      }
    });
  }

  // Along an axis of `size` lines that are `step` lines apart.
  void across_lines(std::size_t size, std::size_t step, std::size_t reach) {
    std::vector<Stretches<Label>> eroded(lines_.size());
    if ((size - 1) / 2 >= reach) {  // else the border is within reach of all
      const std::size_t columns = lines_.size() / size, blocks = size / (2 * reach + 1), tasks = columns * blocks;
      const std::size_t workers = std::max<std::size_t>(1, std::min(threads_, tasks));
      run_on_threads(workers, [&](std::size_t k) {
        std::vector<Stretches<Label>> before(2 * reach + 1);
        for (std::size_t task = tasks * k / workers; task < tasks * (k + 1) / workers; ++task) {
          const std::size_t column = task / blocks, first = column / step * step * size + column % step;
          erode_block(first, size, step, task % blocks * (2 * reach + 1), before, eroded);
          if ((task & 0xf) == 0) tick();
        }
      });
    }
    lines_.swap(eroded);
  }

  // The windows that begin in the block of before.size() lines from `start` on, and end within the image.
  void erode_block(std::size_t first, std::size_t size, std::size_t step, std::size_t start,
                   std::vector<Stretches<Label>>& before, std::vector<Stretches<Label>>& eroded) const {
    const std::size_t width = before.size(), end = std::min(start + width, size);
    auto line = [&](std::size_t at) -> std::size_t { return first + at * step; };
    before[end - 1 - start] = lines_[line(end - 1)];
    for (std::size_t at = end - 1; at-- > start;) intersect(lines_[line(at)], before[at + 1 - start], before[at - start]);
    if (end < start + width) return;  // no window begins here and ends within the image
    eroded[line(start + width / 2)] = before[0];
    Stretches<Label> after, next;
    for (std::size_t at = end; at < std::min(end + width - 1, size); ++at) {
      if (at == end) after = lines_[line(at)];
      else intersect(after, lines_[line(at)], next), after.swap(next);
      intersect(before[at + 1 - width - start], after, eroded[line(at - width / 2)]);
    }
  }

  const Layout& layout_;
  std::size_t threads_;
  std::vector<Stretches<Label>> lines_;
};

// The part of an array that is counted, along each axis; what is around it only helps to find the bands.
struct Window {
  std::vector<std::size_t> first, end;

  bool has_line(const std::vector<std::size_t>& at) const {
    for (std::size_t d = 0; d < at.size(); ++d)
      if (at[d] < first[d] || at[d] >= end[d]) return false;
    return true;
  }
};

template <class Truth, class Pred>
class BandCounter {
 public:
  BandCounter(const Truth* truth, const Pred* pred, const std::uint8_t* ignore, const Layout& layout,
              const Insides<Truth>& truth_inside, const Insides<Pred>& pred_inside)
      : truth_(truth),
        pred_(pred),
        ignore_(ignore),
        layout_(layout),
        truth_inside_(truth_inside),
        pred_inside_(pred_inside),
        counter_(layout.size()) {}

  void count(std::size_t line, std::size_t first, std::size_t end) {
    for (; first < end; first += std::min(kChunk, end - first)) {
      const std::size_t length = std::min(kChunk, end - first);
      if (ignore_) mask_ = gathered(ignore_ + at(line, first, 2), layout_.axes.back().stride[2], length, mask_buffer_);
      take(truth_, 0, line, first, length, truth_inside_.of(line), truth_buffer_);
      take(pred_, 1, line, first, length, pred_inside_.of(line), pred_buffer_);
      counter_.add(truth_buffer_, pred_buffer_, length);
    }
  }
  Large<Entry> take_ordered() { return counter_.take_ordered(); }

 private:
  template <class Label>
  void take(const Label* labels, int which, std::size_t line, std::size_t first, std::size_t length,
            const Stretches<Label>& inside, Label* buffer) const {
    const Label* from = labels + at(line, first, which);
    const std::ptrdiff_t stride = layout_.axes.back().stride[which];
    if (stride == 1) std::copy(from, from + length, buffer);
    else gathered(from, stride, length, buffer);
    auto stretch = std::partition_point(inside.begin(), inside.end(), [first](const auto& s) { return s.end <= first; });
    for (; stretch != inside.end() && stretch->first < first + length; ++stretch)
      std::fill(buffer + (std::max(stretch->first, first) - first),
                buffer + (std::min(stretch->end, first + length) - first), Label{0});
    if (ignore_) blanked(buffer, 1, mask_, length, buffer);
  }
  std::ptrdiff_t at(std::size_t line, std::size_t column, int which) const {
    return layout_.offset(line, which) + static_cast<std::ptrdiff_t>(column) * layout_.axes.back().stride[which];
  }

  const Truth* truth_;
  const Pred* pred_;
  const std::uint8_t* ignore_;
  const Layout& layout_;
  const Insides<Truth>& truth_inside_;
  const Insides<Pred>& pred_inside_;
  RunCounter<Truth, Pred> counter_;
  Truth truth_buffer_[kChunk];
  Pred pred_buffer_[kChunk];
  const std::uint8_t* mask_ = nullptr;
  std::uint8_t mask_buffer_[kChunk];
};

template <class T>
std::vector<T> permuted(const std::vector<T>& values, const std::vector<std::size_t>& order) {
  std::vector<T> sorted;
  for (const std::size_t k : order) sorted.push_back(values[k]);
  return sorted;
}

// As count_pairs, where pixels inside of objects count as background, in a window.
template <class Truth, class Pred>
Large<Entry> count_bands(const Truth* truth, const Pred* pred, const std::uint8_t* ignore, Layout layout,
                               std::vector<std::size_t> reach, Window window, unsigned threads) {
  if (layout.size() == 0) return {};
  const std::vector<std::size_t> order = layout.sort();
  reach = permuted(reach, order), window = {permuted(window.first, order), permuted(window.end, order)};
  const std::size_t workers = workers_for(layout.size(), threads), lines = layout.lines();
  const Insides<Truth> truth_inside(truth, layout, 0, reach, workers);
  const Insides<Pred> pred_inside(pred, layout, 1, reach, workers);
  std::vector<Large<Entry>> parts(workers);
  run_on_threads(workers, [&](std::size_t k) {
    auto counter = std::make_unique<BandCounter<Truth, Pred>>(truth, pred, ignore, layout, truth_inside, pred_inside);
    std::vector<std::size_t> at;
    for (std::size_t line = lines * k / workers; line < lines * (k + 1) / workers; ++line) {
      layout.locate(line, at);
      if (window.has_line(at)) counter->count(line, window.first.back(), window.end.back());
    }
    parts[k] = counter->take_ordered();
  });
  return merged(std::move(parts));
}

}  // namespace softpq
