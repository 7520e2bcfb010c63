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
#include <memory>
#include <utility>
#include <vector>

namespace softpq {

struct Entry {
  std::uint64_t truth, pred, pixels;
};

inline bool before(const Entry& a, const Entry& b) {
  return a.truth != b.truth ? a.truth < b.truth : a.pred < b.pred;
}

// ---------------------------------------------------------------- order
//
// Noise sends every pixel through the log, so sorting has to be fast where nothing else is. Entries are dealt by the highest
// bits in which their labels differ into piles that fit the second-level cache; a pile is sorted byte by byte, from the
// lowest that differs. What has too many such bytes, or does not fall apart, is left to std::sort.

using EntrySpan = std::pair<Entry*, Entry*>;

// Bits in which the labels of entries differ.
struct Varying {
  std::uint64_t truth = 0, pred = 0;
  explicit Varying(EntrySpan span) {
    for (const Entry* entry = span.first; entry != span.second; ++entry)
      truth |= entry->truth ^ span.first->truth, pred |= entry->pred ^ span.first->pred;
  }
  int bytes() const {
    int count = 0;
    for (int shift = 0; shift < 64; shift += 8) count += (truth >> shift & 0xff) != 0, count += (pred >> shift & 0xff) != 0;
    return count;
  }
};

// Deals entries by some bits of a label, without changing the order of those that are equal there; returns where the piles
// end.
inline std::vector<std::size_t> deal(EntrySpan from, Entry* to, std::uint64_t Entry::*label, int shift, int bits) {
  const std::uint64_t mask = (std::uint64_t{1} << bits) - 1;
  std::vector<std::size_t> ends((std::size_t{1} << bits) + 1, 0);
  for (const Entry* entry = from.first; entry != from.second; ++entry) ++ends[(entry->*label >> shift & mask) + 1];
  for (std::size_t pile = 1; pile < ends.size(); ++pile) ends[pile] += ends[pile - 1];
  for (const Entry* entry = from.first; entry != from.second; ++entry) to[ends[entry->*label >> shift & mask]++] = *entry;
  ends.pop_back();
  return ends;
}

// Two rooms of one size that entries move between: they are in `here`, and should end in one of them.
struct TwoRooms {
  Entry *here, *there;
  std::size_t size;
  bool end_there;

  EntrySpan span() const { return {here, here + size}; }
  void move() { std::swap(here, there), end_there = !end_there; }
  void finish() {
    if (end_there) std::copy(here, here + size, there);
  }
};

inline void sort_pile(TwoRooms rooms, const Varying& varying) {
  for (auto [label, bits] : {std::pair(&Entry::pred, varying.pred), std::pair(&Entry::truth, varying.truth)})
    for (int shift = 0; shift < 64; shift += 8)
      if (bits >> shift & 0xff) {
        deal(rooms.span(), rooms.there, label, shift, 8);
        rooms.move();
      }
  rooms.finish();
}

inline int highest_bit(std::uint64_t word) {
  int bit = -1;
  for (; word; word >>= 1) ++bit;
  return bit;
}

// By truth label, then pred label.
inline void sort_in(TwoRooms rooms, int deals = 3) {
  constexpr std::size_t kFew = 64, kPile = std::size_t{1} << 13;
  const EntrySpan span = rooms.span();
  const Varying varying(span);
  if (rooms.size > kFew && rooms.size <= kPile && varying.bytes() <= 6) return sort_pile(rooms, varying);
  if (rooms.size <= kPile || deals == 0) {
    std::sort(span.first, span.second, before);
    return rooms.finish();
  }
  const auto label = varying.truth ? &Entry::truth : &Entry::pred;
  const int top = highest_bit(varying.truth ? varying.truth : varying.pred) + 1;
  const int bits = std::min({top, 11, highest_bit(rooms.size / kPile) + 2});
  const std::vector<std::size_t> ends = deal(span, rooms.there, label, top - bits, bits);
  std::size_t start = 0;
  for (const std::size_t end : ends) {
    if (end > start)
      sort_in({rooms.there + start, rooms.here + start, end - start, !rooms.end_there}, deals - 1);
    start = end;
  }
}

inline void sort_entries(std::vector<Entry>& entries) {
  if (std::is_sorted(entries.begin(), entries.end(), before)) return;
  if (entries.size() < 512) return std::sort(entries.begin(), entries.end(), before);
  const std::unique_ptr<Entry[]> room(new Entry[entries.size()]);
  sort_in({entries.data(), room.get(), entries.size(), false});
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
    if (log_.size() == log_.capacity()) make_room();
    log_.push_back(entry);
  }
  // The log grows up to three times what is settled: most entries are then merged once or twice.
  void make_room() {
    const std::size_t most = std::max(kShortest, 3 * settled_.size());
    if (log_.size() >= most) settle();
    log_.reserve(std::min(most, std::max<std::size_t>(64, 4 * log_.size())));
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
