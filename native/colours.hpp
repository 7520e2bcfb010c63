// Telling objects apart by what is around them, whatever their numbers.
//
// The idea. Twins, which share the very same with the same objects, are numbered in any order. Then every object gets a
// colour, again and again mixed with the colours of those it shares pixels with, until no more colours appear in its
// connected part (Weisfeiler and Leman). An object whose colour no other of its part has is known and keeps it; only the
// others, the open ones, are mixed again: in real images nearly all are known after two rounds. If some still look the
// same, one of them is marked, and the open ones are mixed again. Which one must not depend on its number: each of the
// smallest kind is tried, and the colours that follow decide; if they are the same, so are the objects. Parts do not
// know of each other. Arithmetic is that of 32 bits, so that the page can repeat it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <numeric>
#include <utility>
#include <vector>

#include "interrupt.hpp"

namespace softpq {

using Colour = std::uint32_t;

inline Colour mixed(Colour x) {
  x ^= x >> 16;
  x *= 0x85ebca6bU;
  x ^= x >> 13;
  x *= 0xc2b2ae35U;
  return x ^ (x >> 16);
}

inline Colour mixed(double value) {
  std::uint64_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  return mixed(static_cast<Colour>(bits) ^ mixed(static_cast<Colour>(bits >> 32) + 0x9e3779b9U));
}

constexpr int kMostMarks = 64, kMostTries = 16;  // where that is not enough, order decides

// What links objects is asked four things: `connect(join)` calls join(a, b) for objects of one part; `gather(open, colour,
// sums)` adds to the sum of every open object what it sees of others; `meet(open, sums)` adds who they are;
// `forget(open)` says that only these are asked for from now on.
template <class Links>
class Colours {
 public:
  Colours(std::size_t nodes, Links& links)
      : links_(links), part_(nodes), kinds_(nodes, 0), colour_(nodes, 0), sums_(nodes, 0), is_open_(nodes, 0) {
    find_parts();
  }

  std::vector<Colour> solve() {
    number_twins();
    refine();
    for (int k = 0; k < kMostMarks && !open_.empty(); ++k) mark();
    return std::move(colour_);
  }

 private:
  using Node = std::uint32_t;
  using Nodes = std::vector<Node>;

  // Alone, or two that have only each other: nothing to tell apart.
  void find_parts() {
    std::iota(part_.begin(), part_.end(), Node{0});
    const auto root = [this](Node node) {
      while (part_[node] != node) node = part_[node] = part_[part_[node]];
      return node;
    };
    links_.connect([&](std::size_t a, std::size_t b) { part_[root(static_cast<Node>(a))] = root(static_cast<Node>(b)); });
    Nodes end(part_.size(), 0);  // of each part in a list of all objects
    for (Node node = 0; node < part_.size(); ++node) ++end[part_[node] = root(node)];
    for (Node node = 0; node < part_.size(); ++node) is_open_[node] = end[part_[node]] > 2;
    std::partial_sum(end.begin(), end.end(), end.begin());
    Nodes all(part_.size());
    for (Node node = static_cast<Node>(part_.size()); node-- > 0;) all[--end[part_[node]]] = node;
    std::copy_if(all.begin(), all.end(), std::back_inserter(open_), [this](Node node) { return is_open_[node]; });
  }

  // Whichever of twins comes first, everything stays as it is. How many there are is a part of what they are.
  void number_twins() {
    links_.forget(is_open_);
    links_.meet(is_open_, sums_);
    for_each_kind(open_, sums_, [this](std::size_t from, std::size_t to) {
      for (std::size_t k = from; k < to; ++k)
        colour_[node_at(k)] = mixed(static_cast<Colour>((to - from) << 16) + static_cast<Colour>(k - from));
    });
  }

  // Mixes open objects until no part has more kinds of them.
  void refine() {
    for (const Node node : open_) kinds_[part_[node]] = 0;
    for (Nodes moving = settle(open_); !moving.empty(); moving = settle(moving)) {
      tick();
      for (const Node node : moving) sums_[node] = 0;
      links_.gather(is_open_, colour_, sums_);
      for (const Node node : moving) colour_[node] = mixed(colour_[node] + 0x7f4a7c15U + sums_[node]);
    }
    open_.erase(std::remove_if(open_.begin(), open_.end(), [this](Node node) { return !is_open_[node]; }), open_.end());
  }

  // Objects whose colour no other of their part has are known from now on; returns the others of parts with more kinds.
  Nodes settle(const Nodes& nodes) {
    Nodes moving;
    std::size_t start = 0, kinds = 0, shared = 0;
    for_each_kind(nodes, colour_, [&](std::size_t from, std::size_t to) {
      const Node part = part_[node_at(from)];
      ++kinds;
      if (to - from == 1) is_open_[node_at(from)] = 0;
      else ++shared, add_keys(moving, from, to);
      if (to < keys_.size() && part_[node_at(to)] == part) return;
      if (kinds <= kinds_[part]) moving.resize(start);
      kinds_[part] = static_cast<Node>(shared);
      start = moving.size(), kinds = shared = 0;
    });
    if (!trying_) links_.forget(is_open_);
    return moving;
  }

