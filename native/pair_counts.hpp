// The table that runs are added to: step 3 of count_pairs.hpp.
//
// Memory. Buckets are indexed by label, but only for labels below four times the number of objects seen so far;
// a label of 2^60 therefore costs one hash entry and not a table.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

#include "runs.hpp"

namespace softpq {

struct Entry {
  std::uint64_t truth, pred, pixels;
};

inline bool before(const Entry& a, const Entry& b) {
  return a.truth != b.truth ? a.truth < b.truth : a.pred < b.pred;
}

// Both halves of a product.
inline std::uint64_t folded_product(std::uint64_t a, std::uint64_t b) {
#ifdef __SIZEOF_INT128__
  __extension__ typedef unsigned __int128 Wide;
  const Wide product = static_cast<Wide>(a) * b;
  return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
#else
  const std::uint64_t low = 0xffffffffu, a0 = a & low, a1 = a >> 32, b0 = b & low, b1 = b >> 32;
  const std::uint64_t middle = a1 * b0 + (a0 * b0 >> 32), other = a0 * b1 + (middle & low);
  return (a * b) ^ (a1 * b1 + (middle >> 32) + (other >> 32));
#endif
}

// Two numbers that nobody knows beforehand: labels that were made to collide do not.
struct HashKeys {
  std::uint64_t truth, pred;
  static const HashKeys& secret() {
    static const HashKeys keys = [] {
      std::random_device random;
      auto number = [&random] { return (std::uint64_t{random()} << 32) ^ random(); };
      return HashKeys{number() | 1, number() | 1};
    }();
    return keys;
  }
};

// Open addressing with linear probing; an entry with no pixels is free.
class PairHash {
 public:
  // Returns whether the pair is new.
  bool add(std::uint64_t truth, std::uint64_t pred, std::uint64_t pixels) {
    if (2 * (size_ + 1) > slots_.size()) grow();
    Entry& slot = find(truth, pred);
    const bool is_new = slot.pixels == 0;
    if (is_new) slot.truth = truth, slot.pred = pred, ++size_;
    slot.pixels += pixels;
    return is_new;
  }
  std::size_t size() const { return size_; }
  const std::vector<Entry>& slots() const { return slots_; }

 private:
  std::uint64_t mix(std::uint64_t truth, std::uint64_t pred) const {
    return folded_product(folded_product(truth ^ keys_.truth, 0x9e3779b97f4a7c15u) ^ pred, keys_.pred);
  }
  Entry& find(std::uint64_t truth, std::uint64_t pred) {
    const std::size_t mask = slots_.size() - 1;
    std::size_t at = static_cast<std::size_t>(mix(truth, pred)) & mask;
    while (slots_[at].pixels != 0 && (slots_[at].truth != truth || slots_[at].pred != pred)) at = (at + 1) & mask;
    return slots_[at];
  }
  void grow() {
    std::vector<Entry> old(slots_.empty() ? 64 : 2 * slots_.size(), Entry{0, 0, 0});
    old.swap(slots_);
    for (const Entry& entry : old)
      if (entry.pixels) find(entry.truth, entry.pred) = entry;
  }

  HashKeys keys_ = HashKeys::secret();
  std::vector<Entry> slots_;
  std::size_t size_ = 0;
};

// Room for four partners. A key is the partner's label plus one; 0 is a free place.
struct alignas(32) Bucket {
  std::uint32_t key[4];
  std::uint32_t pixels[4];

  // Bit k is set where place k has this key. No branch that depends on the image.
  unsigned places_of(std::uint32_t wanted) const {
#ifdef SOFTPQ_SSE2
    const __m128i keys = _mm_load_si128(reinterpret_cast<const __m128i*>(key));
    const __m128i equal = _mm_cmpeq_epi32(keys, _mm_set1_epi32(static_cast<int>(wanted)));
    return static_cast<unsigned>(_mm_movemask_ps(_mm_castsi128_ps(equal)));
#else
    return (key[0] == wanted) | (key[1] == wanted) << 1 | (key[2] == wanted) << 2 | (key[3] == wanted) << 3;
#endif
  }
};

class PairTable {
 public:
  PairTable(const PairTable&) = delete;
  PairTable& operator=(const PairTable&) = delete;

  static constexpr std::uint64_t kPixelsBeforeSpill = std::uint64_t{1} << 31;

  PairTable() { grow(kSmallest); }

  template <class Truth, class Pred>
  void add(Truth truth, Pred pred, std::uint32_t pixels) {
    const std::uint64_t row = row_of(truth, pred);
    if (row < size_ && fits_key(pred)) {
      Bucket& bucket = first_[row];
      const unsigned places = bucket.places_of(static_cast<std::uint32_t>(pred) + 1);
      if (places) {
        bucket.pixels[lowest_bit(places)] += pixels;
        return;
      }
    }
    add_slowly(row, truth, pred, pixels);
  }

