// Every pixel gives its credit once: what SoftPQ counts softly where masks overlap.
//
// In an atom, a match of two of its members accounts for its pixels; those two are left out. What is left of both sides
// are the pairs that own the pixels. Of those that are soft, an object may have several: they share the pixels.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "interrupt.hpp"
#include "mask_atoms.hpp"

namespace softpq {

// Pairs ordered by truth, then pred; `partner_*` is the matched object of the other side, or -1.
struct PairsView {
  const std::int64_t *truth, *pred, *unions;
  std::size_t count;
  const std::int64_t *partner_of_truth, *partner_of_pred;
  std::size_t truths, preds;
};

struct Credits {
  std::vector<std::uint8_t> soft;
  std::vector<double> pixels;  // credited to each pair
};

class CreditCount {
 public:
  CreditCount(const AtomsView& atoms, const PairsView& pairs)
      : atoms_(atoms), pairs_(pairs), first_(pairs.truths + 1, 0), in_truth_(pairs.truths, 0), in_pred_(pairs.preds, 0),
        of_truth_(pairs.truths, 0), of_pred_(pairs.preds, 0) {
    for (std::size_t k = 0; k < pairs.count; ++k) ++first_[static_cast<std::size_t>(pairs.truth[k]) + 1];
    for (std::size_t t = 1; t < first_.size(); ++t) first_[t] += first_[t - 1];
  }

  std::vector<std::int64_t> own() {
    std::vector<std::int64_t> found(pairs_.count, 0);
    for (std::size_t atom = 0; atom < atoms_.count; ++atom) {
      owners(atom);
      for_each_pair([&](std::size_t pair, Member, Member) { found[pair] += atoms_.pixels[atom]; });
    }
    return found;
  }

  Credits credits(double low) {
    const std::vector<std::int64_t> own_pixels = own();
    Credits found{std::vector<std::uint8_t>(pairs_.count), std::vector<double>(pairs_.count, 0.0)};
    for (std::size_t k = 0; k < pairs_.count; ++k)
      found.soft[k] = static_cast<double>(own_pixels[k]) / static_cast<double>(pairs_.unions[k]) > low;
    std::vector<std::int64_t> undivided(pairs_.count, 0);
    for (std::size_t atom = 0; atom < atoms_.count; ++atom) share(atom, found.soft, undivided);
    std::vector<std::pair<std::uint64_t, std::int64_t>> shared(shared_.begin(), shared_.end());
    std::sort(shared.begin(), shared.end());
    for (std::size_t k = 0; k < pairs_.count; ++k) found.pixels[k] = static_cast<double>(undivided[k]);
    for (const auto& [key, pixels] : shared)
      found.pixels[key >> kShift] += static_cast<double>(pixels) / static_cast<double>(key & ((1u << kShift) - 1));
    return found;
  }

 private:
  static constexpr int kShift = 24;

  // The members that no match in this atom accounts for.
  void owners(std::size_t atom) {
    if ((atom & 0xff) == 0) tick();
    ++stamp_;
    truths_.clear();
    preds_.clear();
    const SetsView &truth = atoms_.truth, &pred = atoms_.pred;
    for (const Member* t = truth.begin(atom); t != truth.end(atom); ++t) in_truth_[static_cast<std::size_t>(*t)] = stamp_;
    for (const Member* p = pred.begin(atom); p != pred.end(atom); ++p) {
      in_pred_[static_cast<std::size_t>(*p)] = stamp_;
      const std::int64_t partner = pairs_.partner_of_pred[*p];
      if (partner < 0 || in_truth_[static_cast<std::size_t>(partner)] != stamp_) preds_.push_back(*p);
    }
    for (const Member* t = truth.begin(atom); t != truth.end(atom); ++t) {
      const std::int64_t partner = pairs_.partner_of_truth[*t];
      if (partner < 0 || in_pred_[static_cast<std::size_t>(partner)] != stamp_) truths_.push_back(*t);
    }
  }

  // Calls body(pair, truth, pred) for all pairs of owners; both lists ascend.
  template <class Body>
  void for_each_pair(Body body) const {
    for (const Member t : truths_) {
      const std::int64_t* at = pairs_.pred + first_[static_cast<std::size_t>(t)];
      const std::int64_t* const end = pairs_.pred + first_[static_cast<std::size_t>(t) + 1];
      for (const Member p : preds_) {
        if (at != end && *at != p) at = std::lower_bound(at, end, static_cast<std::int64_t>(p));
        if (at == end || *at != p) continue;  // a table that was made by hand
        body(static_cast<std::size_t>(at - pairs_.pred), t, p);
        ++at;
      }
    }
  }

  void share(std::size_t atom, const std::vector<std::uint8_t>& soft, std::vector<std::int64_t>& undivided) {
    owners(atom);
    for (const Member t : truths_) of_truth_[static_cast<std::size_t>(t)] = 0;
    for (const Member p : preds_) of_pred_[static_cast<std::size_t>(p)] = 0;
    for_each_pair([&](std::size_t pair, Member t, Member p) {
      if (soft[pair]) ++of_truth_[static_cast<std::size_t>(t)], ++of_pred_[static_cast<std::size_t>(p)];
    });
    for_each_pair([&](std::size_t pair, Member t, Member p) {
      if (!soft[pair]) return;
      const std::uint32_t sharing = std::max(of_truth_[static_cast<std::size_t>(t)], of_pred_[static_cast<std::size_t>(p)]);
      if (sharing == 1) undivided[pair] += atoms_.pixels[atom];
      else shared_[(static_cast<std::uint64_t>(pair) << kShift) | sharing] += atoms_.pixels[atom];
    });
  }

  AtomsView atoms_;
  PairsView pairs_;
  std::vector<std::size_t> first_;
  std::vector<std::size_t> in_truth_, in_pred_;
  std::vector<std::uint32_t> of_truth_, of_pred_;
  std::vector<Member> truths_, preds_;
  std::unordered_map<std::uint64_t, std::int64_t> shared_;
  std::size_t stamp_ = 0;
};

}  // namespace softpq
