// One-to-one matching on a sparse graph: most pairs first, then the largest sum of weights.
//
// The idea. "Most pairs first" needs no large constant added to the weights, which would cost precision, and no
// search that fails: it is settled before any weight is looked at.
//
//   1. Hopcroft-Karp finds how many pairs there can be.
//   2. Dulmage-Mendelsohn cuts the graph by what is left over: around unmatched rows every column must be used;
//      everywhere else every row must be. Edges between the two parts are in no largest matching.
//   3. In each part, the side that must be used is inserted node by node along shortest augmenting paths
//      (Jonker-Volgenant, Dijkstra with a heap). The other side has room, so that the paths are short; nearly all
//      nodes take their best partner at once.
//
// Memory is linear in the edges and no dense matrix exists at any size.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <queue>
#include <utility>
#include <vector>

#include "interrupt.hpp"
#include "wide.hpp"

namespace softpq {

using Index = std::int64_t;
constexpr Index kNone = -1;

// Neighbours of every node of one side. `edge` leads back to the caller's list.
struct Neighbours {
  std::vector<Index> first, node, edge;

  Neighbours(Index size, std::size_t edges, const Index* from, const Index* to)
      : first(static_cast<std::size_t>(size) + 1, 0), node(edges), edge(edges) {
    for (std::size_t e = 0; e < edges; ++e) ++first[from[e] + 1];
    for (Index i = 0; i < size; ++i) first[i + 1] += first[i];
    std::vector<Index> next(first.begin(), first.end() - 1);
    for (std::size_t e = 0; e < edges; ++e) {
      const Index place = next[from[e]]++;
      node[place] = to[e];
      edge[place] = static_cast<Index>(e);
    }
  }
  Index size() const { return static_cast<Index>(first.size()) - 1; }
};

struct Partners {
  std::vector<Index> of_row, of_column;
  Partners(Index rows, Index columns) : of_row(rows, kNone), of_column(columns, kNone) {}
  void join(Index row, Index column) { of_row[row] = column, of_column[column] = row; }
};

// ---------------------------------------------------------------- 1. how many pairs (Hopcroft-Karp)

class MostPairs {
 public:
  MostPairs(const Neighbours& rows, Index columns) : rows_(rows), partners_(rows.size(), columns) {}

  Partners solve() {
    for (Index row = 0; row < rows_.size(); ++row) take_free_column(row);
    while (layer()) {
      tick();
      next_.assign(rows_.first.begin(), rows_.first.end() - 1);
      for (Index row = 0; row < rows_.size(); ++row)
        if (partners_.of_row[row] == kNone) augment(row);
    }
    return std::move(partners_);
  }

 private:
  void take_free_column(Index row) {
    for (Index k = rows_.first[row]; k < rows_.first[row + 1]; ++k)
      if (partners_.of_column[rows_.node[k]] == kNone) return partners_.join(row, rows_.node[k]);
  }

  // Distance of every row from the unmatched rows; whether some path ends in a free column.
  bool layer() {
    depth_.assign(rows_.size(), kNone);
    std::vector<Index> queue;
    for (Index row = 0; row < rows_.size(); ++row)
      if (partners_.of_row[row] == kNone) depth_[row] = 0, queue.push_back(row);
    bool found = false;
    for (std::size_t at = 0; at < queue.size(); ++at)
      for (Index k = rows_.first[queue[at]]; k < rows_.first[queue[at] + 1]; ++k) {
        const Index beyond = partners_.of_column[rows_.node[k]];
        if (beyond == kNone) found = true;
        else if (depth_[beyond] == kNone) depth_[beyond] = depth_[queue[at]] + 1, queue.push_back(beyond);
      }
    return found;
  }

  // Depth first along the layers, with a stack of our own: paths may be as long as the graph.
  void augment(Index root) {
    std::vector<Index> path{root};
    while (!path.empty()) {
      const Index row = path.back();
      if (next_[row] == rows_.first[row + 1]) {
        depth_[row] = kNone;
        path.pop_back();
        continue;
      }
      const Index beyond = partners_.of_column[rows_.node[next_[row]++]];
      if (beyond == kNone) {
        for (const Index step : path) partners_.join(step, rows_.node[next_[step] - 1]);
        return;
      }
      if (depth_[beyond] == depth_[row] + 1) path.push_back(beyond);
    }
  }

  const Neighbours& rows_;
  Partners partners_;
  std::vector<Index> depth_, next_;
};

// ---------------------------------------------------------------- 2. the part around unmatched nodes

// Marks what alternating paths reach from the unmatched nodes of the side whose neighbours are given.
inline void mark_reached(const Neighbours& near, const std::vector<Index>& partner_of_near,
                         const std::vector<Index>& partner_of_far, std::vector<char>& near_mark,
                         std::vector<char>& far_mark) {
  std::vector<Index> queue;
  for (Index node = 0; node < near.size(); ++node)
    if (partner_of_near[node] == kNone && near.first[node] < near.first[node + 1])
      near_mark[node] = 1, queue.push_back(node);
  for (std::size_t at = 0; at < queue.size(); ++at)
    for (Index k = near.first[queue[at]]; k < near.first[queue[at] + 1]; ++k) {
      const Index far = near.node[k];
      if (far_mark[far]) continue;
      far_mark[far] = 1;
      const Index back = partner_of_far[far];
      if (!near_mark[back]) near_mark[back] = 1, queue.push_back(back);
    }
}

// ---------------------------------------------------------------- 3. the largest sum (Jonker-Volgenant)

// Gives every node of the near side that is in the part a partner; the sum of costs is smallest.
class Cheapest {
 public:
  Cheapest(const Neighbours& near, Index far_size, const Wide* weight, const std::vector<char>& in_part)
      : near_(near),
        weight_(weight),
        in_part_(in_part),
        chosen_(near.size(), kNone),
        owner_(far_size, kNone),
        price_(far_size),
        distance_(far_size, kFar),
        via_(far_size, kNone),
        from_(far_size, kNone),
        settled_(far_size, 0) {}

