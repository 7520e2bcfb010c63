// Which of equally good matchings is taken where masks overlap: as in ties.hpp, but objects are told apart by the atoms
// they lie in, because two predictions that share the same with every truth object may overlap others differently.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <tuple>
#include <vector>

#include "interrupt.hpp"
#include "mask_atoms.hpp"
#include "ties.hpp"

namespace softpq {

class AtomTies {
 public:
  AtomTies(const AtomsView& atoms, const std::int64_t* truth_areas, std::size_t truths, const std::int64_t* pred_areas,
           std::size_t preds)
      : atoms_(atoms), truths_(truths), nodes_(truths + preds), colour_(nodes_, 0), sums_(nodes_, 0),
        areas_(truth_areas, truth_areas + truths) {
    areas_.insert(areas_.end(), pred_areas, pred_areas + preds);
  }

  // A colour for every object of truth, then of pred: what they are, whatever their order and scale.
  std::vector<std::uint64_t> solve() {
    refine();
    find_parts();
    tell_twins_apart();
    for (int k = 0; k < kMostMarks && mark_one_per_part(); ++k) refine();
    return colour_;
  }

 private:
  using Colour64 = std::uint64_t;

  Colour64 share(std::size_t node, std::size_t atom) const {
    const double value = static_cast<double>(atoms_.pixels[atom]) / static_cast<double>(areas_[node]);
    std::uint64_t bits;
    std::memcpy(&bits, &value, sizeof bits);
    return random_bits(bits);
  }

  // Calls body(node, side) for the members of an atom.
  template <class Body>
  void for_each_member(std::size_t atom, Body body) const {
    for (const Member* t = atoms_.truth.begin(atom); t != atoms_.truth.end(atom); ++t) body(static_cast<std::size_t>(*t), 0);
    for (const Member* p = atoms_.pred.begin(atom); p != atoms_.pred.end(atom); ++p)
      body(truths_ + static_cast<std::size_t>(*p), 1);
  }

  void refine() {
    std::size_t before = 0, now = count_colours();
    while (now > before) {
      std::fill(sums_.begin(), sums_.end(), 0);
      for (std::size_t atom = 0; atom < atoms_.count; ++atom) mix(atom);
      for (std::size_t node = 0; node < nodes_; ++node) colour_[node] = random_bits(colour_[node] + 7 * sums_[node]);
      before = now;
      now = count_colours();
    }
  }

  // Every member sees who else is there, on its own side and on the other.
  void mix(std::size_t atom) {
    if ((atom & 0xfff) == 0) tick();
    Colour64 seen[2] = {0, 0};
    for_each_member(atom, [&](std::size_t node, int side) { seen[side] += random_bits(colour_[node] ^ share(node, atom)); });
    for_each_member(atom, [&](std::size_t node, int side) {
      sums_[node] += random_bits(share(node, atom) + 3 * random_bits(seen[side]) + 5 * random_bits(seen[1 - side]));
    });
  }

  std::size_t count_colours() const {
    std::vector<Colour64> sorted = colour_;
    std::sort(sorted.begin(), sorted.end());
    return static_cast<std::size_t>(std::unique(sorted.begin(), sorted.end()) - sorted.begin());
  }

  void find_parts() {
    part_.resize(nodes_);
    std::iota(part_.begin(), part_.end(), std::size_t{0});
    const auto root = [this](std::size_t node) {
      while (part_[node] != node) node = part_[node] = part_[part_[node]];
      return node;
    };
    for (std::size_t atom = 0; atom < atoms_.count; ++atom) {
      std::size_t first = nodes_;
      for_each_member(atom, [&](std::size_t node, int) {
        if (first == nodes_) first = root(node);
        else part_[root(node)] = first;
      });
    }
    for (std::size_t node = 0; node < nodes_; ++node) part_[node] = root(node);
  }

  // Equal masks of one side: whichever comes first, everything stays as it is.
  void tell_twins_apart() {
    std::fill(sums_.begin(), sums_.end(), 0);
    for (std::size_t atom = 0; atom < atoms_.count; ++atom)
      for_each_member(atom, [&](std::size_t node, int side) { sums_[node] += random_bits(2 * atom + static_cast<std::size_t>(side)); });
    const std::vector<std::size_t> order = ordered([this](std::size_t node) { return std::make_tuple(sums_[node], node); });
    const std::vector<Colour64> before = colour_;
    std::uint64_t rank = 0;
    bool some = false;
    for (std::size_t k = 1; k < nodes_; ++k) {
      const std::size_t a = order[k - 1], b = order[k];
      rank = sums_[a] == sums_[b] && (a < truths_) == (b < truths_) && areas_[a] > 0 ? rank + 1 : 0;
      if (rank) colour_[b] = random_bits(before[b] + rank), some = true;
    }
    if (some) refine();
  }

  // In every part with several nodes of one colour, one node of the smallest such colour gets another.
  bool mark_one_per_part() {
    const std::vector<std::size_t> order =
        ordered([this](std::size_t node) { return std::make_tuple(part_[node], colour_[node], node); });
    const std::vector<Colour64> before = colour_;
    bool some = false;
    std::size_t done = nodes_;  // the part that has its mark
    for (std::size_t k = 1; k < nodes_; ++k) {
      const std::size_t a = order[k - 1], b = order[k];
      if (part_[a] == done || part_[a] != part_[b] || before[a] != before[b]) continue;
      done = part_[a];
      const bool more_before = k >= 2 && part_[order[k - 2]] == done;
      const bool more_after = k + 1 < nodes_ && part_[order[k + 1]] == done;
      if (!more_before && !more_after) continue;  // two objects that have only each other
      colour_[a] = random_bits(before[a] + 0x2545f491u);
      some = true;
    }
    return some;
  }

  template <class Key>
  std::vector<std::size_t> ordered(Key key) const {
    std::vector<std::size_t> order(nodes_);
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(), [&key](std::size_t a, std::size_t b) { return key(a) < key(b); });
    return order;
  }

  AtomsView atoms_;
  std::size_t truths_, nodes_;
  std::vector<Colour64> colour_, sums_;
  std::vector<std::int64_t> areas_;
  std::vector<std::size_t> part_;
};

}  // namespace softpq
