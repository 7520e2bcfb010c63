// The size of a largest matching as edges are added, and again for graphs that grow in rounds.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "assignment.hpp"
#include "interrupt.hpp"

namespace softpq {

// Edges of a graph by connected part, in their order within each.
inline std::vector<std::vector<std::size_t>> connected_parts(Index rows, Index columns, std::size_t edges,
                                                             const Index* row, const Index* column) {
  std::vector<Index> parent(static_cast<std::size_t>(rows + columns));
  for (std::size_t node = 0; node < parent.size(); ++node) parent[node] = static_cast<Index>(node);
  auto root = [&parent](Index node) {
    while (parent[node] != node) node = parent[node] = parent[parent[node]];
    return node;
  };
  for (std::size_t e = 0; e < edges; ++e) parent[root(row[e])] = root(rows + column[e]);
  std::vector<Index> number(parent.size(), kNone);
  std::vector<std::vector<std::size_t>> parts;
  for (std::size_t e = 0; e < edges; ++e) {
    Index& part = number[root(row[e])];
    if (part == kNone) part = static_cast<Index>(parts.size()), parts.emplace_back();
    parts[part].push_back(e);
  }
  return parts;
}

// One connected part of a graph: edges are added a batch at a time, and the matching that was largest before is the start
// for the next (Hopcroft-Karp). A batch that adds nothing costs one look at the edges, as a whole and not one by one.
class GrowingMatching {
 public:
  GrowingMatching(Index rows, Index columns) : columns_of_(rows), partners_(rows, columns) {}

  void clear() {
    for (auto& columns : columns_of_) columns.clear();
    std::fill(partners_.of_row.begin(), partners_.of_row.end(), kNone);
    std::fill(partners_.of_column.begin(), partners_.of_column.end(), kNone);
    busy_rows_ = size_ = 0;
    grows_ = false;
  }

  void add(Index row, Index column) {
    busy_rows_ += columns_of_[row].empty();
    columns_of_[row].push_back(column);
    if (partners_.of_row[row] == kNone && partners_.of_column[column] == kNone) partners_.join(row, column), ++size_;
    grows_ = true;
  }

  // The size, once all that was added is used.
  Index size() {
    while (grows_ && size_ < busy_rows_ && layer()) {
      tick();
      next_.assign(columns_of_.size(), 0);
      for (Index row = 0; row < static_cast<Index>(columns_of_.size()); ++row)
        if (partners_.of_row[row] == kNone && !columns_of_[row].empty()) size_ += augment(row);
    }
    grows_ = false;
    return size_;
  }

 private:
  // Distance of every row from those without a partner; whether some path ends in a free column.
  bool layer() {
    depth_.assign(columns_of_.size(), kNone);
    queue_.clear();
    for (Index row = 0; row < static_cast<Index>(columns_of_.size()); ++row)
      if (partners_.of_row[row] == kNone && !columns_of_[row].empty()) depth_[row] = 0, queue_.push_back(row);
    bool found = false;
    for (std::size_t at = 0; at < queue_.size(); ++at)
      for (const Index column : columns_of_[queue_[at]]) {
        const Index beyond = partners_.of_column[column];
        if (beyond == kNone) found = true;
        else if (depth_[beyond] == kNone) depth_[beyond] = depth_[queue_[at]] + 1, queue_.push_back(beyond);
      }
    return found;
  }

  // Depth first along the layers, with a stack of our own: paths may be as long as the graph.
  bool augment(Index root) {
    path_.assign(1, root);
    while (!path_.empty()) {
      const Index row = path_.back();
      if (next_[row] == columns_of_[row].size()) {
        depth_[row] = kNone;
        path_.pop_back();
        continue;
      }
      const Index beyond = partners_.of_column[columns_of_[row][next_[row]++]];
      if (beyond == kNone) {
        for (const Index step : path_) partners_.join(step, columns_of_[step][next_[step] - 1]);
        return true;
      }
      if (depth_[beyond] == depth_[row] + 1) path_.push_back(beyond);
    }
    return false;
  }

  std::vector<std::vector<Index>> columns_of_;
  Partners partners_;
  std::vector<Index> depth_, queue_, path_;
  std::vector<std::size_t> next_;
  Index busy_rows_ = 0, size_ = 0;
  bool grows_ = false;
};

// An edge of a part; its nodes are numbered within the part.
struct PartEdge {
  Index row, column, start, bin;
};

// Numbers from 0 on for the nodes of a part, in the order they are met.
class Renumbered {
 public:
  explicit Renumbered(Index size) : number_(size, kNone) {}
  Index operator()(Index node) {
    if (number_[node] == kNone) number_[node] = static_cast<Index>(seen_.size()), seen_.push_back(node);
    return number_[node];
  }
  Index count() const { return static_cast<Index>(seen_.size()); }
  void clear() {
    for (const Index node : seen_) number_[node] = kNone;
    seen_.clear();
  }

 private:
  std::vector<Index> number_, seen_;
};

// Edge e exists from round start[e] on. In each round the edges that exist are added in their order, which is that of
// their bins, from the last to the first; by how much the largest matching grows with each bin is counted there. Returns
// rounds x bins as changes from one round to the next. A part is looked at only in rounds in which it changes.
inline std::vector<std::int64_t> growth_by_round(Index rows, Index columns, std::size_t edges, const Index* row,
                                                 const Index* column, const Index* start, const Index* bin,
                                                 Index rounds, Index bins) {
  std::vector<std::int64_t> change(static_cast<std::size_t>(rounds * bins), 0);
  Renumbered row_number(rows), column_number(columns);
  for (const std::vector<std::size_t>& part : connected_parts(rows, columns, edges, row, column)) {
    std::vector<PartEdge> members;
    std::vector<Index> starts;
    row_number.clear(), column_number.clear();
    for (const std::size_t e : part) {
      if (start[e] >= rounds) continue;
      members.push_back({row_number(row[e]), column_number(column[e]), start[e], bin[e]});
      starts.push_back(start[e]);
    }
    std::sort(starts.begin(), starts.end());
    starts.erase(std::unique(starts.begin(), starts.end()), starts.end());
    GrowingMatching matching(row_number.count(), column_number.count());
    for (std::size_t k = 0; k < starts.size(); ++k) {
      Index size = 0;
      tick();
      matching.clear();
      for (std::size_t at = 0; at < members.size(); ++at) {
        if (members[at].start <= starts[k]) matching.add(members[at].row, members[at].column);
        if (at + 1 < members.size() && members[at + 1].bin == members[at].bin) continue;
        const Index now = matching.size(), here = members[at].bin;
        change[static_cast<std::size_t>(starts[k] * bins + here)] += now - size;
        if (k + 1 < starts.size()) change[static_cast<std::size_t>(starts[k + 1] * bins + here)] -= now - size;
        size = now;
      }
    }
  }
  return change;
}

}  // namespace softpq