  // Buckets count in 32 bits; whoever adds more than kPixelsBeforeSpill pixels calls this in between.
  void spill() {
    for (std::size_t row = 0; row < rows_.size(); ++row)
      for (int place = 0; place < 4; ++place)
        if (std::uint32_t& pixels = rows_[row].pixels[place]) {
          overflow_.add(row % 2 ? row / 2 : 0, rows_[row].key[place] - std::uint64_t{1}, pixels);
          pixels = 0;
        }
  }

  // All pairs, ordered by truth label, then pred label, each once. The table is empty afterwards.
  std::vector<Entry> take_ordered() {
    std::vector<Entry> direct, rest;
    std::size_t places = 0;
    for (const Bucket& bucket : rows_)
      for (const std::uint32_t pixels : bucket.pixels) places += pixels != 0;
    direct.reserve(places);
    append_rows(0, direct);
    append_rows(1, direct);
    std::vector<Bucket>().swap(rows_);
    grow(kSmallest);
    if (overflow_.size() == 0) return direct;
    rest.reserve(overflow_.size());
    for (const Entry& entry : overflow_.slots())
      if (entry.pixels) rest.push_back(entry);
    overflow_ = PairHash();
    std::sort(rest.begin(), rest.end(), before);
    return merge(direct, rest);
  }

  static std::vector<Entry> merge(const std::vector<Entry>& a, const std::vector<Entry>& b) {
    std::vector<Entry> all;
    all.reserve(a.size() + b.size());
    auto push = [&all](const Entry& entry) {
      if (!all.empty() && all.back().truth == entry.truth && all.back().pred == entry.pred)
        all.back().pixels += entry.pixels;
      else
        all.push_back(entry);
    };
    auto left = a.begin(), right = b.begin();
    while (left != a.end() && right != b.end()) push(before(*right, *left) ? *right++ : *left++);
    while (left != a.end()) push(*left++);
    while (right != b.end()) push(*right++);
    return all;
  }

 private:
  static constexpr std::size_t kSmallest = 1024;

  // Truth objects own the odd rows; the even ones belong to predictions on background. Whether truth is background
  // changes from run to run, so this must not become a branch: compilers like to make one of anything simpler.
  template <class Truth, class Pred>
  static std::uint64_t row_of(Truth truth, Pred pred) {
    const std::uint64_t object = limited(truth);
    const auto mask = static_cast<std::uint64_t>(static_cast<std::int64_t>(object - 1) >> 63);  // ones if it is 0
    return 2 * (object | (limited(pred) & mask)) + 1 + mask;
  }
  template <class Label>
  static std::uint64_t limited(Label label) {
    return sizeof(Label) < 8 ? label : std::min<std::uint64_t>(label, std::uint64_t{1} << 62);
  }
  template <class Label>
  static bool fits_key(Label label) {
    return sizeof(Label) < 4 || label < 0xffffffffu;
  }

  void add_slowly(std::uint64_t row, std::uint64_t truth, std::uint64_t pred, std::uint32_t pixels) {
    if (row >= rows_.size() && row < 4 * (seen_ + kSmallest)) {
      std::size_t size = rows_.size();
      while (size <= row) size *= 2;
      grow(size);
    }
    if (row >= rows_.size() || !fits_key(pred))
      seen_ += overflow_.add(truth, pred, pixels);  // counts a label once per partner: an upper bound
    else if (!start_place(rows_[row], pred, pixels))
      overflow_.add(truth, pred, pixels);
  }

  void grow(std::size_t size) {
    rows_.resize(size, Bucket{});
    first_ = rows_.data();
    size_ = size;
  }

  bool start_place(Bucket& bucket, std::uint64_t pred, std::uint32_t pixels) {
    for (int place = 0; place < 4; ++place)
      if (bucket.key[place] == 0) {
        seen_ += place == 0;
        bucket.key[place] = static_cast<std::uint32_t>(pred) + 1;
        bucket.pixels[place] = pixels;
        return true;
      }
    return false;
  }

  void append_rows(std::size_t first_row, std::vector<Entry>& out) const {
    for (std::size_t row = first_row; row < rows_.size(); row += 2) {
      const std::size_t first = out.size();
      const std::uint64_t truth = row % 2 ? row / 2 : 0;
      for (int place = 0; place < 4; ++place)
        if (rows_[row].pixels[place])
          out.push_back(Entry{truth, rows_[row].key[place] - std::uint64_t{1}, rows_[row].pixels[place]});
      std::sort(out.begin() + static_cast<std::ptrdiff_t>(first), out.end(), before);
    }
  }

  std::vector<Bucket> rows_;
  Bucket* first_ = nullptr;  // of rows_, at hand for the hot path
  std::size_t size_ = 0;
  std::size_t seen_ = 0;
  PairHash overflow_;
};

}  // namespace softpq
