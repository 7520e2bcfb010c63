// What Python sees of COCO's masks: many at once, and which of them is wrong, if one is.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <stdexcept>
#include <string>

#include "coco_polygon.hpp"
#include "coco_runs.hpp"
#include "detection_bindings.hpp"
#include "python.hpp"
#include "row_runs.hpp"

namespace softpq {

constexpr std::size_t kSignsOfARun = 3;  // at least, mostly: two numbers

// Offsets, starts and stops of all masks, down the columns; the first that is wrong (or -1), and why.
template <class Add>
nb::tuple coco_masks(const Column<std::int64_t>& heights, const Column<std::int64_t>& widths, std::size_t most,
                     std::size_t about, Add add) {
  if (heights.size() != widths.size()) throw std::invalid_argument("every mask needs a height and a width");
  for (std::size_t k = 0; k < heights.size(); ++k)
    if (heights.data()[k] < 0 || widths.data()[k] < 0 || heights.data()[k] > (1 << 30) || widths.data()[k] > (1 << 30))
      throw std::invalid_argument("a height or a width is out of range");
  ColumnRuns runs;
  runs.starts.reserve(std::min(about, most)), runs.stops.reserve(std::min(about, most));
  std::vector<std::int64_t> offsets{0};
  std::int64_t wrong = -1;
  std::string why;
  without_lock([&] {
    for (std::size_t k = 0; k < heights.size() && wrong < 0; ++k) try {
        if ((k & 63) == 0) tick();
        add(k, heights.data()[k], widths.data()[k], runs);
        if (runs.starts.size() > most) throw std::length_error("has more runs than memory is allowed for");
        offsets.push_back(static_cast<std::int64_t>(runs.starts.size()));
      } catch (const std::logic_error& error) {  // invalid_argument and length_error
        wrong = static_cast<std::int64_t>(k), why = error.what();
      }
  });
  return nb::make_tuple(to_numpy(std::move(offsets)), to_numpy(std::move(runs.starts)), to_numpy(std::move(runs.stops)),
                        wrong, why);
}

// Runs by rows of masks that are known by columns, all on one image.
inline nb::tuple row_runs(const nb::tuple& columns, std::int64_t height, std::int64_t width, std::size_t most) {
  std::size_t masks;
  const MaskColumns found = as_masks(columns, masks);
  RowRuns runs(most);
  without_lock([&] {
    std::vector<Interval> mask;
    for (std::size_t k = 0; k < masks; ++k) {
      if ((k & 63) == 0) tick();
      mask.clear();
      for (std::int64_t run = found.offsets[k]; run < found.offsets[k + 1]; ++run)
        mask.push_back({found.starts[run], found.stops[run]});
      runs.add(mask, height, width);
    }
  });
  return nb::make_tuple(to_numpy(std::move(runs.offsets)), to_numpy(std::move(runs.starts)),
                        to_numpy(std::move(runs.stops)));
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
  const auto add = [&](std::size_t k, std::int64_t height, std::int64_t width, ColumnRuns& into) {
    const std::size_t begin = begin_of(ends, k);
    add_text(data + begin, static_cast<std::size_t>(ends.data()[k]) - begin, height * width, into);
  };
  return coco_masks(heights, widths, most, text.size() / kSignsOfARun, add);
}

struct CocoText {
  nb::object owner;  // who might go while Python's lock is not held
  const char* data;
  std::size_t size;
};

// The text of run-lengths as COCO's tools write them, {"size": [height, width], "counts": text}; false for all else.
inline bool is_plain_text(PyObject* mask, PyObject* counts_key, PyObject* size_key, std::int64_t height,
                          std::int64_t width, CocoText& text) {
  if (!PyDict_CheckExact(mask)) return false;
  PyObject* const counts = PyDict_GetItemWithError(mask, counts_key);
  PyObject* const size = PyDict_GetItemWithError(mask, size_key);
  if (!counts || !size || !PyList_CheckExact(size) || PyList_Size(size) != 2) return false;
  const std::int64_t sides[2] = {height, width};
  for (Py_ssize_t k = 0; k < 2; ++k) {
    PyObject* const side = PyList_GetItem(size, k);
    if (!PyLong_CheckExact(side) || PyLong_AsLongLong(side) != sides[k]) return false;
  }
  Py_ssize_t length = 0;
  char* bytes = nullptr;
  if (PyBytes_CheckExact(counts) && PyBytes_AsStringAndSize(counts, &bytes, &length) == 0) {
    text = {nb::borrow(counts), bytes, static_cast<std::size_t>(length)};
    return true;
  }
  if (!PyUnicode_CheckExact(counts)) return false;
  const char* const letters = PyUnicode_AsUTF8AndSize(counts, &length);
  text = {nb::borrow(counts), letters, static_cast<std::size_t>(length)};
  return letters != nullptr;
}

// As coco_text_runs, from a list of dictionaries that all are what COCO's tools write; None where one is not.
inline nb::object coco_dict_runs(const nb::list& masks, Column<std::int64_t> heights, Column<std::int64_t> widths,
                                 std::size_t most) {
  if (masks.size() != heights.size() || heights.size() != widths.size())
    throw std::invalid_argument("every mask needs a height and a width");
  const nb::str counts_key("counts"), size_key("size");
  std::vector<CocoText> texts(masks.size());
  for (std::size_t k = 0; k < texts.size(); ++k)
    if (!is_plain_text(PyList_GetItem(masks.ptr(), static_cast<Py_ssize_t>(k)), counts_key.ptr(), size_key.ptr(),
                       heights.data()[k], widths.data()[k], texts[k])) {
      PyErr_Clear();
      return nb::none();
    }
  std::size_t signs = 0;
  for (const CocoText& text : texts) signs += text.size;
  const auto add = [&](std::size_t k, std::int64_t height, std::int64_t width, ColumnRuns& into) {
    add_text(texts[k].data, texts[k].size, height * width, into);
  };
  return coco_masks(heights, widths, most, signs / kSignsOfARun, add);
}

inline nb::tuple coco_count_runs(Column<std::int64_t> counts, Column<std::int64_t> ends, Column<std::int64_t> heights,
                                 Column<std::int64_t> widths, std::size_t most) {
  check_ends(ends, heights.size(), counts.size());
  const auto add = [&](std::size_t k, std::int64_t height, std::int64_t width, ColumnRuns& into) {
    const std::size_t begin = begin_of(ends, k);
    add_counts(counts.data() + begin, static_cast<std::size_t>(ends.data()[k]) - begin, height * width, into);
  };
  return coco_masks(heights, widths, most, counts.size() / 2, add);
}

inline nb::tuple coco_polygon_runs(Column<double> xy, Column<std::int64_t> ring_ends, Column<std::int64_t> mask_ends,
                                   Column<std::int64_t> heights, Column<std::int64_t> widths, std::size_t most) {
  check_ends(ring_ends, ring_ends.size(), xy.size() / 2);
  check_ends(mask_ends, heights.size(), ring_ends.size());
  return coco_masks(heights, widths, most, 0, [&](std::size_t k, std::int64_t height, std::int64_t width, ColumnRuns& into) {
    CocoPolygon polygon(height, width, most);
    std::vector<Interval> all;
    for (std::size_t ring = begin_of(mask_ends, k); ring < static_cast<std::size_t>(mask_ends.data()[k]); ++ring) {
      const std::size_t begin = begin_of(ring_ends, ring);
      const auto found = polygon.draw(xy.data() + 2 * begin, static_cast<std::size_t>(ring_ends.data()[ring]) - begin);
      all.insert(all.end(), found.begin(), found.end());
    }
    into.add(joined(std::move(all)));
  });
}

inline void bind_coco(nb::module_& module) {
  module.def("row_runs", &row_runs, nb::arg("columns"), nb::arg("height"), nb::arg("width"), nb::arg("most"),
             "Runs by rows of masks that are known by columns, all on one image.");
  module.def("coco_text_runs", &coco_text_runs, nb::arg("text"), nb::arg("ends").noconvert(),
             nb::arg("heights").noconvert(), nb::arg("widths").noconvert(), nb::arg("most"),
             "Runs down the columns of masks from COCO's run-lengths as text, one after the other.");
  module.def("coco_dict_runs", &coco_dict_runs, nb::arg("masks"), nb::arg("heights").noconvert(),
             nb::arg("widths").noconvert(), nb::arg("most"),
             "The same from a list of dictionaries with size and counts as text; None where one is something else.");
  module.def("coco_count_runs", &coco_count_runs, nb::arg("counts").noconvert(), nb::arg("ends").noconvert(),
             nb::arg("heights").noconvert(), nb::arg("widths").noconvert(), nb::arg("most"),
             "The same from run-lengths as numbers.");
  module.def("coco_polygon_runs", &coco_polygon_runs, nb::arg("xy").noconvert(), nb::arg("ring_ends").noconvert(),
             nb::arg("mask_ends").noconvert(), nb::arg("heights").noconvert(), nb::arg("widths").noconvert(),
             nb::arg("most"), "The same from polygons, drawn by COCO's rule; the rings of a mask are joined.");
}

}  // namespace softpq
