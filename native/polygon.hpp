// From outlines to pixels: a pixel belongs to an object if its centre is inside, even-odd over all rings.
//
// Every edge crosses the lines of pixel centres that lie between its ends. The crossings of a line, sorted, are where the
// object begins and ends there. So the work grows with the crossings, not with the box around the object.
//
// A centre that lies on an edge itself belongs to what is left of it, or below it: objects side by side share no pixel.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <vector>

#include "interrupt.hpp"

namespace softpq {

// Pixels first .. first + length - 1 in row-major order.
struct Run {
  std::int64_t first, length;
};

class Outline {
 public:
  // `xy` are corners, x and y in turn; ring k ends before corner `ring_ends[k]`.
  Outline(const double* xy, const std::int64_t* ring_ends, std::size_t rings, std::int64_t height, std::int64_t width)
      : xy_(xy), ring_ends_(ring_ends), rings_(rings), height_(height), width_(width) {}

  // Throws where there would be more than `most` crossings.
  std::vector<Run> runs(std::size_t most) {
    count_crossings(most);
    crossings_.resize(static_cast<std::size_t>(starts_.back()));
    for_each_edge([this](const Edge& edge) {
      for (std::int64_t y = edge.first; y < edge.end; ++y)
        crossings_[static_cast<std::size_t>(next_[static_cast<std::size_t>(y - top_)]++)] = edge.at(y);
    });
    std::vector<Run> found;
    for (std::size_t row = 0; row + 1 < starts_.size(); ++row) {
      const auto begin = crossings_.begin() + starts_[row], end = crossings_.begin() + starts_[row + 1];
      std::sort(begin, end);
      append(found, top_ + static_cast<std::int64_t>(row), begin, end);
    }
    return found;
  }

 private:
  struct Edge {
    double ax, ay, bx, by;
    std::int64_t first, end;  // lines that it crosses
    double at(std::int64_t y) const { return ax + (static_cast<double>(y) + 0.5 - ay) * (bx - ax) / (by - ay); }
  };

  // The first line whose centre is not above y.
  std::int64_t line_from(double y) const {
    return static_cast<std::int64_t>(std::ceil(std::min(std::max(y - 0.5, 0.0), static_cast<double>(height_))));
  }

  template <class Body>
  void for_each_edge(Body body) const {
    std::size_t corner = 0;
    for (std::size_t ring = 0; ring < rings_; ++ring) {
      const std::size_t begin = corner, end = static_cast<std::size_t>(ring_ends_[ring]);
      for (; corner < end; ++corner) {
        if ((corner & 0xfff) == 0) tick();
        const std::size_t other = corner + 1 < end ? corner + 1 : begin;
        Edge edge{xy_[2 * corner], xy_[2 * corner + 1], xy_[2 * other], xy_[2 * other + 1], 0, 0};
        if (edge.ay == edge.by) continue;
        edge.first = line_from(std::min(edge.ay, edge.by));
        edge.end = line_from(std::max(edge.ay, edge.by));
        body(edge);
      }
    }
  }

  void count_crossings(std::size_t most) {
    std::int64_t bottom = 0;
    top_ = height_;
    std::size_t total = 0;
    for_each_edge([&](const Edge& edge) {
      if (edge.first >= edge.end) return;
      top_ = std::min(top_, edge.first), bottom = std::max(bottom, edge.end);
      total += static_cast<std::size_t>(edge.end - edge.first);
      if (total > most) throw std::length_error("an outline crosses too many lines");
    });
    starts_.assign(static_cast<std::size_t>(std::max<std::int64_t>(bottom - top_, 0)) + 1, 0);
    for_each_edge([&](const Edge& edge) {
      for (std::int64_t y = edge.first; y < edge.end; ++y) ++starts_[static_cast<std::size_t>(y - top_) + 1];
    });
    for (std::size_t row = 1; row < starts_.size(); ++row) starts_[row] += starts_[row - 1];
    next_ = starts_;
  }

  // The first pixel whose centre is beyond a crossing.
  std::int64_t pixel_beyond(double crossing) const {
    if (!(crossing >= 0.5)) return 0;
    if (crossing >= static_cast<double>(width_)) return width_;
    auto x = static_cast<std::int64_t>(crossing);
    while (x > 0 && static_cast<double>(x - 1) + 0.5 > crossing) --x;
    while (x < width_ && !(static_cast<double>(x) + 0.5 > crossing)) ++x;
    return x;
  }

  void append(std::vector<Run>& found, std::int64_t y, std::vector<double>::iterator at,
              std::vector<double>::iterator end) const {
    for (; at + 1 < end; at += 2) {
      const std::int64_t first = pixel_beyond(at[0]), last = pixel_beyond(at[1]);
      if (first >= last) continue;
      if (!found.empty() && found.back().first + found.back().length == y * width_ + first && first > 0)
        found.back().length += last - first;
      else
        found.push_back({y * width_ + first, last - first});
    }
  }

  const double* xy_;
  const std::int64_t* ring_ends_;
  std::size_t rings_;
  std::int64_t height_, width_, top_ = 0;
  std::vector<std::int64_t> starts_, next_;
  std::vector<double> crossings_;
};

}  // namespace softpq