  // In every part, one open object of the smallest kind gets another colour.
  void mark() {
    const std::vector<Nodes> choices = smallest_kinds();
    std::vector<Colour> highest(choices.size(), 0);
    Nodes best(choices.size());
    std::size_t most = 0;
    for (std::size_t part = 0; part < choices.size(); ++part) {
      best[part] = choices[part][0];
      most = std::max(most, choices[part].size());
    }
    for (std::size_t k = 0; k < std::min<std::size_t>(most, kMostTries); ++k) {
      const std::vector<Colour> seen = try_marks(choices, k);
      for (std::size_t part = 0; part < choices.size(); ++part)
        if (k < choices[part].size() && seen[part] > highest[part]) highest[part] = seen[part], best[part] = choices[part][k];
    }
    for (const Node node : best) colour_[node] = mixed(colour_[node] + kMark);
    refine();
  }

  // For every part with open objects, those of the kind that has fewest; of such, of the smallest colour.
  std::vector<Nodes> smallest_kinds() {
    std::vector<Nodes> found;
    for_each_kind(open_, colour_, [&](std::size_t from, std::size_t to) {
      const Node node = node_at(from);
      const bool same = !found.empty() && part_[found.back()[0]] == part_[node];
      if (same && found.back().size() <= to - from) return;
      if (same) found.pop_back();
      add_keys(found.emplace_back(), from, to);
    });
    return found;
  }

  // What follows in each part if the k-th choice is marked, as one number; nothing is changed.
  std::vector<Colour> try_marks(const std::vector<Nodes>& choices, std::size_t k) {
    const Nodes all = open_;
    std::vector<Colour> before;
    for (const Node node : all) before.push_back(colour_[node]);
    std::vector<Colour> seen(choices.size(), 0);
    for (std::size_t part = 0; part < choices.size(); ++part) {
      place_[part_[choices[part][0]]] = part;
      if (k < choices[part].size()) colour_[choices[part][k]] = mixed(colour_[choices[part][k]] + kMark);
    }
    open_.erase(std::remove_if(open_.begin(), open_.end(), [&](Node node) { return k >= choices[place_[part_[node]]].size(); }),
                open_.end());
    trying_ = true;
    refine();
    trying_ = false;
    for (const Node node : all) seen[place_[part_[node]]] += mixed(colour_[node]);
    for (std::size_t at = 0; at < all.size(); ++at) colour_[all[at]] = before[at], is_open_[all[at]] = 1;
    open_ = all;
    return seen;
  }

  // Calls body(from, to) for the places in keys_ of objects of one part with one value. Lists of objects stand by part.
  template <class Body>
  void for_each_kind(const Nodes& nodes, const std::vector<Colour>& value, Body body) {
    keys_.clear();
    for (const Node node : nodes) keys_.push_back(static_cast<std::uint64_t>(value[node]) << 32 | node);
    for (std::size_t from = 0, to = 0; from < keys_.size(); from = to) {
      while (to < keys_.size() && part_[node_at(to)] == part_[node_at(from)]) ++to;
      std::sort(keys_.begin() + static_cast<std::ptrdiff_t>(from), keys_.begin() + static_cast<std::ptrdiff_t>(to));
    }
    for (std::size_t from = 0, to = 0; from < keys_.size(); from = to) {
      while (to < keys_.size() && keys_[to] >> 32 == keys_[from] >> 32 && part_[node_at(to)] == part_[node_at(from)]) ++to;
      body(from, to);
    }
  }

  Node node_at(std::size_t k) const { return static_cast<Node>(keys_[k]); }

  void add_keys(Nodes& nodes, std::size_t from, std::size_t to) const {
    for (std::size_t k = from; k < to; ++k) nodes.push_back(node_at(k));
  }

  static constexpr Colour kMark = 0x2545f491U;

  Links& links_;
  Nodes part_, kinds_, open_;  // kinds_: how many kinds of open objects a part has
  std::vector<Colour> colour_, sums_;
  std::vector<char> is_open_;
  std::vector<std::uint64_t> keys_;
  std::vector<std::size_t> place_ = std::vector<std::size_t>(part_.size());
  bool trying_ = false;
};

// Keeps of a list what has something open.
template <class Item, class IsOpen>
void keep_open(std::vector<Item>& items, IsOpen is_open) {
  items.erase(std::remove_if(items.begin(), items.end(), [&](const Item& item) { return !is_open(item); }), items.end());
}

}  // namespace softpq
