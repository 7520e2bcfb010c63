// Masks as COCO counts them: how many pixels are outside, inside, outside ... down the columns; as numbers, or as text with
// five bits a character, the difference from the number before the last from the fourth number on.
#pragma once

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <vector>

#include "row_runs.hpp"

namespace softpq {

// Runs of masks, one after the other, down the columns.
struct ColumnRuns {
  std::vector<std::int64_t> starts, stops;

  void add(const std::vector<Interval>& intervals) {
    for (const Interval& one : intervals) starts.push_back(one.first), stops.push_back(one.last);
  }
  std::vector<Interval> intervals(std::size_t first, std::size_t last) const {
    std::vector<Interval> found;
    for (std::size_t k = first; k < last; ++k) found.push_back({starts[k], stops[k]});
    return found;
  }
};

// Takes the numbers of one mask one by one; says in words what is wrong with them.
class CocoCounts {
 public:
  CocoCounts(std::int64_t pixels, ColumnRuns& into) : pixels_(pixels), into_(into), first_(into.starts.size()) {}

  void add(std::int64_t count) {
    if (count < 0) throw std::invalid_argument("has a negative run-length");
    if (count > pixels_ - at_) throw std::invalid_argument("has run-lengths that sum to more than its pixels");
    if (inside_ && count > 0) {
      if (into_.stops.size() > first_ && into_.stops.back() == at_)
        into_.stops.back() += count;
      else
        into_.starts.push_back(at_), into_.stops.push_back(at_ + count);
    }
    at_ += count;
    inside_ = !inside_;
  }

  void finish() const {
    if (at_ != pixels_) throw std::invalid_argument("has run-lengths that sum to less than its pixels");
  }

 private:
  std::int64_t pixels_, at_ = 0;
  ColumnRuns& into_;
  std::size_t first_;
  bool inside_ = false;
};

inline void add_counts(const std::int64_t* counts, std::size_t size, std::int64_t pixels, ColumnRuns& into) {
  CocoCounts taken(pixels, into);
  if (std::any_of(counts, counts + size, [](std::int64_t count) { return count < 0; })) taken.add(-1);
  for (std::size_t k = 0; k < size; ++k) taken.add(counts[k]);
  taken.finish();
}

// One number of the text; `at` moves behind it. Most have one or two characters, which is not to be foreseen: no branch.
inline std::int64_t coco_number(const char* text, std::size_t size, std::size_t& at) {
  if (at + 2 <= size) {
    const unsigned one = static_cast<unsigned char>(text[at]) - 48u, two = static_cast<unsigned char>(text[at + 1]) - 48u;
    const unsigned more = (one >> 5) & 1u;
    if (one < 64 && two < 64 && !(more & (two >> 5))) {
      at += 1 + more;
      const unsigned last = more ? two : one;
      const std::int64_t value = (one & 31u) | ((two & 31u) << 5) * more;
      return value - (static_cast<std::int64_t>((last >> 4) & 1u) << (5 + 5 * more));
    }
  }
  std::uint64_t bits = 0;
  for (unsigned shift = 0;; shift += 5) {
    if (at == size) throw std::invalid_argument("has run-lengths that are cut short");
    const unsigned code = static_cast<unsigned char>(text[at++]) - 48u;
    if (code > 63) throw std::invalid_argument("has run-lengths with a character outside of the code");
    if (shift > 55) throw std::invalid_argument("has a run-length that is too large");
    bits |= static_cast<std::uint64_t>(code & 31) << shift;
    if (code & 32) continue;
    if (code & 16) bits |= ~std::uint64_t{0} << (shift + 5);
    return static_cast<std::int64_t>(bits);
  }
}

inline void add_text(const char* text, std::size_t size, std::int64_t pixels, ColumnRuns& into) {
  CocoCounts taken(pixels, into);
  std::int64_t one_back = 0, two_back = 0;
  for (std::size_t at = 0, number = 0; at < size; ++number) {
    std::int64_t count = coco_number(text, size, at);
    if (number > 2) count += two_back;
    taken.add(count);
    two_back = one_back, one_back = count;
  }
  taken.finish();
}

}  // namespace softpq
