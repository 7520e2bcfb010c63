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
//
// Nearly all labels have 32 bits or fewer. Two of them are one word: one multiplication finds its place, one comparison
// tells it from others, and two thirds of the memory is moved when noise is sorted. Wider labels have a log of their own.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "large.hpp"

namespace softpq {

struct Entry {
  std::uint64_t truth, pred, pixels;

  static constexpr std::array<std::uint64_t Entry::*, 2> words();  // in the order in which they count
};
constexpr std::array<std::uint64_t Entry::*, 2> Entry::words() { return {&Entry::truth, &Entry::pred}; }

inline bool before(const Entry& a, const Entry& b) {
  return a.truth != b.truth ? a.truth < b.truth : a.pred < b.pred;
}
inline bool same_pair(const Entry& a, const Entry& b) { return a.truth == b.truth && a.pred == b.pred; }

// The same of labels below 2^32: truth is in the upper half of the word.
struct PackedEntry {
  std::uint64_t pair, pixels;

  Entry unpacked() const { return {pair >> 32, pair & 0xffffffffu, pixels}; }
  static constexpr std::array<std::uint64_t PackedEntry::*, 1> words();
};
constexpr std::array<std::uint64_t PackedEntry::*, 1> PackedEntry::words() { return {&PackedEntry::pair}; }

inline bool before(const PackedEntry& a, const PackedEntry& b) { return a.pair < b.pair; }
inline bool same_pair(const PackedEntry& a, const PackedEntry& b) { return a.pair == b.pair; }

// ---------------------------------------------------------------- order
//
// Noise sends every pixel through the log, so sorting has to be fast where nothing else is. Entries are dealt by the highest
// bits in which their labels differ into piles that fit the second-level cache; a pile is sorted byte by byte, from the
// lowest that differs. What has too many such bytes, or does not fall apart, is left to std::sort.

// Bits in which the words of entries differ.
template <class Item>
struct Varying {
  std::array<std::uint64_t, Item::words().size()> bits{};
  Varying(const Item* first, std::size_t size) {
    for (const Item* item = first; item != first + size; ++item)
      for (std::size_t k = 0; k < bits.size(); ++k) bits[k] |= item->*Item::words()[k] ^ first->*Item::words()[k];
  }
  int bytes() const {
    int count = 0;
    for (const std::uint64_t word : bits)
      for (int shift = 0; shift < 64; shift += 8) count += (word >> shift & 0xff) != 0;
    return count;
  }
};

// Two rooms of one size that entries move between: they are in `here`, and should end in one of them.
template <class Item>
struct TwoRooms {
  Item *here, *there;
  std::size_t size;
  bool end_there;

  // Deals by some bits of a word, without changing the order of those that are equal there; returns where the piles end.
  std::vector<std::size_t> deal(std::uint64_t Item::*word, int shift, int bits) {
    const std::uint64_t mask = (std::uint64_t{1} << bits) - 1;
    std::vector<std::size_t> ends((std::size_t{1} << bits) + 1, 0);
    for (std::size_t k = 0; k < size; ++k) ++ends[(here[k].*word >> shift & mask) + 1];
    for (std::size_t pile = 1; pile < ends.size(); ++pile) ends[pile] += ends[pile - 1];
    for (std::size_t k = 0; k < size; ++k) there[ends[here[k].*word >> shift & mask]++] = here[k];
    ends.pop_back();
    std::swap(here, there), end_there = !end_there;
    return ends;
  }
  void finish() {
    if (end_there) std::copy(here, here + size, there);
  }
};

template <class Item>
void sort_pile(TwoRooms<Item> rooms, const Varying<Item>& varying) {
  for (std::size_t k = varying.bits.size(); k-- > 0;)
    for (int shift = 0; shift < 64; shift += 8)
      if (varying.bits[k] >> shift & 0xff) rooms.deal(Item::words()[k], shift, 8);
  rooms.finish();
}

inline int highest_bit(std::uint64_t word) {
  int bit = -1;
  for (; word; word >>= 1) ++bit;
  return bit;
}

template <class Item>
void sort_in(TwoRooms<Item> rooms, int deals = 3) {
  constexpr std::size_t kFew = 64, kPile = std::size_t{1} << 15;
  const Varying<Item> varying(rooms.here, rooms.size);
  if (rooms.size > kFew && rooms.size <= kPile && varying.bytes() <= 6) return sort_pile(rooms, varying);
  if (rooms.size <= kPile || deals == 0) {
    std::sort(rooms.here, rooms.here + rooms.size, [](const Item& a, const Item& b) { return before(a, b); });
    return rooms.finish();
  }
  std::size_t first = 0;
  while (first + 1 < varying.bits.size() && varying.bits[first] == 0) ++first;
  const int top = highest_bit(varying.bits[first]) + 1;
  const int bits = std::min({top, 11, highest_bit(rooms.size / kPile) + 2});
  const std::vector<std::size_t> ends = rooms.deal(Item::words()[first], top - bits, bits);
  std::size_t start = 0;
  for (const std::size_t end : ends) {
    if (end > start) sort_in<Item>({rooms.here + start, rooms.there + start, end - start, rooms.end_there}, deals - 1);
    start = end;
  }
}

template <class Item>
void sort_entries(Large<Item>& entries) {
  const auto earlier = [](const Item& a, const Item& b) { return before(a, b); };
  if (std::is_sorted(entries.begin(), entries.end(), earlier)) return;
  if (entries.size() < 512) return std::sort(entries.begin(), entries.end(), earlier);
  Large<Item> room(entries.size());
  sort_in<Item>({entries.data(), room.data(), entries.size(), false});
}

// Sums neighbours that are the same pair.
template <class Item>
void sum_equal(Large<Item>& entries) {
  std::size_t kept = 0;
  for (const Item& entry : entries)
    if (kept > 0 && same_pair(entries[kept - 1], entry)) entries[kept - 1].pixels += entry.pixels;
    else entries[kept++] = entry;
  entries.resize(kept);
}

// Sorts and sums entries that may come in any order and more than once.
template <class Item>
Large<Item> in_order(Large<Item> entries) {
  sort_entries(entries);
  sum_equal(entries);
  return entries;
}

// The pairs of two lists, each in order and without repetition.
template <class Item>
Large<Item> merged(const Large<Item>& a, const Large<Item>& b) {
  Large<Item> all(a.size() + b.size());
  std::merge(a.begin(), a.end(), b.begin(), b.end(), all.begin(), [](const Item& x, const Item& y) { return before(x, y); });
  sum_equal(all);
  return all;
}

// ---------------------------------------------------------------- the table

// Entries as they come; sorted and summed now and then.
template <class Item>
class Log {
 public:
  void write(const Item& entry) {
    if (log_.size() == log_.capacity()) make_room();
    log_.push_back(entry);
  }
  // All of them in order, each pair once. The log is empty afterwards.
  Large<Item> take_ordered() {
    settle();
    return std::exchange(settled_, {});
  }

