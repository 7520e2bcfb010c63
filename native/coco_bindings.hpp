// What Python sees of COCO's masks: many at once, and which of them is wrong, if one is.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <stdexcept>
#include <string>

#include "coco_polygon.hpp"
#include "coco_runs.hpp"
#include "python.hpp"
#include "row_runs.hpp"

namespace softpq {

// Offsets, starts and stops of all masks, the first that is wrong (or -1), and why.
template <class Intervals>
nb::tuple coco_masks(const Column<std::int64_t>& heights, const Column<std::int64_t>& widths, std::size_t most,
                     Intervals intervals) {
  if (heights.size() != widths.size()) throw std::invalid_argument("every mask needs a height and a width");
  for (std::size_t k = 0; k < heights.size(); ++k)
    if (heights.data()[k] < 0 || widths.data()[k] < 0 || heights.data()[k] > (1 << 30) || widths.data()[k] > (1 << 30))
      throw std::invalid_argument("a height or a width is out of range");
  RowRuns runs(most);
  std::int64_t wrong = -1;
  std::string why;
  without_lock([&] {
    for (std::size_t k = 0; k < heights.size() && wrong < 0; ++k) try {
        if ((k & 63) == 0) tick();
        runs.add(intervals(k, heights.data()[k], widths.data()[k]), heights.data()[k], widths.data()[k]);
      } catch (const std::logic_error& error) {  // invalid_argument and length_error
        wrong = static_cast<std::int64_t>(k), why = error.what();
      }
  });
  return nb::make_tuple(to_numpy(std::move(runs.offsets)), to_numpy(std::move(runs.starts)),
                        to_numpy(std::move(runs.stops)), wrong, why);
}

// Part k of a column ends before ends[k].
inline void check_ends(const Column<std::int64_t>& ends, std::size_t masks, std::size_t size) {
  std::int64_t before = 0;
  for (std::size_t k = 0; k < ends.size(); before = ends.data()[k++])
    if (ends.data()[k] < before) throw std::invalid_argument("parts must follow each other");
  if (ends.size() != masks || static_cast<std::size_t>(before) != size) throw std::invalid_argument("parts must fit");
}

inline std::size_t begin_of(const Column<std::int64_t>& ends, std::size_t k) {
  return k == 0 ? 0 : static_cast<std::size_t>(ends.data()[k - 1]);
}

inline nb::tuple coco_text_runs(const nb::bytes& text, Column<std::int64_t> ends, Column<std::int64_t> heights,
                                Column<std::int64_t> widths, std::size_t most) {
  check_ends(ends, heights.size(), text.size());
  const char* data = static_cast<const char*>(text.data());
  return coco_masks(heights, widths, most, [&](std::size_t k, std::int64_t height, std::int64_t width) {
    const std::size_t begin = begin_of(ends, k);
    return coco_intervals(data + begin, static_cast<std::size_t>(ends.data()[k]) - begin, height * width);
  });
}

inline nb::tuple coco_count_runs(Column<std::int64_t> counts, Column<std::int64_t> ends, Column<std::int64_t> heights,
                                 Column<std::int64_t> widths, std::size_t most) {
  check_ends(ends, heights.size(), counts.size());
  return coco_masks(heights, widths, most, [&](std::size_t k, std::int64_t height, std::int64_t width) {
    const std::size_t begin = begin_of(ends, k);
    return coco_intervals(counts.data() + begin, static_cast<std::size_t>(ends.data()[k]) - begin, height * width);
  });
}

inline nb::tuple coco_polygon_runs(Column<double> xy, Column<std::int64_t> ring_ends, Column<std::int64_t> mask_ends,
                                   Column<std::int64_t> heights, Column<std::int64_t> widths, std::size_t most) {
  check_ends(ring_ends, ring_ends.size(), xy.size() / 2);
  check_ends(mask_ends, heights.size(), ring_ends.size());
  return coco_masks(heights, widths, most, [&](std::size_t k, std::int64_t height, std::int64_t width) {
    CocoPolygon polygon(height, width, most);
    std::vector<Interval> all;
    for (std::size_t ring = begin_of(mask_ends, k); ring < static_cast<std::size_t>(mask_ends.data()[k]); ++ring) {
      const std::size_t begin = begin_of(ring_ends, ring);
      const auto found = polygon.draw(xy.data() + 2 * begin, static_cast<std::size_t>(ring_ends.data()[ring]) - begin);
      all.insert(all.end(), found.begin(), found.end());
    }
    return joined(std::move(all));
  });
}

inline void bind_coco(nb::module_& module) {
  module.def("coco_text_runs", &coco_text_runs, nb::arg("text"), nb::arg("ends").noconvert(),
             nb::arg("heights").noconvert(), nb::arg("widths").noconvert(), nb::arg("most"),
             "Row-major runs of masks from COCO's run-lengths as text, one after the other.");
  module.def("coco_count_runs", &coco_count_runs, nb::arg("counts").noconvert(), nb::arg("ends").noconvert(),
             nb::arg("heights").noconvert(), nb::arg("widths").noconvert(), nb::arg("most"),
             "The same from run-lengths as numbers.");
  module.def("coco_polygon_runs", &coco_polygon_runs, nb::arg("xy").noconvert(), nb::arg("ring_ends").noconvert(),
             nb::arg("mask_ends").noconvert(), nb::arg("heights").noconvert(), nb::arg("widths").noconvert(),
             nb::arg("most"), "The same from polygons, drawn by COCO's rule; the rings of a mask are joined.");
}

}  // namespace softpq
