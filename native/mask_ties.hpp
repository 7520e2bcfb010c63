// Which of equally good matchings is taken where masks overlap: as in ties.hpp, but objects are told apart by the atoms
// they lie in, because two predictions that share the same with every truth object may overlap others differently.
#pragma once

#include <cstdint>
#include <numeric>
#include <vector>

#include "colours.hpp"
#include "mask_atoms.hpp"

namespace softpq {

class AtomTies {
 public:
  AtomTies(const AtomsView& atoms, const std::int64_t* truth_areas, std::size_t truths, const std::int64_t* pred_areas,
           std::size_t preds)
      : atoms_(atoms), truths_(truths), areas_(truth_areas, truth_areas + truths) {
    areas_.insert(areas_.end(), pred_areas, pred_areas + preds);
  }

  // A number for each pair, from the colours of its objects. It is mixed: sums of colours would be the same however the
  // same objects are paired.
  std::vector<Colour> solve(std::size_t pairs, const std::int64_t* truth, const std::int64_t* pred) {
    active_.resize(atoms_.count);
    std::iota(active_.begin(), active_.end(), std::size_t{0});
    const std::vector<Colour> colour = Colours<AtomTies>(areas_.size(), *this).solve();
    std::vector<Colour> ties(pairs);
    for (std::size_t k = 0; k < pairs; ++k)
      ties[k] = mixed(colour[static_cast<std::size_t>(truth[k])] + colour[truths_ + static_cast<std::size_t>(pred[k])]);
    return ties;
  }

  template <class Join>
  void connect(Join join) const {
    for (std::size_t atom = 0; atom < atoms_.count; ++atom) {
      std::size_t first = areas_.size();
      for_each_member(atom, [&](std::size_t node, int) { first == areas_.size() ? void(first = node) : join(node, first); });
    }
  }

  // Every member of an atom sees who else is there, on its own side and on the other.
  void gather(const std::vector<char>& open, const std::vector<Colour>& colour, std::vector<Colour>& sums) {
    for (const std::size_t atom : active_) {
      if ((atom & 0xfff) == 0) tick();
      Colour seen[2] = {0, 0};
      for_each_member(atom, [&](std::size_t node, int side) { seen[side] += mixed(colour[node] ^ share(node, atom)); });
      const Colour both[2] = {mixed(seen[0]), mixed(seen[1])};
      for_each_member(atom, [&](std::size_t node, int side) {
        if (open[node]) sums[node] += mixed(share(node, atom) + 3U * both[side] + 5U * both[1 - side]);
      });
    }
  }

  // Never the number 0, of which mixing makes 0.
  void meet(const std::vector<char>& open, std::vector<Colour>& sums) const {
    for (const std::size_t atom : active_)
      for_each_member(atom, [&](std::size_t node, int side) {
        if (open[node]) sums[node] += mixed(static_cast<Colour>(2 * atom + 1) + static_cast<Colour>(side));
      });
  }

  void forget(const std::vector<char>& open) {
    keep_open(active_, [&](std::size_t atom) { return has_open(open, atom); });
  }

 private:
  Colour share(std::size_t node, std::size_t atom) const {
    return mixed(static_cast<double>(atoms_.pixels[atom]) / static_cast<double>(areas_[node]));
  }

  bool has_open(const std::vector<char>& open, std::size_t atom) const {
    bool some = false;
    for_each_member(atom, [&](std::size_t node, int) { some = some || open[node]; });
    return some;
  }

  // Calls body(node, side) for the members of an atom.
  template <class Body>
  void for_each_member(std::size_t atom, Body body) const {
    for (const Member* t = atoms_.truth.begin(atom); t != atoms_.truth.end(atom); ++t) body(static_cast<std::size_t>(*t), 0);
    for (const Member* p = atoms_.pred.begin(atom); p != atoms_.pred.end(atom); ++p)
      body(truths_ + static_cast<std::size_t>(*p), 1);
  }

  AtomsView atoms_;
  std::size_t truths_;
  std::vector<std::int64_t> areas_;
  std::vector<std::size_t> active_;  // atoms with an open object
};

}  // namespace softpq