  // For every near node the place of its chosen edge, or kNone outside the part.
  const std::vector<Index>& solve(const std::vector<char>& near_in_part) {
    std::vector<Index> waiting;
    for (Index node = 0; node < near_.size(); ++node)
      if (near_in_part[node] && !take_best(node)) waiting.push_back(node);
    for (const Index node : waiting) tick(), insert(node);
    return chosen_;
  }

 private:
  static inline const Wide kFar{std::numeric_limits<std::int64_t>::max(), 0};
  using Item = std::pair<Wide, Index>;  // distance, far node

  Wide cost(Index place) const { return Wide() - weight_[near_.edge[place]]; }

  bool take_best(Index node) {
    Index best = kNone;
    for (Index k = near_.first[node]; k < near_.first[node + 1]; ++k)
      if (in_part_[near_.node[k]] && (best == kNone || cost(k) < cost(best))) best = k;
    if (best == kNone || owner_[near_.node[best]] != kNone) return false;
    give(node, best);
    return true;
  }

  void give(Index node, Index place) { chosen_[node] = place, owner_[near_.node[place]] = node; }

  void relax(Index node, Wide base) {
    for (Index k = near_.first[node]; k < near_.first[node + 1]; ++k) {
      const Index far = near_.node[k];
      if (!in_part_[far] || settled_[far]) continue;
      const Wide reach = base + cost(k) - price_[far];
      if (!(reach < distance_[far])) continue;
      if (distance_[far] == kFar) touched_.push_back(far);
      distance_[far] = reach;
      via_[far] = k;
      from_[far] = node;
      heap_.emplace(reach, far);
    }
  }

  void insert(Index root) {
    heap_ = {};
    relax(root, Wide());
    std::vector<Index> settled;
    Index end = kNone;
    while (!heap_.empty()) {
      const auto [reach, far] = heap_.top();
      heap_.pop();
      if (settled_[far]) continue;
      if (owner_[far] == kNone) {
        end = far;
        break;
      }
      settled_[far] = 1;
      settled.push_back(far);
      const Index node = owner_[far];
      relax(node, reach - (cost(chosen_[node]) - price_[far]));
    }
    if (end != kNone) {  // always: the part has room for every near node
      for (const Index far : settled) price_[far] = price_[far] + distance_[far] - distance_[end];
      flip(root, end);
    }
    for (const Index far : touched_) distance_[far] = kFar, settled_[far] = 0;
    touched_.clear();
  }

  void flip(Index root, Index far) {
    while (true) {
      const Index node = from_[far], place = via_[far];
      const Index before = chosen_[node] == kNone ? kNone : near_.node[chosen_[node]];
      give(node, place);
      if (node == root) return;
      far = before;
    }
  }

  const Neighbours& near_;
  const Wide* weight_;
  const std::vector<char>& in_part_;
  std::vector<Index> chosen_, owner_;
  std::vector<Wide> price_, distance_;
  std::vector<Index> via_, from_, touched_;
  std::vector<char> settled_;
  std::priority_queue<Item, std::vector<Item>, std::greater<Item>> heap_;
};

// ---------------------------------------------------------------- together

inline Index most_pairs(Index rows, Index columns, std::size_t edges, const Index* row, const Index* column) {
  const Neighbours of_rows(rows, edges, row, column);
  const Partners partners = MostPairs(of_rows, columns).solve();
  Index count = 0;
  for (const Index partner : partners.of_row) count += partner != kNone;
  return count;
}

// For every edge, whether it is in the best matching; of equal sums of weights, the one with the largest sum of ties.
inline std::vector<char> best_pairs(Index rows, Index columns, std::size_t edges, const Index* row,
                                    const Index* column, const double* weight, const std::uint32_t* tie) {
  std::vector<Wide> exact(edges);
  for (std::size_t e = 0; e < edges; ++e) exact[e] = wide_weight(weight[e], tie[e]);
  const Neighbours of_rows(rows, edges, row, column), of_columns(columns, edges, column, row);
  const Partners partners = MostPairs(of_rows, columns).solve();
  std::vector<char> spare_rows(rows, 0), short_columns(columns, 0);
  mark_reached(of_rows, partners.of_row, partners.of_column, spare_rows, short_columns);

  std::vector<char> other_rows(rows), other_columns(columns), chosen(edges, 0);
  for (Index i = 0; i < rows; ++i) other_rows[i] = !spare_rows[i] && partners.of_row[i] != kNone;
  for (Index j = 0; j < columns; ++j) other_columns[j] = !short_columns[j];
  auto mark = [&chosen](const Neighbours& near, const std::vector<Index>& places) {
    for (const Index place : places)
      if (place != kNone) chosen[near.edge[place]] = 1;
  };
  Cheapest by_column(of_columns, rows, exact.data(), spare_rows), by_row(of_rows, columns, exact.data(), other_columns);
  mark(of_columns, by_column.solve(short_columns));
  mark(of_rows, by_row.solve(other_rows));
  return chosen;
}

}  // namespace softpq
