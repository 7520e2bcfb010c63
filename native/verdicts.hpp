// What happened to each object, in a number: its place in the list of verdicts of its side (explain/verdicts.py).
//
// Several things may be true of one object; the first of these decides: it is matched; (of predictions) it is a second one
// of an object that has its match; it lies mostly in an object that has other partners, too; it has several soft partners,
// or none and is spread over several objects; it has one soft partner. Else nothing was found.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "table_sums.hpp"

namespace softpq {

// Of every pair: whether it is matched, whether it is soft, whether it would match an object that has another match.
struct PairFlags {
  const bool *matched, *soft, *again;
};

// One side of a table, and the other.
struct VerdictSide {
  std::size_t objects, others;
  const std::int64_t *object, *other;            // of each pair
  const std::int64_t *object_areas, *other_areas;
};

enum Verdict : std::uint8_t { kMatched, kPartial, kSeveral, kHeld, kNothing, kDuplicate };

class VerdictRule {
 public:
  VerdictRule(const VerdictSide& side, std::size_t pairs, const std::int64_t* pixels, const PairFlags& flags)
      : about_(side.objects) {
    std::vector<std::int32_t> partners(side.others, 0);
    const auto held = [&](std::size_t k) { return 2 * pixels[k] > side.object_areas[side.object[k]]; };
    for (std::size_t k = 0; k < pairs; ++k) partners[side.other[k]] += flags.matched[k] || flags.soft[k] || held(k);
    for (std::size_t k = 0; k < pairs; ++k) {
      About& about = about_[side.object[k]];
      about.matched |= flags.matched[k];
      about.again |= flags.again[k];
      about.held |= held(k) && partners[side.other[k]] > 1;
      about.soft += flags.soft[k];
      about.holds += 2 * pixels[k] > side.other_areas[side.other[k]];
    }
  }

  std::vector<std::uint8_t> verdicts(bool of_pred) const {
    std::vector<std::uint8_t> found;
    found.reserve(about_.size());
    for (const About& about : about_) found.push_back(about.verdict(of_pred));
    return found;
  }

 private:
  struct About {
    bool matched = false, again = false, held = false;
    std::int32_t soft = 0, holds = 0;  // partners

    Verdict verdict(bool of_pred) const {
      if (matched) return kMatched;
      if (of_pred && again) return kDuplicate;
      if (held) return kHeld;
      if (soft > 1 || (soft == 0 && holds > 1)) return kSeveral;
      return soft == 1 ? kPartial : kNothing;
    }
  };
  std::vector<About> about_;
};

struct Verdicts {
  std::vector<std::uint8_t> truth, pred;
};

inline Verdicts verdicts_of(const PairsOf& table, const PairFlags& flags) {
  const VerdictSide truth{table.truths, table.preds, table.truth, table.pred, table.truth_areas, table.pred_areas};
  const VerdictSide pred{table.preds, table.truths, table.pred, table.truth, table.pred_areas, table.truth_areas};
  return {VerdictRule(truth, table.pairs, table.pixels, flags).verdicts(false),
          VerdictRule(pred, table.pairs, table.pixels, flags).verdicts(true)};
}

}  // namespace softpq
