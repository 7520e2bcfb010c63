// What Python sees of the sums of a table. Positions are checked where a table comes in.
#include <nanobind/nanobind.h>

#include <limits>
#include <stdexcept>
#include <string>

#include "bindings.hpp"
#include "python.hpp"
#include "table_sums.hpp"
#include "verdicts.hpp"

namespace softpq {

namespace {

using Counts = Column<std::int64_t>;
using Floats = Column<double>;
using Flags = Column<bool>;

void check_positions(const Counts& positions, std::size_t size) {
  for (std::size_t k = 0; k < positions.size(); ++k)
    if (positions.data()[k] < 0 || static_cast<std::size_t>(positions.data()[k]) >= size)
      throw std::invalid_argument("a pair has no such object");
}

PairsOf as_pairs(const Counts& truth_areas, const Counts& pred_areas, const Counts& truth, const Counts& pred,
                        const Counts& pixels) {
  if (truth.size() != pred.size() || truth.size() != pixels.size())
    throw std::invalid_argument("columns must have the same length");
  check_positions(truth, truth_areas.size()), check_positions(pred, pred_areas.size());
  return {truth_areas.size(), pred_areas.size(), truth.size(),  truth_areas.data(),
          pred_areas.data(),  truth.data(),      pred.data(), pixels.data()};
}

void check_length(std::size_t length, std::size_t pairs) {
  if (length != pairs) throw std::invalid_argument("columns must have the same length");
}

nb::object sum_ious(const Counts& truth_areas, const Counts& pred_areas, const Counts& truth, const Counts& pred,
                           const Counts& pixels) {
  return to_fixed(pair_ious(as_pairs(truth_areas, pred_areas, truth, pred, pixels)));
}

double sum_exactly(const Floats& values) {
  ExactSum sum;
  for (std::size_t k = 0; k < values.size(); ++k) sum.add(values.data()[k]);
  return sum.total();
}

nb::tuple find_candidates(const Counts& truth_areas, const Counts& pred_areas, const Counts& truth,
                                 const Counts& pred, const Counts& pixels, const Floats& iou, double threshold,
                                 bool strict) {
  const PairsOf table = as_pairs(truth_areas, pred_areas, truth, pred, pixels);
  check_length(iou.size(), table.pairs);
  Candidates found = candidates_of(table, iou.data(), threshold, strict);
  return nb::make_tuple(to_fixed(std::move(found.pairs)), found.contested);
}

nb::tuple find_contest(const Counts& truth_areas, const Counts& pred_areas, const Counts& truth,
                              const Counts& pred, const Counts& pixels) {
  Contest found = contest_of(as_pairs(truth_areas, pred_areas, truth, pred, pixels));
  return nb::make_tuple(to_numpy(std::move(found.pairs)), found.truths, found.preds, to_numpy(std::move(found.truth)),
                        to_numpy(std::move(found.pred)));
}

struct DividedBy {
  const nb::callable& divisor;
  double operator()(std::size_t n) const {
    const double value = nb::cast<double>(divisor(n));
    if (!(value > 0 && value <= std::numeric_limits<double>::max()))
      throw std::invalid_argument("penalty must return positive numbers; got " + std::to_string(value) + " for n=" +
                                  std::to_string(n) + ".");
    return value;
  }
};

nb::object to_tuple(const SoftSums& sums) {
  return nb::make_tuple(sums.matched, sums.matched_iou, sums.soft, sums.soft_iou);
}

nb::object sum_softly(const Counts& group, std::size_t groups, const Floats& iou, const Flags& matched,
                            const Flags& soft, const Floats& credit, const nb::callable& divisor) {
  check_positions(group, groups);
  for (const std::size_t length : {iou.size(), matched.size(), soft.size(), credit.size()})
    check_length(length, group.size());
  return to_tuple(soft_sums(group.size(), groups, group.data(), iou.data(), matched.data(), soft.data(), credit.data(),
                            DividedBy{divisor}));
}

nb::object sum_plainly(const Counts& truth_areas, const Counts& pred_areas, const Counts& truth, const Counts& pred,
                       const Counts& pixels, double low, double high, bool by_truth, const nb::callable& divisor) {
  const PairsOf table = as_pairs(truth_areas, pred_areas, truth, pred, pixels);
  const std::optional<SoftSums> sums = plain_soft_sums(table, low, high, by_truth, DividedBy{divisor});
  return sums ? to_tuple(*sums) : nb::object(nb::none());
}

nb::tuple find_verdicts(const Counts& truth_areas, const Counts& pred_areas, const Counts& truth, const Counts& pred,
                        const Counts& pixels, const Flags& matched, const Flags& soft, const Flags& again) {
  const PairsOf table = as_pairs(truth_areas, pred_areas, truth, pred, pixels);
  for (const std::size_t length : {matched.size(), soft.size(), again.size()}) check_length(length, table.pairs);
  Verdicts found = verdicts_of(table, {matched.data(), soft.data(), again.data()});
  return nb::make_tuple(to_numpy(std::move(found.truth)), to_numpy(std::move(found.pred)));
}

nb::tuple sum_aggregated(const Counts& truth_areas, const Counts& pred_areas, const Counts& truth,
                                const Counts& pred, const Counts& pixels, const Floats& iou) {
  const PairsOf table = as_pairs(truth_areas, pred_areas, truth, pred, pixels);
  check_length(iou.size(), table.pairs);
  const Aggregated sums = aggregated(table, iou.data());
  return nb::make_tuple(sums.intersection, sums.united);
}

double sum_covered(const Counts& truth_areas, const Counts& pred_areas, const Counts& truth, const Counts& pred,
                          const Counts& pixels, const Floats& iou) {
  const PairsOf table = as_pairs(truth_areas, pred_areas, truth, pred, pixels);
  check_length(iou.size(), table.pairs);
  return covered_iou(table, iou.data());
}

nb::tuple sum_bits(const Counts& truth_areas, const Counts& pred_areas, const Counts& truth, const Counts& pred,
                          const Counts& pixels, std::int64_t background, bool judged) {
  const PairsOf table = as_pairs(truth_areas, pred_areas, truth, pred, pixels);
  const Bits bits = bits_of(Segments(table, background, judged));
  return nb::make_tuple(bits.split, bits.merge, bits.pixels);
}

nb::tuple sum_together(const Counts& truth_areas, const Counts& pred_areas, const Counts& truth,
                              const Counts& pred, const Counts& pixels, std::int64_t background, bool judged) {
  const PairsOf table = as_pairs(truth_areas, pred_areas, truth, pred, pixels);
  const Together sums = together_in(Segments(table, background, judged));
  return nb::make_tuple(sums.in_both, sums.in_truth, sums.in_pred);
}

}  // namespace

void bind_sums(nb::module_& module) {
  module.def("pair_ious", &sum_ious, "Intersection over union of each pair.");
  module.def("exact_sum", &sum_exactly, "A sum that is rounded once.");
  module.def("candidates", &find_candidates, "Pairs from a threshold on, and whether an object is in several.");
  module.def("contest", &find_contest, "Pairs of which somebody else wants an object, numbered anew.");
  module.def("soft_sums", &sum_softly, "Matched pairs and their IoUs, soft pairs and their IoUs over their divisors.");
  module.def("plain_soft_sums", &sum_plainly, "The same from the table alone; None if matches have to be chosen.");
  module.def("verdicts", &find_verdicts, "What happened to each object of truth and of pred, as places in the lists.");
  module.def("aggregated", &sum_aggregated, "Intersection and union of AJI.");
  module.def("covered_iou", &sum_covered, "The sum of SEG.");
  module.def("segment_bits", &sum_bits, "Bits of split and merge, over so many pixels.");
  module.def("segment_pairs", &sum_together, "Pixel pairs that are together in both, in truth and in pred.");
}

}  // namespace softpq
