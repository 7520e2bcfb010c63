// Everything Python sees of the native code. Arguments are checked in Python (labels.py, matching.py); what could
// read outside of memory is checked here again.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/vector.h>

#include <optional>
#include <stdexcept>

#include "assignment.hpp"
#include "bands.hpp"
#include "bindings.hpp"
#include "coco_bindings.hpp"
#include "count_pairs.hpp"
#include "detection_bindings.hpp"
#include "growing_matching.hpp"
#include "lzw.hpp"
#include "mask_bindings.hpp"
#include "merge_tables.hpp"
#include "object_table.hpp"
#include "pieces.hpp"
#include "places.hpp"
#include "python.hpp"
#include "ties.hpp"
#include "tops.hpp"

using namespace softpq;

namespace {

using Mask = nb::ndarray<const std::uint8_t, nb::device::cpu>;
nb::tuple to_python(ObjectTable&& table) {
  return nb::make_tuple(to_fixed(std::move(table.truth.ids)), to_fixed(std::move(table.truth.areas)),
                        to_fixed(std::move(table.pred.ids)), to_fixed(std::move(table.pred.areas)),
                        to_fixed(std::move(table.pair_truth)), to_fixed(std::move(table.pair_pred)),
                        to_fixed(std::move(table.pair_pixels)), table.background);
}

Layout joint_layout(const AnyArray& truth, const AnyArray& pred, const std::optional<Mask>& ignore) {
  Layout layout;
  if (truth.ndim() == 0) throw std::invalid_argument("arrays must have at least one dimension");
  if (truth.ndim() != pred.ndim() || (ignore && ignore->ndim() != truth.ndim()))
    throw std::invalid_argument("arrays must have the same number of dimensions");
  for (std::size_t d = 0; d < truth.ndim(); ++d) {
    if (truth.shape(d) != pred.shape(d) || (ignore && ignore->shape(d) != truth.shape(d)))
      throw std::invalid_argument("arrays must have the same shape");
    layout.axes.push_back({truth.shape(d), {truth.stride(d), pred.stride(d), ignore ? ignore->stride(d) : 0}});
  }
  return layout;
}

// Calls body with pointers to the two arrays, without Python's lock.
template <class Body>
auto with_labels(const AnyArray& truth, const AnyArray& pred, Body body) {
  return with_width(truth, [&](auto t) {
    return with_width(pred, [&](auto p) {
      const auto* truth_data = static_cast<decltype(t)>(truth.data());
      const auto* pred_data = static_cast<decltype(p)>(pred.data());
      return without_lock([&] { return body(truth_data, pred_data); });
    });
  });
}

nb::tuple count_objects(const AnyArray& truth, const AnyArray& pred, const std::optional<Mask>& ignore,
                        unsigned threads) {
  const Layout layout = joint_layout(truth, pred, ignore);
  const std::uint8_t* mask = ignore ? ignore->data() : nullptr;
  return to_python(with_labels(truth, pred, [&](const auto* t, const auto* p) {
    return tabulate(count_pairs(t, p, mask, layout, threads));
  }));
}

// What is in `first` .. `end` along each axis; the rest helps to find the bands.
nb::tuple count_boundary_bands(const AnyArray& truth, const AnyArray& pred, const std::optional<Mask>& ignore,
                               const std::vector<std::size_t>& reach, const std::vector<std::size_t>& first,
                               const std::vector<std::size_t>& end, unsigned threads) {
  const Layout layout = joint_layout(truth, pred, ignore);
  const std::size_t axes = layout.axes.size();
  if (reach.size() != axes || first.size() != axes || end.size() != axes)
    throw std::invalid_argument("one reach and one window per axis are needed");
  for (std::size_t d = 0; d < axes; ++d)
    if (end[d] > layout.axes[d].size) throw std::invalid_argument("the window must be in the image");
  const std::uint8_t* mask = ignore ? ignore->data() : nullptr;
  return to_python(with_labels(truth, pred, [&](const auto* t, const auto* p) {
    return tabulate(count_bands(t, p, mask, layout, reach, Window{first, end}, threads));
  }));
}

// The table of pieces and, with `ignore`, that of ignored pixels against the pieces of pred.
nb::tuple count_connected_pieces(const AnyArray& truth, const AnyArray& pred, const std::optional<Mask>& ignore) {
  const Layout layout = joint_layout(truth, pred, ignore);
  const std::uint8_t* mask = ignore ? ignore->data() : nullptr;
  auto [pairs, ignored] = with_labels(truth, pred, [&](const auto* t, const auto* p) {
    PieceCounter counter(t, p, mask, layout);
    counter.count();
    return std::pair(tabulate(counter.pairs), tabulate(counter.ignored));
  });
  return nb::make_tuple(to_python(std::move(pairs)), ignore ? nb::object(to_python(std::move(ignored))) : nb::none());
}

// Labels, first pixels and areas of the connected pieces; pixels are counted in the order of the axes.
nb::tuple list_pieces(const AnyArray& labels) {
  const Layout layout = joint_layout(labels, labels, std::nullopt);
  Pieces pieces = with_labels(labels, labels, [&](const auto* data, const auto*) { return find_pieces(data, layout); });
  return nb::make_tuple(to_numpy(std::move(pieces.labels)), to_numpy(std::move(pieces.firsts)),
                        to_numpy(std::move(pieces.areas)));
}

// Flat, in the order of the axes.
nb::object image_of_pieces(const AnyArray& labels) {
  const Layout layout = joint_layout(labels, labels, std::nullopt);
  return to_numpy(with_labels(labels, labels, [&](const auto* data, const auto*) { return draw_pieces(data, layout); }));
}

// Lows, highs and centroids, each flat, one row per id.
nb::tuple places_of_objects(const AnyArray& labels, const std::optional<Mask>& ignore, Column<std::uint64_t> ids,
                            unsigned threads) {
  const Layout layout = joint_layout(labels, labels, ignore);
  const std::uint8_t* mask = ignore ? ignore->data() : nullptr;
  Boxes boxes = with_labels(labels, labels, [&](const auto* data, const auto*) {
    return find_places(data, mask, layout, ids.data(), ids.size(), threads);
  });
  return nb::make_tuple(to_numpy(std::move(boxes.low)), to_numpy(std::move(boxes.high)),
                        to_numpy(std::move(boxes.center)));
}

nb::tuple tops_of_objects(const nb::ndarray<nb::ro, nb::device::cpu, nb::c_contig>& labels, std::size_t most) {
  if (labels.ndim() != 2) throw std::invalid_argument("labels must have two dimensions");
  return with_width(AnyArray(labels), [&](auto width) {
    const auto* data = static_cast<decltype(width)>(labels.data());
    Tops tops = find_tops(data, labels.shape(0), labels.shape(1), most);
    return nb::make_tuple(to_numpy(std::move(tops.labels)), tops.runs);
  });
}

nb::tuple tabulate_triples(Column<std::uint64_t> truth, Column<std::uint64_t> pred, Column<std::int64_t> pixels) {
  if (truth.size() != pred.size() || truth.size() != pixels.size())
    throw std::invalid_argument("columns must have the same length");
  ObjectTable table = without_lock([&] {
    Large<Entry> entries(truth.size());
    for (std::size_t i = 0; i < entries.size(); ++i)
      entries[i] = Entry{truth.data()[i], pred.data()[i], static_cast<std::uint64_t>(pixels.data()[i])};
    return tabulate(in_order(std::move(entries)));
  });
  return to_python(std::move(table));
}

template <class T>
Span<T> as_span(const nb::handle& column) {
  Column<T> array;
  if (!nb::try_cast<Column<T>>(column, array, false))  // no conversion: the copy would be gone when this returns
    throw std::invalid_argument("columns must be contiguous integers of 64 bits");
  return {array.data(), array.size()};
}

TableView as_view(const nb::tuple& table) {
  if (table.size() != 8) throw std::invalid_argument("a table has eight parts");
  return {{as_span<std::uint64_t>(table[0]), as_span<std::int64_t>(table[1])},
          {as_span<std::uint64_t>(table[2]), as_span<std::int64_t>(table[3])},
          as_span<std::int64_t>(table[4]),
          as_span<std::int64_t>(table[5]),
          as_span<std::int64_t>(table[6]),
          nb::cast<std::int64_t>(table[7])};
}

nb::tuple merge_two(const nb::tuple& a, const nb::tuple& b) {
  const TableView first = as_view(a), second = as_view(b);
  ObjectTable table = without_lock([&] {
    return merge_tables(first, second);
  });
  return to_python(std::move(table));
}

nb::bytes decode_lzw(const nb::bytes& data, std::size_t room) {
  const std::vector<std::uint8_t> found = [&] {
    const auto* bytes = static_cast<const std::uint8_t*>(data.data());
    const std::size_t length = data.size();
    nb::gil_scoped_release released;
    return LzwDecoder(bytes, length, room).decode();
  }();
  return nb::bytes(found.data(), found.size());
}

void check_edges(Index rows, Index columns, const Column<Index>& row, const Column<Index>& column) {
  if (row.size() != column.size()) throw std::invalid_argument("columns must have the same length");
  for (std::size_t e = 0; e < row.size(); ++e)
    if (row.data()[e] < 0 || row.data()[e] >= rows || column.data()[e] < 0 || column.data()[e] >= columns)
      throw std::invalid_argument("an edge leads outside of the graph");
}

nb::object best_edges(Index rows, Index columns, Column<Index> row, Column<Index> column, Column<double> weight,
                      Column<std::uint32_t> tie) {
  check_edges(rows, columns, row, column);
  if (weight.size() != row.size() || tie.size() != row.size())
    throw std::invalid_argument("columns must have the same length");
  for (std::size_t e = 0; e < weight.size(); ++e)
    if (!(weight.data()[e] >= 0 && weight.data()[e] < 1024)) throw std::invalid_argument("a weight is out of range");
  std::vector<char> chosen = without_lock([&] {
    return best_pairs(rows, columns, row.size(), row.data(), column.data(), weight.data(), tie.data());
  });
  return to_numpy(std::vector<std::uint8_t>(chosen.begin(), chosen.end()));
}

nb::object break_ties(Index truths, Index preds, Column<Index> truth, Column<Index> pred, Column<double> iou,
                      Column<double> truth_share, Column<double> pred_share) {
  check_edges(truths, preds, truth, pred);
  if (iou.size() != truth.size() || truth_share.size() != truth.size() || pred_share.size() != truth.size())
    throw std::invalid_argument("columns must have the same length");
  return to_numpy(without_lock([&] {
    return TieBreaks(truths, preds, truth.size(), truth.data(), pred.data(), iou.data(), truth_share.data(),
                     pred_share.data())
        .solve();
  }));
}

Index count_most_pairs(Index rows, Index columns, Column<Index> row, Column<Index> column) {
  check_edges(rows, columns, row, column);
  return without_lock([&] { return most_pairs(rows, columns, row.size(), row.data(), column.data()); });
}

nb::object growing_matchings(Index rows, Index columns, Column<Index> row, Column<Index> column, Column<Index> start,
                             Column<Index> bin, Index rounds, Index bins) {
  check_edges(rows, columns, row, column);
  if (start.size() != row.size() || bin.size() != row.size())
    throw std::invalid_argument("columns must have the same length");
  for (std::size_t e = 0; e < bin.size(); ++e)
    if (bin.data()[e] < 0 || bin.data()[e] >= bins || start.data()[e] < 0)
      throw std::invalid_argument("an edge has no bin or no round");
  std::vector<std::int64_t> grown = without_lock([&] {
    return growth_by_round(rows, columns, row.size(), row.data(), column.data(), start.data(), bin.data(), rounds,
                           bins);
  });
  return to_numpy(std::move(grown));
}

}  // namespace

