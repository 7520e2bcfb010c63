// What Python sees of matching by score. What could read outside of memory is checked here.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>

#include <algorithm>
#include <optional>
#include <stdexcept>

#include "detection.hpp"
#include "python.hpp"

namespace softpq {

using Bytes2 = nb::ndarray<const std::uint8_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

inline MaskColumns as_masks(const nb::tuple& runs, std::size_t& masks) {
  if (runs.size() != 3) throw std::invalid_argument("runs have three columns");
  Column<std::int64_t> columns[3];
  for (std::size_t k = 0; k < 3; ++k)
    if (!nb::try_cast<Column<std::int64_t>>(runs[k], columns[k], false))
      throw std::invalid_argument("columns must be contiguous integers of 64 bits");
  const auto& [offsets, starts, stops] = columns;
  if (offsets.size() == 0 || offsets.data()[0] != 0 || starts.size() != stops.size() ||
      offsets.data()[offsets.size() - 1] != static_cast<std::int64_t>(starts.size()) ||
      !std::is_sorted(offsets.data(), offsets.data() + offsets.size()))
    throw std::invalid_argument("runs must fit their offsets");
  masks = offsets.size() - 1;
  return {offsets.data(), starts.data(), stops.data()};
}

inline void check_members(const Column<std::int64_t>& members, const Column<std::int64_t>& ends, std::size_t masks) {
  std::int64_t before = 0;
  for (std::size_t k = 0; k < ends.size(); before = ends.data()[k++])
    if (ends.data()[k] < before) throw std::invalid_argument("groups must follow each other");
  if (static_cast<std::size_t>(before) != members.size()) throw std::invalid_argument("groups must hold all members");
  for (std::size_t k = 0; k < members.size(); ++k)
    if (members.data()[k] < 0 || static_cast<std::size_t>(members.data()[k]) >= masks)
      throw std::invalid_argument("a member is no mask");
}

inline Groups as_groups(const Column<std::int64_t>& truth, const Column<std::int64_t>& truth_ends,
                        const Column<std::int64_t>& pred, const Column<std::int64_t>& pred_ends,
                        const Column<std::uint8_t>& crowd, const Bytes2& truth_ignored, const Bytes2& pred_outside,
                        const Column<double>& iou, std::size_t truths, std::size_t preds) {
  check_members(truth, truth_ends, truths), check_members(pred, pred_ends, preds);
  if (truth_ends.size() != pred_ends.size() || crowd.size() != truth.size() ||
      truth_ignored.shape(1) != truth.size() || pred_outside.shape(1) != pred.size() ||
      truth_ignored.shape(0) != pred_outside.shape(0))
    throw std::invalid_argument("groups, members and ranges must fit");
  return {truth_ends.size(), truth.size(), pred.size(), truth_ignored.shape(0), iou.size(), truth.data(),
          truth_ends.data(), pred.data(), pred_ends.data(), crowd.data(), truth_ignored.data(), pred_outside.data(),
          iou.data()};
}

template <class Ious>
nb::tuple found_in(const Groups& groups, const Ious& ious) {
  Found found = without_lock([&] { return match_groups(groups, ious); });
  return nb::make_tuple(to_numpy(std::move(found.matched)), to_numpy(std::move(found.ignored)));
}

// With two kinds of runs of the same masks, the smaller IoU counts.
inline nb::tuple match_masks(const nb::tuple& truth_runs, const nb::tuple& pred_runs,
                             const std::optional<nb::tuple>& truth_bands, const std::optional<nb::tuple>& pred_bands,
                             Column<std::int64_t> truth, Column<std::int64_t> truth_ends, Column<std::int64_t> pred,
                             Column<std::int64_t> pred_ends, Column<std::uint8_t> crowd, Bytes2 truth_ignored,
                             Bytes2 pred_outside, Column<double> iou) {
  std::size_t truths, preds, truth_masks, pred_masks;
  const MaskColumns of_truth = as_masks(truth_runs, truths), of_pred = as_masks(pred_runs, preds);
  const MaskIous ious(of_truth, truths, of_pred, preds);
  const Groups groups =
      as_groups(truth, truth_ends, pred, pred_ends, crowd, truth_ignored, pred_outside, iou, truths, preds);
  if (!truth_bands || !pred_bands) return found_in(groups, ious);
  const MaskColumns truth_band = as_masks(*truth_bands, truth_masks), pred_band = as_masks(*pred_bands, pred_masks);
  if (truth_masks != truths || pred_masks != preds) throw std::invalid_argument("every mask has one band");
  const MaskIous bands(truth_band, truths, pred_band, preds);
  return found_in(groups, [&](std::int64_t t, std::int64_t p, bool is_crowd) {
    return std::min(ious(t, p, is_crowd), bands(t, p, is_crowd));
  });
}

inline nb::tuple match_boxes(Column<double> truth_boxes, Column<double> pred_boxes, Column<std::int64_t> truth,
                             Column<std::int64_t> truth_ends, Column<std::int64_t> pred, Column<std::int64_t> pred_ends,
                             Column<std::uint8_t> crowd, Bytes2 truth_ignored, Bytes2 pred_outside,
                             Column<double> iou) {
  const Groups groups = as_groups(truth, truth_ends, pred, pred_ends, crowd, truth_ignored, pred_outside, iou,
                                  truth_boxes.size() / 4, pred_boxes.size() / 4);
  return found_in(groups, BoxIous{truth_boxes.data(), pred_boxes.data()});
}

inline void bind_detection(nb::module_& module) {
  module.def("match_masks", &match_masks, nb::arg("truth_runs"), nb::arg("pred_runs"), nb::arg("truth_bands").none(),
             nb::arg("pred_bands").none(), nb::arg("truth").noconvert(), nb::arg("truth_ends").noconvert(),
             nb::arg("pred").noconvert(), nb::arg("pred_ends").noconvert(), nb::arg("crowd").noconvert(),
             nb::arg("truth_ignored").noconvert(), nb::arg("pred_outside").noconvert(), nb::arg("iou").noconvert(),
             "Which predictions match, and which are ignored: ranges x thresholds x predictions, flat.");
  module.def("match_boxes", &match_boxes, nb::arg("truth_boxes").noconvert(), nb::arg("pred_boxes").noconvert(),
             nb::arg("truth").noconvert(), nb::arg("truth_ends").noconvert(), nb::arg("pred").noconvert(),
             nb::arg("pred_ends").noconvert(), nb::arg("crowd").noconvert(), nb::arg("truth_ignored").noconvert(),
             nb::arg("pred_outside").noconvert(), nb::arg("iou").noconvert(), "The same of boxes.");
}

}  // namespace softpq
