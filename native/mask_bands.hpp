// The boundary band of each mask by itself: the mask less its erosion by the box of the reach; the border of the image is
// an edge. Around the box of a mask is nothing of it, so that the border of its box may be taken for an edge.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "boundary_band.hpp"
#include "mask_count.hpp"
#include "run_on_threads.hpp"

namespace softpq {

class MaskBand {
 public:
  // Two or three dimensions.
  MaskBand(const std::vector<std::size_t>& shape, const std::vector<std::size_t>& reach) : shape_(shape), reach_(reach) {}

  void add(const RunsView& view, std::size_t mask, MaskRuns& found) {
    if (view.offsets[mask] < view.offsets[mask + 1]) {
      find_box(view, mask);
      draw(view, mask);
      const std::vector<std::uint8_t> band = boundary_bands(pixels_.data(), size_, reach_, 1);
      for (std::size_t line = 0; line < lines(); ++line) {
        const std::int64_t at = first_of(line);
        for_each_run(band.data() + line * size_.back(), size_.back(), [&](std::int64_t start, std::int64_t stop, std::uint8_t in) {
          if (in) found.add(at + start, at + stop);
        });
      }
    }
    found.end_mask();
  }

 private:
  std::size_t width() const { return shape_.back(); }
  std::size_t rows() const { return shape_[shape_.size() - 2]; }
  std::size_t lines() const { return pixels_.size() / size_.back(); }

  // Calls body(plane, row, from, to) for the part of a mask on each line.
  template <class Body>
  void for_each_line(const RunsView& view, std::size_t mask, Body body) const {
    const auto length = static_cast<std::int64_t>(width());
    for (std::int64_t k = view.offsets[mask]; k < view.offsets[mask + 1]; ++k)
      for (std::int64_t at = view.starts[k]; at < view.stops[k];) {
        const std::int64_t line = at / length, stop = std::min(view.stops[k], (line + 1) * length);
        body(static_cast<std::size_t>(line) / rows(), static_cast<std::size_t>(line) % rows(),
             static_cast<std::size_t>(at - line * length), static_cast<std::size_t>(stop - line * length));
        at = stop;
      }
  }

  void find_box(const RunsView& view, std::size_t mask) {
    std::size_t low[3] = {~std::size_t{0}, ~std::size_t{0}, ~std::size_t{0}}, high[3] = {0, 0, 0};
    for_each_line(view, mask, [&](std::size_t plane, std::size_t row, std::size_t from, std::size_t to) {
      const std::size_t first[3] = {plane, row, from}, end[3] = {plane + 1, row + 1, to};
      for (int d = 0; d < 3; ++d) low[d] = std::min(low[d], first[d]), high[d] = std::max(high[d], end[d]);
    });
    size_.clear();
    for (std::size_t d = 3 - shape_.size(); d < 3; ++d) size_.push_back(high[d] - low[d]);
    std::copy(low, low + 3, low_);
  }

  void draw(const RunsView& view, std::size_t mask) {
    const std::size_t across = size_.back(), down = size_[size_.size() - 2];
    pixels_.assign((shape_.size() == 3 ? size_[0] : 1) * down * across, 0);
    for_each_line(view, mask, [&](std::size_t plane, std::size_t row, std::size_t from, std::size_t to) {
      std::uint8_t* const line = pixels_.data() + ((plane - low_[0]) * down + (row - low_[1])) * across;
      std::fill(line + (from - low_[2]), line + (to - low_[2]), std::uint8_t{1});
    });
  }

  std::int64_t first_of(std::size_t line) const {
    const std::size_t down = size_[size_.size() - 2];
    const std::size_t plane = low_[0] + line / down, row = low_[1] + line % down;
    return static_cast<std::int64_t>((plane * rows() + row) * width() + low_[2]);
  }

  std::vector<std::size_t> shape_, reach_, size_;
  std::size_t low_[3] = {0, 0, 0};
  std::vector<std::uint8_t> pixels_;
};

inline MaskRuns bands_of_masks(const RunsView& view, const std::vector<std::size_t>& shape,
                               const std::vector<std::size_t>& reach, unsigned threads) {
  const std::size_t parts = std::max<std::size_t>(1, std::min<std::size_t>(threads, view.masks));
  std::vector<MaskRuns> found(parts);
  run_on_threads(parts, [&](std::size_t part) {
    MaskBand band(shape, reach);
    for (std::size_t mask = view.masks * part / parts; mask < view.masks * (part + 1) / parts; ++mask)
      band.add(view, mask, found[part]);
  });
  for (std::size_t part = 1; part < parts; ++part) found[0].append(found[part]);
  return std::move(found[0]);
}

}  // namespace softpq
