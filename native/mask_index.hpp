// The runs of many masks by where they lie: the image is cut into buckets, a few runs each, so that what shares pixels with
// a run is found without looking at anything else.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <vector>

#include "interrupt.hpp"

namespace softpq {

// Runs that somebody else owns.
struct RunsView {
  const std::int64_t *offsets, *starts, *stops;
  std::size_t masks;
  std::size_t runs() const { return static_cast<std::size_t>(offsets[masks]); }
};

// Buckets of 2 to this many pixels suit these runs: most runs lie in one, and there are not many more buckets than runs.
inline int bucket_bits(const RunsView& one, const RunsView& other, std::int64_t pixels) {
  std::int64_t runs = 0, inside = 0;
  for (const RunsView* view : {&one, &other}) {
    runs += static_cast<std::int64_t>(view->runs());
    for (std::size_t k = 0; k < view->runs(); ++k) inside += view->stops[k] - view->starts[k];
  }
  const std::int64_t wanted = std::max(2 * (inside / std::max<std::int64_t>(runs, 1)), pixels / (2 * runs + 1024));
  int bits = 6;
  while (bits < 31 && (std::int64_t{1} << bits) < wanted) ++bits;
  return bits;
}

constexpr int kMostShortBits = 15;  // up to here places in a bucket fit into 16 bits

// Place is the type of a position in a bucket.
template <class Place>
class BucketIndex {
 public:
  struct Part {
    Place start, stop;
    std::uint32_t mask;
  };

  BucketIndex(const RunsView& view, std::int64_t pixels, int bits) : bits_(bits) {
    first_.assign(static_cast<std::size_t>(pixels >> bits) + 2, 0);
    std::size_t parts = 0;
    for_each_part(view, [&](std::size_t bucket, const Part&) { ++first_[bucket + 1], ++parts; });
    if (parts >> 32) throw std::length_error("masks have too many runs");
    for (std::size_t k = 1; k < first_.size(); ++k) first_[k] += first_[k - 1];
    parts_.resize(parts);
    for_each_part(view, [&](std::size_t bucket, const Part& part) { parts_[first_[bucket]++] = part; });
    for (std::size_t k = first_.size() - 1; k > 0; --k) first_[k] = first_[k - 1];  // each had moved to the next
    first_[0] = 0;
    reach_.resize(parts);
    for (std::size_t bucket = 0; bucket < buckets(); ++bucket) arrange(first_[bucket], first_[bucket + 1]);
  }

  std::size_t buckets() const { return first_.size() - 1; }
  const Part* begin(std::size_t bucket) const { return parts_.data() + first_[bucket]; }
  const Part* end(std::size_t bucket) const { return parts_.data() + first_[bucket + 1]; }

  // Calls body(mask, shared pixels) for everything that shares pixels with [start, stop).
  template <class Body>
  void for_each_shared(std::int64_t start, std::int64_t stop, Body body) const {
    const std::int64_t length = std::int64_t{1} << bits_;
    for (std::int64_t base = start >> bits_ << bits_; base < stop; base += length) {
      const auto from = static_cast<Place>(std::max<std::int64_t>(start - base, 0));
      const auto to = static_cast<Place>(std::min(stop - base, length));
      const auto bucket = static_cast<std::size_t>(base >> bits_);
      std::size_t k = first_[bucket];
      const std::size_t last = first_[bucket + 1];
      if (last - k > kFew)
        k = static_cast<std::size_t>(std::partition_point(reach_.data() + k, reach_.data() + last,
                                                          [from](Place reach) { return reach <= from; }) - reach_.data());
      for (; k < last && parts_[k].start < to; ++k)
        if (parts_[k].stop > from)
          body(parts_[k].mask, static_cast<std::uint32_t>(std::min(parts_[k].stop, to) - std::max(parts_[k].start, from)));
    }
  }

 private:
  static constexpr std::size_t kFew = 12;

  template <class Body>
  void for_each_part(const RunsView& view, Body body) const {
    const std::int64_t length = std::int64_t{1} << bits_;
    for (std::size_t mask = 0; mask < view.masks; ++mask) {
      if ((mask & 0xff) == 0) tick();
      for (std::int64_t k = view.offsets[mask]; k < view.offsets[mask + 1]; ++k)
        for (std::int64_t at = view.starts[k]; at < view.stops[k];) {
          const std::int64_t base = at >> bits_ << bits_, stop = std::min(view.stops[k], base + length);
          body(static_cast<std::size_t>(base >> bits_),
               Part{static_cast<Place>(at - base), static_cast<Place>(stop - base), static_cast<std::uint32_t>(mask)});
          at = stop;
        }
    }
  }

  // By where they start; `reach_` is the largest stop so far.
  void arrange(std::size_t begin, std::size_t end) {
    if (end - begin > kFew) {
      std::sort(parts_.begin() + static_cast<std::ptrdiff_t>(begin), parts_.begin() + static_cast<std::ptrdiff_t>(end),
                [](const Part& a, const Part& b) { return a.start < b.start; });
    } else {
      for (std::size_t k = begin + 1; k < end; ++k) {
        const Part part = parts_[k];
        std::size_t to = k;
        for (; to > begin && parts_[to - 1].start > part.start; --to) parts_[to] = parts_[to - 1];
        parts_[to] = part;
      }
    }
    Place reach = 0;
    for (std::size_t k = begin; k < end; ++k) reach_[k] = reach = std::max(reach, parts_[k].stop);
  }

  int bits_;
  std::vector<std::uint32_t> first_;
  std::vector<Part> parts_;
  std::vector<Place> reach_;
};

// Calls body with an index of `view` that has the smaller type of places where it can.
template <class Body>
auto with_place(int bits, Body body) {
  return bits <= kMostShortBits ? body(std::uint16_t{}) : body(std::uint32_t{});
}

}  // namespace softpq
