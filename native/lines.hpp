// Lines of label images: as they lie in memory, with pixels blanked, and as lists of runs.
//
// Boxes, centroids, pieces and bands need no pixels, only the runs of each line. There are some dozens of them where there
// are thousands of pixels, so what is done with them hardly shows beside finding them, which is reading the image once.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "interrupt.hpp"
#include "runs.hpp"

namespace softpq {

// Chunks of an array with a stride (crops, transposed views) are copied side by side; others are used as they are.
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

// Pixels first..end-1 of a line, which have one label.
template <class Label>
struct Stretch {
  std::size_t first, end;
  Label label;
};

template <class Label>
class LineReader {
 public:
  // Calls body(first, end, label) for the runs of a line, background as well; long ones come in several parts.
  template <class Body>
  void each_run(const Label* line, std::ptrdiff_t stride, std::size_t length, Body body) {
    for (std::size_t at = 0; at < length; at += kChunk)
      runs_of_chunk(gathered(line + static_cast<std::ptrdiff_t>(at) * stride, stride, width(at, length), buffer_), at,
                    width(at, length), body);
  }

  // The same where pixels under `ignore` count as background.
  template <class Body>
  void each_run(const Label* line, std::ptrdiff_t stride, const std::uint8_t* ignore, std::ptrdiff_t ignore_stride,
                std::size_t length, Body body) {
    for (std::size_t at = 0; at < length; at += kChunk) {
      const auto from = static_cast<std::ptrdiff_t>(at);
      const auto* mask = gathered(ignore + from * ignore_stride, ignore_stride, width(at, length), ignore_buffer_);
      runs_of_chunk(blanked(line + from * stride, stride, mask, width(at, length), buffer_), at, width(at, length), body);
    }
  }

  // The runs of objects, each in one part.
  void objects(const Label* line, std::ptrdiff_t stride, std::size_t length, std::vector<Stretch<Label>>& out) {
    out.clear();
    each_run(line, stride, length, [&out](std::size_t first, std::size_t end, Label label) {
      if (label == 0) return;
      if (!out.empty() && out.back().end == first && out.back().label == label) out.back().end = end;
      else out.push_back({first, end, label});
    });
  }

 private:
  static std::size_t width(std::size_t at, std::size_t length) { return std::min(kChunk, length - at); }

  template <class Body>
  void runs_of_chunk(const Label* labels, std::size_t at, std::size_t length, Body body) {
    if ((++chunks_ & 0x3ff) == 0) tick();
    softpq::each_run(length, [&](std::size_t first, std::size_t end) { body(at + first, at + end, labels[first]); }, labels);
  }

  Label buffer_[kChunk];
  std::uint8_t ignore_buffer_[kChunk];
  std::size_t chunks_ = 0;
};

}  // namespace softpq
