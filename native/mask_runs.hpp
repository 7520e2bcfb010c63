// Masks as runs: half-open intervals of the flat pixel index, ascending, disjoint, joined where they touch.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "interrupt.hpp"
#include "polygon.hpp"
#include "run_on_threads.hpp"
#include "runs.hpp"

namespace softpq {

// Mask k has the runs offsets[k] .. offsets[k + 1].
struct MaskRuns {
  std::vector<std::int64_t> offsets{0}, starts, stops;

  // Runs of the last mask come in ascending order.
  void add(std::int64_t start, std::int64_t stop) {
    if (static_cast<std::int64_t>(stops.size()) > offsets.back() && stops.back() == start) {
      stops.back() = stop;
    } else {
      starts.push_back(start);
      stops.push_back(stop);
    }
  }
  void end_mask() { offsets.push_back(static_cast<std::int64_t>(starts.size())); }

  void append(const MaskRuns& more) {
    const std::int64_t before = offsets.back();
    for (std::size_t k = 1; k < more.offsets.size(); ++k) offsets.push_back(before + more.offsets[k]);
    starts.insert(starts.end(), more.starts.begin(), more.starts.end());
    stops.insert(stops.end(), more.stops.begin(), more.stops.end());
  }
};

constexpr std::size_t kEven = 256;  // bytes that are looked at together, as most parts of most masks are even

// Whether so many bytes repeat one word; a loop without a branch, which compilers turn into vectors: as fast as memory.
inline bool repeat(const void* bytes, std::uint64_t word) {
  std::uint64_t words[kEven / 8], other = 0;
  std::memcpy(words, bytes, sizeof words);
  for (const std::uint64_t one : words) other |= one ^ word;
  return other == 0;
}

// Calls body(start, stop, value) for every run of equal values.
template <class Value, class Body>
void for_each_run(const Value* values, std::size_t size, Body body) {
  constexpr std::size_t kStep = kEven / sizeof(Value), kClose = std::max<std::size_t>(kStep, 64);
  constexpr std::uint64_t kOnes = ~std::uint64_t{0} / static_cast<Value>(~Value{0});  // a 1 in every value of a word
  std::size_t start = 0, i = 0;  // `i` is the last value that is known to belong to the run
  const auto ends_at = [&](std::size_t stop) {
    body(static_cast<std::int64_t>(start), static_cast<std::int64_t>(stop), values[start]);
    start = stop;
  };
  while (i + kClose < size) {
    if ((i & 0xffff) < kClose) tick();
    if (repeat(values + i, kOnes * values[i])) {
      i += kStep - 1;
      continue;
    }
    for (const std::size_t end = i + kClose; i < end; i += 64)
      for (std::uint64_t bits = run_ends(values + i); bits; bits &= bits - 1)
        ends_at(i + 1 + static_cast<std::size_t>(lowest_bit(bits)));
  }
  for (; i + 1 < size; ++i)
    if (values[i] != values[i + 1]) ends_at(i + 1);
  if (size) ends_at(size);
}

struct StackRuns {
  MaskRuns masks;
  std::uint64_t least = ~std::uint64_t{0}, most = 0;  // of the values that are not 0
};

// `count` masks of `size` pixels each, one after the other; all that is not 0 is inside.
template <class Value>
StackRuns runs_of_stack(const Value* values, std::size_t count, std::size_t size, unsigned threads) {
  const std::size_t parts = std::max<std::size_t>(1, std::min<std::size_t>(threads, count));
  std::vector<StackRuns> found(parts);
  run_on_threads(parts, [&](std::size_t part) {
    StackRuns here;  // not in `found` before it is done: threads would write to one line of memory
    for (std::size_t k = count * part / parts; k < count * (part + 1) / parts; ++k) {
      for_each_run(values + k * size, size, [&](std::int64_t start, std::int64_t stop, Value value) {
        if (value == 0) return;
        here.least = std::min<std::uint64_t>(here.least, value);
        here.most = std::max<std::uint64_t>(here.most, value);
        here.masks.add(start, stop);
      });
      here.masks.end_mask();
    }
    found[part] = std::move(here);
  });
  for (std::size_t part = 1; part < parts; ++part) {
    found[0].masks.append(found[part].masks);
    found[0].least = std::min(found[0].least, found[part].least);
    found[0].most = std::max(found[0].most, found[part].most);
  }
  return std::move(found[0]);
}

struct LabelRuns {
  std::vector<std::uint64_t> labels;  // ascending
  MaskRuns masks;
};

template <class Label>
LabelRuns runs_of_labels(const Label* values, std::size_t size) {
  struct Piece {
    Label label;
    std::int64_t start, stop;
  };
  std::vector<Piece> pieces;
  for_each_run(values, size, [&](std::int64_t start, std::int64_t stop, Label label) {
    if (label != 0) pieces.push_back({label, start, stop});
  });
  std::stable_sort(pieces.begin(), pieces.end(), [](const Piece& a, const Piece& b) { return a.label < b.label; });
  LabelRuns found;
  found.masks.starts.reserve(pieces.size());
  found.masks.stops.reserve(pieces.size());
  for (std::size_t k = 0; k < pieces.size(); ++k) {
    found.masks.add(pieces[k].start, pieces[k].stop);
    if (k + 1 < pieces.size() && pieces[k].label == pieces[k + 1].label) continue;
    found.masks.end_mask();
    found.labels.push_back(pieces[k].label);
  }
  return found;
}

// Object k has the rings up to `object_ends[k]`, ring j the corners up to `ring_ends[j]`.
inline MaskRuns runs_of_polygons(const double* xy, const std::int64_t* ring_ends, const std::int64_t* object_ends,
                                 std::size_t objects, std::int64_t height, std::int64_t width, std::size_t most) {
  MaskRuns found;
  std::vector<std::int64_t> ends;
  std::int64_t ring = 0, corner = 0;
  for (std::size_t k = 0; k < objects; ++k) {
    ends.clear();
    for (std::int64_t j = ring; j < object_ends[k]; ++j) ends.push_back(ring_ends[j] - corner);
    for (const Run& run : Outline(xy + 2 * corner, ends.data(), ends.size(), height, width).runs(most))
      found.add(run.first, run.first + run.length);
    found.end_mask();
    if (object_ends[k] > ring) corner = ring_ends[object_ends[k] - 1];
    ring = object_ends[k];
  }
  return found;
}

}  // namespace softpq