 private:
  static constexpr std::size_t kShortest = std::size_t{1} << 17;

  // The log grows up to three times what is settled: most entries are then merged once or twice.
  void make_room() {
    const std::size_t most = std::max(kShortest, 3 * settled_.size());
    if (log_.size() >= most) settle();
    log_.reserve(std::min(most, std::max<std::size_t>(64, 4 * log_.size())));
  }
  void settle() {
    Large<Item> logged = in_order(std::exchange(log_, {}));
    settled_ = settled_.empty() ? std::move(logged) : merged(settled_, logged);
  }

  Large<Item> log_, settled_;
};

class PairTable {
 public:
  // For an image of so many pixels: small ones are not worth a large cache.
  explicit PairTable(std::size_t pixels) : shift_(64 - bits_for(pixels)), cache_(std::size_t{1} << (64 - shift_)) {}
  PairTable(const PairTable&) = delete;
  PairTable& operator=(const PairTable&) = delete;

  void add(std::uint64_t truth, std::uint64_t pred, std::uint64_t pixels) {
    if ((truth | pred) >> 32) return add_wide({truth, pred, pixels});
    const std::uint64_t pair = truth << 32 | pred;
    PackedEntry& place = cache_[static_cast<std::size_t>(pair * kSpread >> shift_)];
    if (place.pair == pair) {
      place.pixels += pixels;
      return;
    }
    push_out(place, {pair, pixels});
  }

  // All pairs, ordered by truth label, then pred label, each once. The table is empty afterwards.
  Large<Entry> take_ordered() {
    for (PackedEntry& place : cache_) {
      if (place.pixels) log_.write(place);
      place = {0, 0};
    }
    for (Entry& place : wide_cache_) {
      if (place.pixels) wide_log_.write(place);
      place = {0, 0, 0};
    }
    const Large<PackedEntry> packed = log_.take_ordered();
    Large<Entry> entries(packed.size());
    std::transform(packed.begin(), packed.end(), entries.begin(), [](const PackedEntry& entry) { return entry.unpacked(); });
    const Large<Entry> wide = wide_log_.take_ordered();
    return wide.empty() ? entries : merged(entries, wide);
  }

 private:
  // The two numbers of the golden ratio, each as far as it is needed: the upper half is pred's, the lower one truth's.
  static constexpr std::uint64_t kTruth = 0xc13fa9a902a6328fu, kPred = 0x91e10da5c79e7b1du;
  static constexpr std::uint64_t kSpread = (kPred & 0xffffffff00000000u) | kTruth >> 32;

  static int bits_for(std::size_t pixels) {
    int bits = 5;
    while (bits < 12 && pixels >> (bits + 4)) ++bits;
    return bits;
  }

  void push_out(PackedEntry& place, PackedEntry entry) {
    if (place.pixels) log_.write(place);
    place = entry;
  }
  void add_wide(const Entry& entry) {
    if (wide_cache_.empty()) wide_cache_.resize(cache_.size());
    Entry& place = wide_cache_[static_cast<std::size_t>((entry.truth * kTruth + entry.pred * kPred) >> shift_)];
    if (place.pixels && !same_pair(place, entry)) wide_log_.write(std::exchange(place, Entry{0, 0, 0}));
    place = {entry.truth, entry.pred, place.pixels + entry.pixels};
  }

  int shift_;
  std::vector<PackedEntry> cache_;  // what has no pixels is free
  std::vector<Entry> wide_cache_;
  Log<PackedEntry> log_;
  Log<Entry> wide_log_;
};

}  // namespace softpq
