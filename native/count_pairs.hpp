// Counting overlaps: which label of one image meets which label of the other, on how many pixels.
//
// The idea. Label images are made of runs: along a line of memory, the pair (truth label, pred label) stays the
// same for many pixels. So there are three steps, each as cheap as what it looks at is many.
//
//   1. Find where runs end. Every pixel is compared with the next one, 64 at a time, into a bit mask. This is
//      the only step that touches every pixel and it is a handful of vector instructions per 16 bytes.
//   2. Walk over the bits of the mask: a bit is a run (runs.hpp).
//   3. Add each run to the table (pair_counts.hpp): a small cache of the pairs at hand, and a log behind it.
//
// All three are one loop, so that memory is read without a pause. Arrays with a stride (crops, transposed views) are
// gathered into chunks of 1024 pixels that stay in the first-level cache; nothing larger is ever copied.
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
#include "lines.hpp"
#include "pair_counts.hpp"
#include "run_on_threads.hpp"
#include "runs.hpp"

namespace softpq {

// Adds what it is given, stretch by stretch, to a table.
template <class Truth, class Pred>
class RunCounter {
 public:
  // For about so many pixels.
  explicit RunCounter(std::size_t pixels) : table_(pixels) {}

  void add(const Truth* truth, const Pred* pred, std::size_t length) {
    each_run(length, [&](std::size_t first, std::size_t end) { table_.add(truth[first], pred[first], end - first); },
             truth, pred);
    if ((pixels_ += length) >= kStretch) tick(), pixels_ = 0;
  }
  Large<Entry> take_ordered() { return table_.take_ordered(); }

  // Pixels between two looks at whether to go on.
  static constexpr std::size_t kStretch = std::size_t{1} << 18;

 private:
  PairTable table_;
  std::size_t pixels_ = 0;
};

template <class Truth, class Pred>
class Counter {
 public:
  Counter(const Truth* truth, const Pred* pred, const std::uint8_t* ignore, const Layout& layout)
      : truth_(truth), pred_(pred), ignore_(ignore), layout_(layout), counter_(layout.size()) {}

  // Counts the pixels first..last-1 in walking order.
  void count(std::size_t first, std::size_t last) {
    const std::size_t line = layout_.length();
    const Layout::Axis& inner = layout_.axes.back();
    const bool as_they_lie = !ignore_ && inner.stride[0] == 1 && inner.stride[1] == 1;
    while (first < last) {
      const std::size_t column = first % line;
      const std::size_t most = as_they_lie ? counter_.kStretch : kChunk;
      const std::size_t length = std::min({line - column, last - first, most});
      count_stretch(first / line, column, length);
      first += length;
    }
  }

  Large<Entry> take_ordered() { return counter_.take_ordered(); }

 private:
  void count_stretch(std::size_t line, std::size_t column, std::size_t length) {
    const Layout::Axis& inner = layout_.axes.back();
    std::ptrdiff_t at[3];
    for (int k = 0; k < 3; ++k) at[k] = layout_.offset(line, k) + static_cast<std::ptrdiff_t>(column) * inner.stride[k];
    if (!ignore_) {
      counter_.add(gathered(truth_ + at[0], inner.stride[0], length, truth_buffer_),
                   gathered(pred_ + at[1], inner.stride[1], length, pred_buffer_), length);
      return;
    }
    const std::uint8_t* ignore = gathered(ignore_ + at[2], inner.stride[2], length, ignore_buffer_);
    counter_.add(blanked(truth_ + at[0], inner.stride[0], ignore, length, truth_buffer_),
                 blanked(pred_ + at[1], inner.stride[1], ignore, length, pred_buffer_), length);
  }

  const Truth* truth_;
  const Pred* pred_;
  const std::uint8_t* ignore_;
  const Layout& layout_;
  RunCounter<Truth, Pred> counter_;
  Truth truth_buffer_[kChunk];
  Pred pred_buffer_[kChunk];
  std::uint8_t ignore_buffer_[kChunk];
};

// How many threads are worth it: starting one takes as long as counting a tenth of so many pixels.
inline std::size_t workers_for(std::size_t pixels, unsigned threads) {
  constexpr std::size_t kWorthAThread = std::size_t{1} << 20;
  return std::max<std::size_t>(1, std::min<std::size_t>(threads, pixels / kWorthAThread));
}

inline Large<Entry> merged(std::vector<Large<Entry>> parts) {
  for (std::size_t k = 1; k < parts.size(); ++k) parts[0] = merged(parts[0], parts[k]);
  return std::move(parts[0]);
}

// Every pair of labels that share pixels, background (0) included, ordered by truth label and then pred label.
// Pixels under `ignore` (may be null) count as background of both.
template <class Truth, class Pred>
Large<Entry> count_pairs(const Truth* truth, const Pred* pred, const std::uint8_t* ignore, Layout layout,
                               unsigned threads) {
  const std::size_t pixels = layout.size();
  if (pixels == 0) return {};
  layout.simplify();
  const std::size_t workers = workers_for(pixels, threads);
  std::vector<Large<Entry>> parts(workers);
  run_on_threads(workers, [&](std::size_t k) {
    auto counter = std::make_unique<Counter<Truth, Pred>>(truth, pred, ignore, layout);
    counter->count(pixels / workers * k, k + 1 == workers ? pixels : pixels / workers * (k + 1));
    parts[k] = counter->take_ordered();
  });
  return merged(std::move(parts));
}

}  // namespace softpq
