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
// Memory. Buckets are indexed by label, but only for labels below four times the number of objects seen so far;
// a label of 2^60 therefore costs one hash entry and not a table. Every thread has its own table; they are merged
// in label order at the end.
//
// No Python here: the header can be tested, fuzzed and sanitised by itself.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "run_on_threads.hpp"

#if (defined(__SSE2__) || defined(_M_X64)) && !defined(SOFTPQ_PORTABLE)
#include <emmintrin.h>
#define SOFTPQ_SSE2 1
#endif

namespace softpq {

inline int lowest_bit(std::uint64_t word) {
#if defined(__GNUC__) || defined(__clang__)
  return __builtin_ctzll(word);
#else
  int position = 0;
  while (!(word & 1)) word >>= 1, ++position;
  return position;
#endif
}

inline int count_bits(std::uint64_t word) {
  word -= (word >> 1) & 0x5555555555555555u;
  word = (word & 0x3333333333333333u) + ((word >> 2) & 0x3333333333333333u);
  word = (word + (word >> 4)) & 0x0f0f0f0f0f0f0f0fu;
  return static_cast<int>((word * 0x0101010101010101u) >> 56);
}

// ---------------------------------------------------------------- 1. where runs start

// Bit i is set where values[i] != values[i + 1], for i in 0..63. Reads 65 values.
template <class Label>
std::uint64_t changes_portable(const Label* values) {
  std::uint64_t mask = 0;
  for (int group = 0; group < 8; ++group) {
    std::uint64_t bytes = 0;
    for (int i = 0; i < 8; ++i)
      bytes |= static_cast<std::uint64_t>(values[8 * group + i] != values[8 * group + i + 1]) << (8 * i);
    mask |= ((bytes * 0x0102040810204080u) >> 56) << (8 * group);  // gathers the low bit of each byte
  }
  return mask;
}

#ifdef SOFTPQ_SSE2
inline __m128i load16(const void* at) { return _mm_loadu_si128(static_cast<const __m128i*>(at)); }

// All bits of a lane are set where the 16 bytes at `values` equal those one label further on.
inline __m128i equal_next(const std::uint8_t* v) { return _mm_cmpeq_epi8(load16(v), load16(v + 1)); }
inline __m128i equal_next(const std::uint16_t* v) { return _mm_cmpeq_epi16(load16(v), load16(v + 1)); }
inline __m128i equal_next(const std::uint32_t* v) { return _mm_cmpeq_epi32(load16(v), load16(v + 1)); }
inline __m128i equal_next(const std::uint64_t* v) {
  const __m128i halves = _mm_cmpeq_epi32(load16(v), load16(v + 1));
  return _mm_and_si128(halves, _mm_shuffle_epi32(halves, _MM_SHUFFLE(2, 3, 0, 1)));
}

// One byte per label for 16 labels: 0xff where a label equals the next.
inline __m128i equal_bytes(const std::uint8_t* v) { return equal_next(v); }
inline __m128i equal_bytes(const std::uint16_t* v) { return _mm_packs_epi16(equal_next(v), equal_next(v + 8)); }
inline __m128i equal_bytes(const std::uint32_t* v) {
  return _mm_packs_epi16(_mm_packs_epi32(equal_next(v), equal_next(v + 4)),
                         _mm_packs_epi32(equal_next(v + 8), equal_next(v + 12)));
}
inline __m128i equal_words(const std::uint64_t* v) {
  return _mm_castps_si128(_mm_shuffle_ps(_mm_castsi128_ps(equal_next(v)), _mm_castsi128_ps(equal_next(v + 2)),
                                         _MM_SHUFFLE(2, 0, 2, 0)));
}
inline __m128i equal_bytes(const std::uint64_t* v) {
  return _mm_packs_epi16(_mm_packs_epi32(equal_words(v), equal_words(v + 4)),
                         _mm_packs_epi32(equal_words(v + 8), equal_words(v + 12)));
}

template <class Truth, class Pred>
std::uint64_t run_ends(const Truth* truth, const Pred* pred) {
  std::uint64_t same = 0;
  for (int i = 0; i < 4; ++i) {
    const __m128i both = _mm_and_si128(equal_bytes(truth + 16 * i), equal_bytes(pred + 16 * i));
    same |= static_cast<std::uint64_t>(static_cast<unsigned>(_mm_movemask_epi8(both))) << (16 * i);
  }
  return ~same;
}
#else
template <class Truth, class Pred>
std::uint64_t run_ends(const Truth* truth, const Pred* pred) {
  return changes_portable(truth) | changes_portable(pred);
}
#endif

constexpr std::size_t kChunk = 1024;  // two of 32-bit labels fit the first-level cache beside the table

// ---------------------------------------------------------------- 2. positions of the starts

using Position = std::uint32_t;
constexpr std::size_t kStartsRoom = kChunk + 16;  // a full chunk, its end, and what is written too much

// Writes offset + i for every set bit i and returns the end of what was written. Positions are written eight at a
// time whether they exist or not; the next call overwrites what was too much.
inline Position* write_bits(std::uint64_t bits, Position offset, Position* out) {
  Position* const end = out + count_bits(bits);
  do {
    for (int i = 0; i < 8; ++i) {
      out[i] = offset + static_cast<Position>(lowest_bit(bits | (std::uint64_t{1} << 63)));
      bits &= bits - 1;
    }
    out += 8;
  } while (bits);
  return end;
}

// Writes the starts of the runs, then the length; returns how many runs there are.
template <class Truth, class Pred>
std::size_t find_runs(const Truth* truth, const Pred* pred, std::size_t length, Position* starts) {
  Position* out = starts;
  *out++ = 0;
  std::size_t i = 0;
  for (; i + 64 < length; i += 64) out = write_bits(run_ends(truth + i, pred + i), static_cast<Position>(i + 1), out);
  const std::size_t left = length - 1 - i;  // comparisons still to make, at most 64
  if (length > 64 && left > 0) {            // the last 64 comparisons, less those made before
    const std::uint64_t bits = run_ends(truth + length - 65, pred + length - 65) >> (64 - left);
    out = write_bits(bits, static_cast<Position>(i + 1), out);
  } else {
    for (; i + 1 < length; ++i) {
      *out = static_cast<Position>(i + 1);
      out += truth[i] != truth[i + 1] || pred[i] != pred[i + 1];
    }
  }
  *out = static_cast<Position>(length);
  return static_cast<std::size_t>(out - starts);
}

// ---------------------------------------------------------------- 3. the table

struct Entry {
  std::uint64_t truth, pred, pixels;
};

inline bool before(const Entry& a, const Entry& b) {
  return a.truth != b.truth ? a.truth < b.truth : a.pred < b.pred;
}

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
  static std::uint64_t mix(std::uint64_t truth, std::uint64_t pred) {
    std::uint64_t hash = truth * 0x9e3779b97f4a7c15u ^ (pred + 0x632be59bd9b4e019u) * 0xd6e8feb86659fd93u;
    hash = (hash ^ (hash >> 32)) * 0xd6e8feb86659fd93u;
    return hash ^ (hash >> 29);
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

// ---------------------------------------------------------------- walking the arrays

// Shape and strides, in elements, of arrays that are walked together: truth, pred and, if any, the ignore mask.
struct Layout {
  struct Axis {
    std::size_t size;
    std::ptrdiff_t stride[3];
  };
  std::vector<Axis> axes;

  std::size_t size() const {
    std::size_t product = 1;
    for (const Axis& axis : axes) product *= axis.size;
    return product;
  }

  // The order of pixels does not matter: put the longest strides first and join axes that are contiguous in all.
  void simplify() {
    axes.erase(std::remove_if(axes.begin(), axes.end(), [](const Axis& axis) { return axis.size == 1; }), axes.end());
    std::stable_sort(axes.begin(), axes.end(), [](const Axis& a, const Axis& b) {
      return magnitude(a.stride[0]) != magnitude(b.stride[0]) ? magnitude(a.stride[0]) > magnitude(b.stride[0])
                                                              : magnitude(a.stride[1]) > magnitude(b.stride[1]);
    });
    std::vector<Axis> joined;
    for (const Axis& axis : axes) {
      if (!joined.empty() && continues(joined.back(), axis)) {
        const std::size_t size = joined.back().size * axis.size;
        joined.back() = axis;
        joined.back().size = size;
      } else {
        joined.push_back(axis);
      }
    }
    if (joined.empty()) joined.push_back(Axis{1, {1, 1, 1}});
    axes.swap(joined);
  }

 private:
  static std::ptrdiff_t magnitude(std::ptrdiff_t stride) { return stride < 0 ? -stride : stride; }
  static bool continues(const Axis& outer, const Axis& inner) {
    for (int k = 0; k < 3; ++k)
      if (outer.stride[k] != inner.stride[k] * static_cast<std::ptrdiff_t>(inner.size)) return false;
    return true;
  }
};

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
    std::uint64_t since_spill = 0;
    while (first < last) {
      const std::size_t column = first % line;
      const std::size_t length = std::min({line - column, last - first, kChunk});
      count_chunk(first / line, column, length);
      first += length;
      since_spill += length;
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
