// The table that runs are added to: step 3 of count_pairs.hpp. A small cache in front of a long log.
//
// Runs of one pair come again line after line while few others come in between. So the pairs at hand are kept in a cache,
// where adding a run is one comparison and one addition; a pair that has to make room is written to the log, and at the
// end, or when the log has become long, equal entries of it are sorted side by side and summed. Nothing is looked up in
// a large table, whatever the labels are: dense, sparse, of 64 bits. Where every pixel is a pair of its own (noise), all
// of them go through the log; labels that were made to collide in the cache can do no worse.
//
// Where in the cache. A line meets labels that were given one after the other, in truth and in pred. Multiples of the two
// numbers below fill an interval as evenly as points in two dimensions can (the generalised golden ratio): neighbours get
// places of their own, and a third to a quarter as many pairs are pushed out as by a random hash. Measured on cells,
// tissue, histology, bacteria and sparse labels of 8 to 64 bits against buckets by label with a hash behind them: as fast
// on dense labels of 16 and 32 bits, up to twice as fast on all others. More places, or two places for each pair, bring
// nothing.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace softpq {

struct Entry {
  std::uint64_t truth, pred, pixels;
};

inline bool before(const Entry& a, const Entry& b) {
  return a.truth != b.truth ? a.truth < b.truth : a.pred < b.pred;
}

// Sorts by one byte of one label; what is equal stays in order.
inline void sort_by_byte(std::vector<Entry>& entries, std::vector<Entry>& room, std::uint64_t Entry::*label, int shift) {
  std::size_t starts[257] = {0};
  for (const Entry& entry : entries) ++starts[(entry.*label >> shift & 0xff) + 1];
  for (int byte = 0; byte < 256; ++byte) starts[byte + 1] += starts[byte];
  for (const Entry& entry : entries) room[starts[entry.*label >> shift & 0xff]++] = entry;
  entries.swap(room);
}

inline int bytes_in(std::uint64_t word) {
  int count = 0;
  for (; word; word >>= 8) count += (word & 0xff) != 0;
  return count;
}

// By truth label, then pred label. Byte by byte, while labels have few of them and everything stays in the caches.
inline void sort_entries(std::vector<Entry>& entries) {
  if (std::is_sorted(entries.begin(), entries.end(), before)) return;
  std::uint64_t truth = 0, pred = 0;
  for (const Entry& entry : entries) truth |= entry.truth, pred |= entry.pred;
  if (entries.size() < 512 || entries.size() > std::size_t{1} << 19 || bytes_in(truth) + bytes_in(pred) > 6)
    return std::sort(entries.begin(), entries.end(), before);
  std::vector<Entry> room(entries.size());
  for (int shift = 0; shift < 64; shift += 8)
    if (pred >> shift & 0xff) sort_by_byte(entries, room, &Entry::pred, shift);
  for (int shift = 0; shift < 64; shift += 8)
    if (truth >> shift & 0xff) sort_by_byte(entries, room, &Entry::truth, shift);
}

// Sums neighbours that are the same pair.
inline void sum_equal(std::vector<Entry>& entries) {
  std::size_t kept = 0;
  for (const Entry& entry : entries)
    if (kept > 0 && entries[kept - 1].truth == entry.truth && entries[kept - 1].pred == entry.pred)
      entries[kept - 1].pixels += entry.pixels;
    else
      entries[kept++] = entry;
  entries.resize(kept);
}

// Sorts and sums entries that may come in any order and more than once.
inline std::vector<Entry> in_order(std::vector<Entry> entries) {
  sort_entries(entries);
  sum_equal(entries);
  return entries;
}

// The pairs of two lists, each in order and without repetition.
inline std::vector<Entry> merged(const std::vector<Entry>& a, const std::vector<Entry>& b) {
  std::vector<Entry> all(a.size() + b.size());
  std::merge(a.begin(), a.end(), b.begin(), b.end(), all.begin(), before);
  sum_equal(all);
  return all;
}

class PairTable {
 public:
  // For an image of so many pixels: small ones are not worth a large cache.
  explicit PairTable(std::size_t pixels) : shift_(64 - bits_for(pixels)), cache_(std::size_t{1} << (64 - shift_)) {}
  PairTable(const PairTable&) = delete;
  PairTable& operator=(const PairTable&) = delete;

  void add(std::uint64_t truth, std::uint64_t pred, std::uint64_t pixels) {
    Entry& place = cache_[static_cast<std::size_t>((truth * 0xc13fa9a902a6328fu + pred * 0x91e10da5c79e7b1du) >> shift_)];
    if (place.truth == truth && place.pred == pred) {
      place.pixels += pixels;
      return;
    }
    if (place.pixels) write(place);
    place = Entry{truth, pred, pixels};
  }

  // All pairs, ordered by truth label, then pred label, each once. The table is empty afterwards.
  std::vector<Entry> take_ordered() {
    for (Entry& place : cache_) {
      if (place.pixels) log_.push_back(place);
      place = Entry{0, 0, 0};
    }
    settle();
    return std::exchange(settled_, {});
  }

 private:
  static constexpr std::size_t kShortest = std::size_t{1} << 17;

  static int bits_for(std::size_t pixels) {
    int bits = 5;
    while (bits < 12 && pixels >> (bits + 4)) ++bits;
    return bits;
  }

  void write(const Entry& entry) {
    if (log_.size() >= std::max(kShortest, settled_.size())) settle();
    log_.push_back(entry);
  }
  void settle() {
    std::vector<Entry> logged = in_order(std::exchange(log_, {}));
    settled_ = settled_.empty() ? std::move(logged) : merged(settled_, logged);
  }

  int shift_;
  std::vector<Entry> cache_;  // what has no pixels is free
  std::vector<Entry> log_, settled_;
};

}  // namespace softpq