NB_MODULE(_core, module) {
  nb::register_exception_translator([](const std::exception_ptr& thrown, void*) {
    try {
      std::rethrow_exception(thrown);
    } catch (const Interrupted&) {
      if (!PyErr_Occurred()) PyErr_SetNone(PyExc_KeyboardInterrupt);  // else the handler of the signal has raised its own
    }
  });
  module.def("stop_everything", [](bool stop) { everything_stops = stop; }, nb::arg("stop"),
             "Let all native work end with KeyboardInterrupt, on whatever thread, until told otherwise.");
  module.def("count_objects", &count_objects, nb::arg("truth").noconvert(), nb::arg("pred").noconvert(),
             nb::arg("ignore").none().noconvert(), nb::arg("threads"),
             "Object ids, areas and shared pixels of two label arrays.");
  module.def("tabulate", &tabulate_triples, nb::arg("truth").noconvert(), nb::arg("pred").noconvert(),
             nb::arg("pixels").noconvert(), "The same table from (truth label, pred label, pixels) triples.");
  module.def("merge_tables", &merge_two, nb::arg("first"), nb::arg("second"), "The table of two tiles together.");
  module.def("count_bands", &count_boundary_bands, nb::arg("truth").noconvert(), nb::arg("pred").noconvert(),
             nb::arg("ignore").none().noconvert(), nb::arg("reach"), nb::arg("first"), nb::arg("end"), nb::arg("threads"),
             "The same of the boundary bands of objects, in a window.");
  module.def("count_pieces", &count_connected_pieces, nb::arg("truth").noconvert(), nb::arg("pred").noconvert(),
             nb::arg("ignore").none().noconvert(), "The same of connected pieces; and what is ignored of those of pred.");
  module.def("pieces", &list_pieces, nb::arg("labels").noconvert(),
             "Labels, first pixels and areas of the connected pieces of every label, in the order of their first pixels.");
  module.def("draw_pieces", &image_of_pieces, nb::arg("labels").noconvert(),
             "The numbers of the connected pieces of every label, 1, 2, ..., pixel by pixel; flat.");
  module.def("places", &places_of_objects, nb::arg("labels").noconvert(), nb::arg("ignore").none().noconvert(),
             nb::arg("ids").noconvert(), nb::arg("threads"), "Bounding boxes and centroids of objects, flat.");
  module.def("tops", &tops_of_objects, nb::arg("labels").noconvert(), nb::arg("most"),
             "Labels of runs with nothing of that label above them, and how many runs there are; two dimensions.");
  module.def("lzw_decode", &decode_lzw, nb::arg("data"), nb::arg("room"), "Bytes that TIFF has compressed with LZW.");
  module.def("growing_matchings", &growing_matchings, nb::arg("rows"), nb::arg("columns"), nb::arg("row").noconvert(),
             nb::arg("column").noconvert(), nb::arg("start").noconvert(), nb::arg("bin").noconvert(),
             nb::arg("rounds"), nb::arg("bins"), "Where a largest matching grows as edges are added, round by round.");
  module.def("best_edges", &best_edges, nb::arg("rows"), nb::arg("columns"), nb::arg("row").noconvert(),
             nb::arg("column").noconvert(), nb::arg("weight").noconvert(), nb::arg("tie").noconvert(),
             "Which edges form the one-to-one matching with most edges, then the largest weight, then the largest ties.");
  module.def("tie_breaks", &break_ties, nb::arg("truths"), nb::arg("preds"), nb::arg("truth").noconvert(),
             nb::arg("pred").noconvert(), nb::arg("iou").noconvert(), nb::arg("truth_share").noconvert(),
             nb::arg("pred_share").noconvert(), "A number for every pair that decides between equal matchings.");
  module.def("most_pairs", &count_most_pairs, nb::arg("rows"), nb::arg("columns"), nb::arg("row").noconvert(),
             nb::arg("column").noconvert(), "How many edges a one-to-one matching can have.");
  bind_coco(module);
  bind_detection(module);
  bind_masks(module);
  bind_sums(module);
}
