// What Python sees of masks. Arguments are checked in Python (masks.py); what could read outside of memory is checked
// here again.
#pragma once

#include <nanobind/stl/vector.h>

#include <stdexcept>

#include "mask_atoms.hpp"
#include "mask_bands.hpp"
#include "mask_count.hpp"
#include "mask_credits.hpp"
#include "mask_runs.hpp"
#include "mask_soft.hpp"
#include "mask_ties.hpp"
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

template <class T>
Column<T> column_of(const nb::handle& given) {
  Column<T> array;
  if (!nb::try_cast<Column<T>>(given, array, false))  // no conversion: the copy would be gone when this returns
    throw std::invalid_argument("columns must be contiguous and of the right type");
  return array;
}

// Offsets, starts and stops.
inline RunsView runs_view(const nb::tuple& runs, std::int64_t pixels) {
  const auto offsets = column_of<std::int64_t>(runs[0]), starts = column_of<std::int64_t>(runs[1]),
             stops = column_of<std::int64_t>(runs[2]);
  check_ends(offsets, starts.size());
  if (offsets.size() == 0 || offsets.data()[0] != 0 || starts.size() != stops.size())
    throw std::invalid_argument("runs must fit their offsets");
  for (std::size_t k = 0; k < starts.size(); ++k)
    if (starts.data()[k] < 0 || starts.data()[k] >= stops.data()[k] || stops.data()[k] > pixels)
      throw std::invalid_argument("runs must lie in the image");
  return {offsets.data(), starts.data(), stops.data(), offsets.size() - 1};
}

inline SetsView sets_view(const nb::handle& offsets, const nb::handle& members, std::size_t atoms, std::size_t objects) {
  const auto ends = column_of<std::int64_t>(offsets);
  const auto found = column_of<Member>(members);
  check_ends(ends, found.size());
  if (ends.size() != atoms + 1 || ends.data()[0] != 0) throw std::invalid_argument("every atom must have its sets");
  for (std::size_t k = 0; k < found.size(); ++k)
    if (found.data()[k] < 0 || static_cast<std::size_t>(found.data()[k]) >= objects)
      throw std::invalid_argument("members must be objects of the table");
  return {ends.data(), found.data()};
}

// Offsets and members of truth, of pred, and pixels.
inline AtomsView atoms_view(const nb::tuple& atoms, std::size_t truths, std::size_t preds) {
  const auto pixels = column_of<std::int64_t>(atoms[4]);
  return {sets_view(atoms[0], atoms[1], pixels.size(), truths), sets_view(atoms[2], atoms[3], pixels.size(), preds),
          pixels.data(), pixels.size()};
}

inline nb::tuple to_python(Atoms&& atoms) {
  return nb::make_tuple(to_numpy(std::move(atoms.truth.offsets)), to_numpy(std::move(atoms.truth.members)),
                        to_numpy(std::move(atoms.pred.offsets)), to_numpy(std::move(atoms.pred.members)),
                        to_numpy(std::move(atoms.pixels)));
}

inline nb::tuple to_python(MaskPairs&& pairs) {
  return nb::make_tuple(to_numpy(std::move(pairs.truth)), to_numpy(std::move(pairs.pred)),
                        to_numpy(std::move(pairs.pixels)));
}

inline nb::tuple count_mask_pairs(const nb::tuple& truth, const nb::tuple& pred, std::int64_t pixels, unsigned threads) {
  const RunsView first = runs_view(truth, pixels), second = runs_view(pred, pixels);
  return to_python(without_lock([&] { return count_masks(first, second, pixels, threads); }));
}

// Pairs, and what is covered: by truth, by pred, by both.
inline nb::tuple count_layers(const nb::tuple& truth, const nb::tuple& pred, std::int64_t pixels, unsigned threads) {
  const RunsView first = runs_view(truth, pixels), second = runs_view(pred, pixels);
  CoveredPixels covered;
  MaskPairs pairs = without_lock([&] { return count_masks(first, second, pixels, threads, &covered); });
  return nb::make_tuple(to_python(std::move(pairs)), nb::make_tuple(covered.truth, covered.pred, covered.both));
}

inline nb::tuple cover_of_masks(const nb::tuple& runs, std::int64_t pixels) {
  const RunsView view = runs_view(runs, pixels);
  return to_python(without_lock([&] { return covered_runs(view, pixels); }));
}

inline nb::tuple masks_without(const nb::tuple& runs, const nb::tuple& region, std::int64_t pixels) {
  const RunsView view = runs_view(runs, pixels), out = runs_view(region, pixels);
  if (out.masks != 1) throw std::invalid_argument("a region is one mask");
  return to_python(without_lock([&] { return without_region(view, out); }));
}

