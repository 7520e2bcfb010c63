// What Python sees of masks. Arguments are checked in Python (masks.py); what could read outside of memory is checked
// here again.
#pragma once

#include <stdexcept>

#include "mask_runs.hpp"
#include "python.hpp"

namespace softpq {

using Contiguous = nb::ndarray<nb::ro, nb::device::cpu, nb::c_contig>;

inline nb::tuple to_python(MaskRuns&& masks) {
  return nb::make_tuple(to_numpy(std::move(masks.offsets)), to_numpy(std::move(masks.starts)),
                        to_numpy(std::move(masks.stops)));
}

// Runs, and the least and the largest value that is not 0.
inline nb::tuple stack_runs(const Contiguous& stack, unsigned threads) {
  if (stack.ndim() < 2) throw std::invalid_argument("a stack must have at least two dimensions");
  std::size_t size = 1;
  for (std::size_t d = 1; d < stack.ndim(); ++d) size *= stack.shape(d);
  return with_width(AnyArray(stack), [&](auto width) {
    const auto* data = static_cast<decltype(width)>(stack.data());
    StackRuns found = without_lock([&] { return runs_of_stack(data, stack.shape(0), size, threads); });
    return nb::make_tuple(to_python(std::move(found.masks)), found.least, found.most);
  });
}

inline nb::tuple label_runs(const Contiguous& labels) {
  return with_width(AnyArray(labels), [&](auto width) {
    const auto* data = static_cast<decltype(width)>(labels.data());
    LabelRuns found = without_lock([&] { return runs_of_labels(data, labels.size()); });
    return nb::make_tuple(to_numpy(std::move(found.labels)), to_python(std::move(found.masks)));
  });
}

inline void check_ends(const Column<std::int64_t>& ends, std::size_t last) {
  std::int64_t before = 0;
  for (std::size_t k = 0; k < ends.size(); ++k) {
    if (ends.data()[k] < before) throw std::invalid_argument("ends must not fall");
    before = ends.data()[k];
  }
  if (static_cast<std::size_t>(before) != last) throw std::invalid_argument("the last end must be that of all");
}

inline nb::tuple polygon_runs(Column<double> xy, Column<std::int64_t> ring_ends, Column<std::int64_t> object_ends,
                              std::int64_t height, std::int64_t width, std::size_t most) {
  check_ends(ring_ends, xy.size() / 2);
  check_ends(object_ends, ring_ends.size());
  if (height < 0 || width < 0) throw std::invalid_argument("sizes must not be negative");
  return to_python(without_lock([&] {
    return runs_of_polygons(xy.data(), ring_ends.data(), object_ends.data(), object_ends.size(), height, width, most);
  }));
}

inline void bind_masks(nb::module_& module) {
  module.def("stack_runs", &stack_runs, nb::arg("stack").noconvert(), nb::arg("threads"),
             "Runs of each mask of a stack, and the least and the largest value inside.");
  module.def("label_runs", &label_runs, nb::arg("labels").noconvert(), "Labels of an image, and the runs of each.");
  module.def("polygon_runs", &polygon_runs, nb::arg("xy").noconvert(), nb::arg("ring_ends").noconvert(),
             nb::arg("object_ends").noconvert(), nb::arg("height"), nb::arg("width"), nb::arg("most"),
             "Runs of each object: pixels whose centres are inside of its rings.");
}

}  // namespace softpq
