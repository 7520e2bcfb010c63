// Polygons as COCO draws them, pixel by pixel: published numbers depend on the rule.
//
// COCO rounds corners to a fifth of a pixel, walks along every edge in such steps, and notes where the walk passes the
// centre of a column, between steps 5c + 2 and 5c + 3. Down the columns, one column after the other, the mask begins and
// ends at what was noted. The walk need not be done: where it passes a column follows from the edge, so that the work grows
// with the columns of the image that are passed, and not with what lies outside of it.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <vector>

#include "interrupt.hpp"
#include "row_runs.hpp"

namespace softpq {

class CocoPolygon {
 public:
  // Throws where edges pass more than `most` columns.
  CocoPolygon(std::int64_t height, std::int64_t width, std::size_t most) : height_(height), width_(width), most_(most) {}

  // One ring: x and y in turn.
  std::vector<Interval> draw(const double* xy, std::size_t corners) {
    edges_.clear();
    for (std::size_t k = 0; k < corners; ++k) {
      if ((k & 0xfff) == 0xfff) tick();
      const std::size_t next = k + 1 < corners ? k + 1 : 0;
      walk(step(xy[2 * k]), step(xy[2 * k + 1]), step(xy[2 * next]), step(xy[2 * next + 1]));
    }
    return between_edges();
  }

 private:
  static constexpr double farthest = 200'000'000;  // five times this is an int

  static int step(double at) {
    if (!(std::abs(at) <= farthest)) throw std::invalid_argument("has a corner that is not a number, or too far away");
    return static_cast<int>(5 * at + .5);
  }

  void walk(int xs, int ys, int xe, int ye) {
    const int dx = std::abs(xe - xs), dy = std::abs(ye - ys);
    if (dx == 0) return;
    if ((dx >= dy && xs > xe) || (dx < dy && ys > ye)) std::swap(xs, xe), std::swap(ys, ye);
    // Columns c with min(x) <= 5c + 2 and 5c + 3 <= max(x); where steps round a negative x up, no column is near.
    const std::int64_t low = std::min(xs, xe), high = std::max(xs, xe);
    const std::int64_t first = low <= 2 ? 0 : (low + 2) / 5, last = high < 3 ? -1 : std::min(width_ - 1, (high - 3) / 5);
    if (last >= first && edges_.size() + static_cast<std::size_t>(last - first) >= most_)
      throw std::length_error("has an outline that passes too many columns");
    const double slope = dx >= dy ? static_cast<double>(ye - ys) / dx : static_cast<double>(xe - xs) / dy;
    for (std::int64_t c = first; c <= last; ++c)
      note(c, dx >= dy ? passed_along_x(static_cast<int>(5 * c + 2) - xs, ys, slope)
                       : passed_along_y(static_cast<int>(5 * c + 2), xs, ys, dy, slope));
  }

  // The smaller y of the two steps around the centre of a column, where every step goes on by one in x.
  static int passed_along_x(int t, int ys, double slope) {
    return std::min(static_cast<int>(ys + slope * t + .5), static_cast<int>(ys + slope * (t + 1) + .5));
  }

  // The same where every step goes on by one in y: x is rounded, and t is the first step on the other side.
  static int passed_along_y(int x, int xs, int ys, int dy, double slope) {
    const auto is_beyond = [&](int t) {
      const int at = static_cast<int>(xs + slope * t + .5);
      return slope > 0 ? at > x : at <= x;
    };
    const double guess = (x + .5 - xs) / slope;
    int t = static_cast<int>(std::min(std::max(guess, 1.0), static_cast<double>(dy)));
    while (t > 1 && is_beyond(t - 1)) --t;
    while (t < dy && !is_beyond(t)) ++t;
    return ys + t - 1;
  }

  void note(std::int64_t column, int step_y) {
    const double y = std::ceil(std::min(std::max((step_y + .5) / 5 - .5, 0.0), static_cast<double>(height_)));
    edges_.push_back(column * height_ + static_cast<std::int64_t>(y));
  }

  std::vector<Interval> between_edges() {
    std::sort(edges_.begin(), edges_.end());
    edges_.push_back(height_ * width_);
    std::vector<Interval> found;
    for (std::size_t k = 0; k + 1 < edges_.size(); k += 2) {
      if (edges_[k] == edges_[k + 1]) continue;
      if (!found.empty() && found.back().last == edges_[k])
        found.back().last = edges_[k + 1];
      else
        found.push_back({edges_[k], edges_[k + 1]});
    }
    return found;
  }

  std::int64_t height_, width_;
  std::size_t most_;
  std::vector<std::int64_t> edges_;
};

// What is in any of the intervals.
inline std::vector<Interval> joined(std::vector<Interval> intervals) {
  std::sort(intervals.begin(), intervals.end(), [](const Interval& a, const Interval& b) { return a.first < b.first; });
  std::vector<Interval> found;
  for (const Interval& one : intervals)
    if (!found.empty() && one.first <= found.back().last)
      found.back().last = std::max(found.back().last, one.last);
    else
      found.push_back(one);
  return found;
}

}  // namespace softpq
