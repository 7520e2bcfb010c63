// The boundary band of every object at once: pixels that have another label, or the image's border, within reach.
//
// Reach is a box: so many pixels along each axis (the chessboard distance, as eroding with a 3 x 3 square does it).
// A box is separable. Along one axis, a pixel is inside if the run of its label goes on for the whole reach to both
// sides; the next axis looks at runs of inside pixels only. So every axis is one pass over lines, whatever the number
// of objects and the reach, and touching objects are each other's outside.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "run_on_threads.hpp"

namespace softpq {

// Clears what is within reach of either end of each run of equal labels on one line.
template <class Label>
void erode_line(const Label* labels, std::uint8_t* inside, std::size_t length, std::size_t step, std::size_t reach) {
  std::size_t first = 0;
  while (first < length) {
    std::size_t end = first + 1;
    const bool was_inside = inside[first * step] != 0;
    while (was_inside && end < length && inside[end * step] && labels[end * step] == labels[first * step]) ++end;
    if (was_inside) {
      for (std::size_t i = first; i < std::min(first + reach, end); ++i) inside[i * step] = 0;
      for (std::size_t i = std::max(first, end - std::min(reach, end)); i < end; ++i) inside[i * step] = 0;
    }
    first = end;
  }
}

// 1 for pixels in the band of their object, 0 inside of objects and on background. `labels` is contiguous.
template <class Label>
std::vector<std::uint8_t> boundary_bands(const Label* labels, const std::vector<std::size_t>& shape,
                                         const std::vector<std::size_t>& reach, std::size_t threads) {
  std::size_t size = 1;
  for (const std::size_t extent : shape) size *= extent;
  std::vector<std::uint8_t> inside(size, 1);
  if (size == 0) return inside;
  std::size_t step = 1;
  for (std::size_t axis = shape.size(); axis-- > 0; step *= shape[axis]) {
    const std::size_t lines = size / shape[axis], workers = std::max<std::size_t>(1, std::min(threads, lines));
    run_on_threads(workers, [&, step](std::size_t k) {
      for (std::size_t line = lines * k / workers; line < lines * (k + 1) / workers; ++line) {
        const std::size_t start = line / step * step * shape[axis] + line % step;
        erode_line(labels + start, inside.data() + start, shape[axis], step, reach[axis]);
        if ((line & 0x3f) == 0) tick();
      }
    });
  }
  for (std::size_t i = 0; i < size; ++i) {
    if ((i & 0xfffff) == 0) tick();
    inside[i] = labels[i] != 0 && !inside[i];
  }
  return inside;
}

}  // namespace softpq