inline nb::tuple mask_bands(const nb::tuple& runs, const std::vector<std::size_t>& shape,
                            const std::vector<std::size_t>& reach, unsigned threads) {
  std::size_t pixels = 1;
  for (const std::size_t size : shape) pixels *= size;
  if (shape.size() < 2 || shape.size() > 3 || reach.size() != shape.size())
    throw std::invalid_argument("two or three dimensions, and one reach each, are needed");
  const RunsView view = runs_view(runs, static_cast<std::int64_t>(pixels));
  return to_python(without_lock([&] { return bands_of_masks(view, shape, reach, threads); }));
}

inline nb::tuple sweep_atoms(const nb::tuple& truth, const nb::tuple& pred, std::int64_t pixels, std::size_t most) {
  const RunsView first = runs_view(truth, pixels), second = runs_view(pred, pixels);
  return to_python(without_lock([&] { return Sweep(first, second, pixels, most).atoms(); }));
}

inline nb::tuple order_atoms(const nb::tuple& atoms, std::size_t truths, std::size_t preds) {
  const AtomsView view = atoms_view(atoms, truths, preds);
  return to_python(without_lock([&] { return in_order(view); }));
}

inline nb::tuple tabulate_atoms(const nb::tuple& atoms, std::size_t truths, std::size_t preds) {
  const AtomsView view = atoms_view(atoms, truths, preds);
  AtomTable table = without_lock([&] { return table_of(view, truths, preds); });
  return nb::make_tuple(to_numpy(std::move(table.truth_areas)), to_numpy(std::move(table.pred_areas)),
                        to_python(std::move(table.pairs)));
}

inline void check_partners(const Column<std::int64_t>& partners, std::size_t others) {
  for (std::size_t k = 0; k < partners.size(); ++k)
    if (partners.data()[k] >= static_cast<std::int64_t>(others)) throw std::invalid_argument("a partner is not there");
}

inline PairsView pairs_view(const Column<std::int64_t>& truth, const Column<std::int64_t>& pred,
                            const Column<std::int64_t>& unions, const Column<std::int64_t>& partner_of_truth,
                            const Column<std::int64_t>& partner_of_pred) {
  if (truth.size() != pred.size() || truth.size() != unions.size())
    throw std::invalid_argument("columns must have the same length");
  check_partners(partner_of_truth, partner_of_pred.size());
  check_partners(partner_of_pred, partner_of_truth.size());
  for (std::size_t k = 0; k < truth.size(); ++k)
    if (truth.data()[k] < 0 || static_cast<std::size_t>(truth.data()[k]) >= partner_of_truth.size())
      throw std::invalid_argument("pairs must be of objects of the table");
  return {truth.data(), pred.data(), unions.data(), truth.size(), partner_of_truth.data(), partner_of_pred.data(),
          partner_of_truth.size(), partner_of_pred.size()};
}

inline nb::tuple count_credits(const nb::tuple& atoms, Column<std::int64_t> truth, Column<std::int64_t> pred,
                               Column<std::int64_t> unions, Column<std::int64_t> partner_of_truth,
                               Column<std::int64_t> partner_of_pred, double low) {
  const PairsView pairs = pairs_view(truth, pred, unions, partner_of_truth, partner_of_pred);
  const AtomsView view = atoms_view(atoms, pairs.truths, pairs.preds);
  Credits found = without_lock([&] { return CreditCount(view, pairs).credits(low); });
  return nb::make_tuple(to_numpy(std::move(found.soft)), to_numpy(std::move(found.pixels)));
}

inline nb::object count_own(const nb::tuple& atoms, Column<std::int64_t> truth, Column<std::int64_t> pred,
                            Column<std::int64_t> partner_of_truth, Column<std::int64_t> partner_of_pred) {
  const PairsView pairs = pairs_view(truth, pred, truth, partner_of_truth, partner_of_pred);
  const AtomsView view = atoms_view(atoms, pairs.truths, pairs.preds);
  return to_numpy(without_lock([&] { return CreditCount(view, pairs).own(); }));
}

inline void check_pairs(const Column<std::int64_t>& truth, const Column<std::int64_t>& pred, std::size_t truths,
                        std::size_t preds) {
  if (truth.size() != pred.size() || truth.size() >> 31 || (truths + preds) >> 31)
    throw std::invalid_argument("pairs must be columns of one length");
  for (std::size_t k = 0; k < truth.size(); ++k)
    if (truth.data()[k] < 0 || static_cast<std::size_t>(truth.data()[k]) >= truths || pred.data()[k] < 0 ||
        static_cast<std::size_t>(pred.data()[k]) >= preds)
      throw std::invalid_argument("pairs must be of masks that are there");
}

