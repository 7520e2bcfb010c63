// Counting overlaps: which label of one image meets which label of the other, on how many pixels.
//
// The idea. Label images are made of runs: along a line of memory, the pair (truth label, pred label) stays the
// same for many pixels. So the work is split in three, each at its own speed.
//
//   1. Find where runs start. Every pixel is compared with the next one, 64 at a time, into a bit mask. This is
//      the only step that touches every pixel and it is a handful of vector instructions per 16 bytes.
//   2. Turn the mask into a list of positions, eight at a time, without a branch per bit.
//   3. Add each run to the table. A truth object meets few predictions, so each truth label owns a bucket with room
//      for four of them (half a cache line); background truth uses a bucket of the pred label instead, so that the
//      background, which meets everything, does not overflow. What does not fit goes to a hash table.
//
// Lines are cut into chunks of 1024 pixels that stay in the first-level cache between the steps. Arrays with a
// stride (crops, transposed views) are gathered into such a chunk; nothing larger is ever copied.
//
// Every thread has its own table; they are merged in label order at the end.
//
// No Python here: the header can be tested, fuzzed and sanitised by itself.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "interrupt.hpp"
#include "layout.hpp"
#include "pair_counts.hpp"
#include "run_on_threads.hpp"
#include "runs.hpp"

namespace softpq {

template <class Label>
const Label* gathered(const Label* from, std::ptrdiff_t stride, std::size_t length, Label* buffer) {
  if (stride == 1) return from;
  for (std::size_t i = 0; i < length; ++i) buffer[i] = from[static_cast<std::ptrdiff_t>(i) * stride];
  return buffer;
}

template <class Label>
const Label* blanked(const Label* from, std::ptrdiff_t stride, const std::uint8_t* ignore, std::size_t length,
                     Label* buffer) {
  for (std::size_t i = 0; i < length; ++i)
    buffer[i] = ignore[i] ? Label{0} : from[static_cast<std::ptrdiff_t>(i) * stride];
  return buffer;
}

template <class Truth, class Pred>
class Counter {
 public:
  Counter(const Truth* truth, const Pred* pred, const std::uint8_t* ignore, const Layout& layout)
      : truth_(truth), pred_(pred), ignore_(ignore), layout_(layout) {}

  // Counts the pixels first..last-1 in walking order.
  void count(std::size_t first, std::size_t last) {
    const std::size_t line = layout_.axes.back().size;
    std::uint64_t since_spill = 0, chunks = 0;
    while (first < last) {
      const std::size_t column = first % line;
      const std::size_t length = std::min({line - column, last - first, kChunk});
      count_chunk(first / line, column, length);
      first += length;
      since_spill += length;
      if ((++chunks & 0x3ff) == 0) tick();
      if (since_spill >= PairTable::kPixelsBeforeSpill) table_.spill(), since_spill = 0;
    }
  }

  std::vector<Entry> take_ordered() { return table_.take_ordered(); }

 private:
  void count_chunk(std::size_t line, std::size_t column, std::size_t length) {
    const Layout::Axis& inner = layout_.axes.back();
    std::ptrdiff_t at[3];
    for (int k = 0; k < 3; ++k) at[k] = static_cast<std::ptrdiff_t>(column) * inner.stride[k];
    for (std::size_t d = layout_.axes.size() - 1; d-- > 0;) {
      const Layout::Axis& axis = layout_.axes[d];
      for (int k = 0; k < 3; ++k) at[k] += static_cast<std::ptrdiff_t>(line % axis.size) * axis.stride[k];
      line /= axis.size;
    }
    const Truth* truth = truth_ + at[0];
    const Pred* pred = pred_ + at[1];
    if (ignore_) {
      const std::uint8_t* ignore = gathered(ignore_ + at[2], inner.stride[2], length, ignore_buffer_);
      truth = blanked(truth, inner.stride[0], ignore, length, truth_buffer_);
      pred = blanked(pred, inner.stride[1], ignore, length, pred_buffer_);
    } else {
      truth = gathered(truth, inner.stride[0], length, truth_buffer_);
      pred = gathered(pred, inner.stride[1], length, pred_buffer_);
    }
    const std::size_t runs = find_runs(truth, pred, length, starts_);
    for (std::size_t k = 0; k < runs; ++k)
      table_.add(truth[starts_[k]], pred[starts_[k]], starts_[k + 1] - starts_[k]);
  }

  const Truth* truth_;
  const Pred* pred_;
  const std::uint8_t* ignore_;
  const Layout& layout_;
  PairTable table_;
  Position starts_[kStartsRoom];
  Truth truth_buffer_[kChunk];
  Pred pred_buffer_[kChunk];
  std::uint8_t ignore_buffer_[kChunk];
};

// Every pair of labels that share pixels, background (0) included, ordered by truth label and then pred label.
// Pixels under `ignore` (may be null) count as background of both.
template <class Truth, class Pred>
std::vector<Entry> count_pairs(const Truth* truth, const Pred* pred, const std::uint8_t* ignore, Layout layout,
                               unsigned threads) {
  const std::size_t pixels = layout.size();
  if (pixels == 0) return {};
  layout.simplify();
  constexpr std::size_t kWorthAThread = std::size_t{1} << 18;
  const std::size_t workers = std::max<std::size_t>(1, std::min<std::size_t>(threads, pixels / kWorthAThread));
  std::vector<std::vector<Entry>> parts(workers);
  run_on_threads(workers, [&](std::size_t k) {
    auto counter = std::make_unique<Counter<Truth, Pred>>(truth, pred, ignore, layout);
    counter->count(pixels / workers * k, k + 1 == workers ? pixels : pixels / workers * (k + 1));
    parts[k] = counter->take_ordered();
  });
  for (std::size_t k = 1; k < workers; ++k) parts[0] = PairTable::merge(parts[0], parts[k]);
  return std::move(parts[0]);
}

}  // namespace softpq
