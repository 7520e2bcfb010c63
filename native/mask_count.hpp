// Runs against runs: which masks of two sides share how many pixels, without a dense matrix and without a loop over
// pairs. One side's runs are indexed by place; every mask of the other side looks its runs up and sums into a row of its own.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "interrupt.hpp"
#include "mask_index.hpp"
#include "mask_runs.hpp"
#include "run_on_threads.hpp"
#include "runs.hpp"

namespace softpq {

struct MaskPairs {
  std::vector<std::int64_t> truth, pred, pixels;
};

// Pixels under any mask of a side, and under masks of both.
struct CoveredPixels {
  std::int64_t truth = 0, pred = 0, both = 0;
};

// One bit for each pixel.
class Bits {
 public:
  explicit Bits(const RunsView& view, std::int64_t pixels) : words_(static_cast<std::size_t>(pixels / 64) + 1, 0) {
    for (std::size_t k = 0; k < view.runs(); ++k) {
      const std::int64_t start = view.starts[k], last = view.stops[k] - 1;
      const auto first_word = static_cast<std::size_t>(start / 64), last_word = static_cast<std::size_t>(last / 64);
      const std::uint64_t from = ~std::uint64_t{0} << (start % 64), to = ~std::uint64_t{0} >> (63 - last % 64);
      if (first_word == last_word) {
        words_[first_word] |= from & to;
        continue;
      }
      words_[first_word] |= from, words_[last_word] |= to;
      std::fill(words_.begin() + static_cast<std::ptrdiff_t>(first_word) + 1,
                words_.begin() + static_cast<std::ptrdiff_t>(last_word), ~std::uint64_t{0});
    }
  }
  const std::vector<std::uint64_t>& words() const { return words_; }

 private:
  std::vector<std::uint64_t> words_;
};

inline CoveredPixels covered_by_bits(const RunsView& truth, const RunsView& pred, std::int64_t pixels) {
  const Bits one(truth, pixels), other(pred, pixels);
  CoveredPixels found;
  for (std::size_t k = 0; k < one.words().size(); ++k) {
    found.truth += count_bits(one.words()[k]);
    found.pred += count_bits(other.words()[k]);
    found.both += count_bits(one.words()[k] & other.words()[k]);
  }
  return found;
}

// Both indexes have buckets of one size; what touches is one interval.
template <class Index>
CoveredPixels covered_pixels(const Index& truth, const Index& pred) {
  using Part = typename Index::Part;
  struct Cover {
    const Part *at, *end;
    std::int64_t start = 0, stop = 0;
    bool next() {
      if (at == end) return false;
      start = at->start, stop = at->stop;
      for (++at; at != end && at->start <= stop; ++at) stop = std::max<std::int64_t>(stop, at->stop);
      return true;
    }
  };
  CoveredPixels found;
  for (std::size_t bucket = 0; bucket < truth.buckets(); ++bucket) {
    Cover one{truth.begin(bucket), truth.end(bucket)}, other{pred.begin(bucket), pred.end(bucket)};
    bool has_one = one.next(), has_other = other.next();
    if (has_one) found.truth += one.stop - one.start;
    if (has_other) found.pred += other.stop - other.start;
    while (has_one && has_other) {
      found.both += std::max<std::int64_t>(0, std::min(one.stop, other.stop) - std::max(one.start, other.start));
      if (one.stop < other.stop) {
        if ((has_one = one.next())) found.truth += one.stop - one.start;
      } else if ((has_other = other.next())) {
        found.pred += other.stop - other.start;
      }
    }
    while (has_one && one.next()) found.truth += one.stop - one.start;
    while (has_other && other.next()) found.pred += other.stop - other.start;
  }
  return found;
}

// The pairs of some masks of truth, in order.
template <class Index>
MaskPairs pairs_of(const RunsView& truth, std::size_t begin, std::size_t end, const Index& pred, std::size_t preds) {
  MaskPairs found;
  std::vector<std::int64_t> row(preds, 0);
  std::vector<std::uint32_t> touched;
  for (std::size_t t = begin; t < end; ++t) {
    tick();
    for (std::int64_t k = truth.offsets[t]; k < truth.offsets[t + 1]; ++k)
      pred.for_each_shared(truth.starts[k], truth.stops[k], [&](std::uint32_t mask, std::uint32_t shared) {
        if (row[mask] == 0) touched.push_back(mask);
        row[mask] += shared;
      });
    std::sort(touched.begin(), touched.end());
    for (const std::uint32_t mask : touched) {
      found.truth.push_back(static_cast<std::int64_t>(t));
      found.pred.push_back(mask);
      found.pixels.push_back(row[mask]);
      row[mask] = 0;
    }
    touched.clear();
  }
  return found;
}

// Ordered by truth, then pred; the same for any number of threads. `covered` is filled in if it is given.
inline MaskPairs count_masks(const RunsView& truth, const RunsView& pred, std::int64_t pixels, unsigned threads,
                             CoveredPixels* covered = nullptr) {
  const int bits = bucket_bits(truth, pred, pixels);
  return with_place(bits, [&](auto place) {
    using Index = BucketIndex<decltype(place)>;
    const Index index(pred, pixels, bits);
    if (covered) {
      const bool dense = pixels / 64 < (std::int64_t{1} << 16) + 2 * static_cast<std::int64_t>(truth.runs() + pred.runs());
      *covered = dense ? covered_by_bits(truth, pred, pixels) : covered_pixels(Index(truth, pixels, bits), index);
    }
    const std::size_t parts = std::max<std::size_t>(1, std::min<std::size_t>(threads, truth.masks));
    std::vector<MaskPairs> found(parts);
    run_on_threads(parts, [&](std::size_t part) {
      found[part] = pairs_of(truth, truth.masks * part / parts, truth.masks * (part + 1) / parts, index, pred.masks);
    });
    for (std::size_t part = 1; part < parts; ++part)
      for (auto column : {&MaskPairs::truth, &MaskPairs::pred, &MaskPairs::pixels})
        (found[0].*column).insert((found[0].*column).end(), (found[part].*column).begin(), (found[part].*column).end());
    return std::move(found[0]);
  });
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