inline nb::tuple count_credits_of_masks(const nb::tuple& truth_runs, const nb::tuple& pred_runs, std::int64_t pixels,
                                        Column<std::int64_t> truth, Column<std::int64_t> pred,
                                        Column<std::int64_t> shared, Column<std::int64_t> unions,
                                        Column<std::int64_t> partner_of_truth, Column<std::int64_t> partner_of_pred,
                                        double low, unsigned threads) {
  const RunsView first = runs_view(truth_runs, pixels), second = runs_view(pred_runs, pixels);
  const PairsView pairs = pairs_view(truth, pred, unions, partner_of_truth, partner_of_pred);
  check_pairs(truth, pred, first.masks, second.masks);
  if (shared.size() != truth.size() || pairs.truths != first.masks || pairs.preds != second.masks)
    throw std::invalid_argument("pairs and partners must be those of the masks");
  Credits found = without_lock(
      [&] { return SoftPairs(first, second, pairs, shared.data()).credits(pixels, low, threads); });
  return nb::make_tuple(to_numpy(std::move(found.soft)), to_numpy(std::move(found.pixels)));
}

inline nb::object break_ties_of_atoms(const nb::tuple& atoms, Column<std::int64_t> truth_areas,
                                      Column<std::int64_t> pred_areas, Column<std::int64_t> truth,
                                      Column<std::int64_t> pred) {
  const AtomsView view = atoms_view(atoms, truth_areas.size(), pred_areas.size());
  check_pairs(truth, pred, truth_areas.size(), pred_areas.size());
  return to_numpy(without_lock([&] {
    AtomTies ties(view, truth_areas.data(), truth_areas.size(), pred_areas.data(), pred_areas.size());
    return ties.solve(truth.size(), truth.data(), pred.data());
  }));
}

inline void bind_masks(nb::module_& module) {
  module.def("count_masks", &count_mask_pairs, nb::arg("truth"), nb::arg("pred"), nb::arg("pixels"),
             nb::arg("threads"), "Which masks share how many pixels; ordered by truth, then pred.");
  module.def("count_layers", &count_layers, nb::arg("truth"), nb::arg("pred"), nb::arg("pixels"), nb::arg("threads"),
             "The same, and how many pixels are covered by truth, by pred, by both.");
  module.def("covered", &cover_of_masks, nb::arg("runs"), nb::arg("pixels"), "What any mask covers, as one mask.");
  module.def("masks_without", &masks_without, nb::arg("runs"), nb::arg("region"), nb::arg("pixels"),
             "Every mask without the pixels of a region.");
  module.def("mask_bands", &mask_bands, nb::arg("runs"), nb::arg("shape"), nb::arg("reach"), nb::arg("threads"),
             "The boundary band of each mask.");
  module.def("sweep_atoms", &sweep_atoms, nb::arg("truth"), nb::arg("pred"), nb::arg("pixels"), nb::arg("most"),
             "So many pixels are under exactly these masks.");
  module.def("order_atoms", &order_atoms, nb::arg("atoms"), nb::arg("truths"), nb::arg("preds"),
             "Every atom once, in order of its sets.");
  module.def("tabulate_atoms", &tabulate_atoms, nb::arg("atoms"), nb::arg("truths"), nb::arg("preds"),
             "Areas of both sides, and pairs, summed over atoms.");
  module.def("count_credits", &count_credits, nb::arg("atoms"), nb::arg("truth").noconvert(),
             nb::arg("pred").noconvert(), nb::arg("unions").noconvert(), nb::arg("partner_of_truth").noconvert(),
             nb::arg("partner_of_pred").noconvert(), nb::arg("low"),
             "Which pairs are soft, and how many pixels are credited to each.");
  module.def("count_own", &count_own, nb::arg("atoms"), nb::arg("truth").noconvert(), nb::arg("pred").noconvert(),
             nb::arg("partner_of_truth").noconvert(), nb::arg("partner_of_pred").noconvert(),
             "Pixels of each pair that no match accounts for.");
  module.def("count_credits_of_masks", &count_credits_of_masks, nb::arg("truth_runs"), nb::arg("pred_runs"),
             nb::arg("pixels"), nb::arg("truth").noconvert(), nb::arg("pred").noconvert(),
             nb::arg("shared").noconvert(), nb::arg("unions").noconvert(), nb::arg("partner_of_truth").noconvert(),
             nb::arg("partner_of_pred").noconvert(), nb::arg("low"), nb::arg("threads"),
             "The same, from the masks themselves, however deep they are nested.");
  module.def("break_ties_of_atoms", &break_ties_of_atoms, nb::arg("atoms"), nb::arg("truth_areas").noconvert(),
             nb::arg("pred_areas").noconvert(), nb::arg("truth").noconvert(), nb::arg("pred").noconvert(),
             "A number for each pair: what its objects are, whatever their order and scale.");
  module.def("stack_runs", &stack_runs, nb::arg("stack").noconvert(), nb::arg("threads"),
             "Runs of each mask of a stack, and the least and the largest value inside.");
  module.def("label_runs", &label_runs, nb::arg("labels").noconvert(), "Labels of an image, and the runs of each.");
  module.def("polygon_runs", &polygon_runs, nb::arg("xy").noconvert(), nb::arg("ring_ends").noconvert(),
             nb::arg("object_ends").noconvert(), nb::arg("height"), nb::arg("width"), nb::arg("most"),
             "Runs of each object: pixels whose centres are inside of its rings.");
}

}  // namespace softpq
