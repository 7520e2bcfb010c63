// Masks as COCO counts them: how many pixels are outside, inside, outside ... down the columns; as numbers, or as text with
// five bits a character, the difference from the number before the last from the fourth number on.
#pragma once

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <vector>

#include "row_runs.hpp"

namespace softpq {

// Takes numbers one by one; says in words what is wrong with them.
class CocoCounts {
 public:
  explicit CocoCounts(std::int64_t pixels) : pixels_(pixels) {}

  void add(std::int64_t count) {
    if (count < 0) throw std::invalid_argument("has a negative run-length");
    if (count > pixels_ - at_) throw std::invalid_argument("has run-lengths that sum to more than its pixels");
    if (inside_ && count > 0) {
      if (!intervals.empty() && intervals.back().last == at_)
        intervals.back().last += count;
      else
        intervals.push_back({at_, at_ + count});
    }
    at_ += count;
    inside_ = !inside_;
  }

  void finish() const {
    if (at_ != pixels_) throw std::invalid_argument("has run-lengths that sum to less than its pixels");
  }

  std::vector<Interval> intervals;

 private:
  std::int64_t pixels_, at_ = 0;
  bool inside_ = false;
};

inline std::vector<Interval> coco_intervals(const std::int64_t* counts, std::size_t size, std::int64_t pixels) {
  CocoCounts taken(pixels);
  for (std::size_t k = 0; k < size; ++k) taken.add(counts[k]);
  taken.finish();
  return std::move(taken.intervals);
}

inline std::vector<Interval> coco_intervals(const char* text, std::size_t size, std::int64_t pixels) {
  CocoCounts taken(pixels);
  std::int64_t one_back = 0, two_back = 0;
  for (std::size_t at = 0, number = 0; at < size; ++number) {
    std::uint64_t bits = 0;
    bool more = true;
    for (unsigned shift = 0; more; shift += 5) {
      if (at == size) throw std::invalid_argument("has run-lengths that are cut short");
      const int code = static_cast<unsigned char>(text[at++]) - 48;
      if (code < 0 || code > 63) throw std::invalid_argument("has run-lengths with a character outside of the code");
      if (shift > 55) throw std::invalid_argument("has a run-length that is too large");
      bits |= static_cast<std::uint64_t>(code & 31) << shift;
      more = (code & 32) != 0;
      if (!more && (code & 16)) bits |= ~std::uint64_t{0} << (shift + 5);
    }
    auto count = static_cast<std::int64_t>(bits);
    if (number > 2) count += two_back;
    taken.add(count);
    two_back = one_back, one_back = count;
  }
  taken.finish();
  return std::move(taken.intervals);
}

}  // namespace softpq
