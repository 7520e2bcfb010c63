// Masks that are known by columns, as runs by rows.
//
// COCO counts pixels down the columns. Where a column has pixels that the one before it has not, lines begin; where it lacks
// some, lines end. So only the differences of neighbouring columns are looked at, and the work grows with the outlines.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <vector>

namespace softpq {

// Pixels first .. last - 1.
struct Interval {
  std::int64_t first, last;
};

class RowRuns {
 public:
  // Throws where there would be more than `most` runs altogether.
  explicit RowRuns(std::size_t most) : most_(most) {}

  std::vector<std::int64_t> offsets{0}, starts, stops;

  // Adds a mask: `columns` are intervals of the column-major index, ascending, with gaps between them.
  void add(const std::vector<Interval>& columns, std::int64_t height, std::int64_t width) {
    begins_.clear(), ends_.clear(), before_.clear(), now_.clear();
    runs_ = 0;
    std::int64_t x = -1, base = -height;  // the present column, and where it begins
    for (const Interval& one : columns)
      for (std::int64_t at = one.first; at < one.last;) {
        if (at >= base + height) {
          const std::int64_t column = at < base + 2 * height ? x + 1 : at / height;  // mostly the next
          close(x, column);
          x = column, base = column * height;
        }
        const std::int64_t end = std::min(one.last, base + height);
        now_.push_back({at - base, end - base});
        at = end;
      }
    if (x >= 0) close(x, x + 2);
    place(width);
    offsets.push_back(static_cast<std::int64_t>(starts.size()));
  }

 private:
  struct Piece {
    std::int64_t first, last, x;
  };

  // Column x is complete, and `next` is the next one with pixels.
  void close(std::int64_t x, std::int64_t next) {
    if (before_.size() == 1 && now_.size() == 1 && next == x + 1) return compare_plain(x);
    compare(x);
    before_.swap(now_);
    now_.clear();
    if (next == x + 1) return;
    compare(x + 1);
    before_.clear();
  }

  // Mostly a column has one interval, as the one before it, which it overlaps.
  void compare_plain(std::int64_t x) {
    const Interval old = before_[0], now = now_[0];
    if (now.first >= old.last || old.first >= now.last) {
      begin(now.first, now.last, x);
      ends_.push_back({old.first, old.last, x});
    } else {
      if (now.first < old.first) begin(now.first, old.first, x);
      else if (old.first < now.first) ends_.push_back({old.first, now.first, x});
      if (now.last > old.last) begin(old.last, now.last, x);
      else if (now.last < old.last) ends_.push_back({now.last, old.last, x});
    }
    if (runs_ + starts.size() > most_) throw std::length_error("has more runs than memory is allowed for");
    before_[0] = now;
    now_.clear();
  }

  void begin(std::int64_t first, std::int64_t last, std::int64_t x) {
    begins_.push_back({first, last, x});
    runs_ += static_cast<std::size_t>(last - first);
  }

  // Both columns have their edges in order; between two edges nothing changes.
  void compare(std::int64_t x) {
    std::size_t old_edge = 0, new_edge = 0;
    const std::size_t old_edges = 2 * before_.size(), new_edges = 2 * now_.size();
    std::int64_t at = 0;
    while (old_edge < old_edges || new_edge < new_edges) {
      const std::int64_t of_old = old_edge < old_edges ? edge(before_, old_edge) : INT64_MAX;
      const std::int64_t of_new = new_edge < new_edges ? edge(now_, new_edge) : INT64_MAX;
      const std::int64_t next = std::min(of_old, of_new);
      const bool in_old = old_edge % 2, in_new = new_edge % 2;
      if (in_new && !in_old && at < next) begin(at, next, x);
      if (in_old && !in_new && at < next) ends_.push_back({at, next, x});
      if (runs_ + starts.size() > most_) throw std::length_error("has more runs than memory is allowed for");
      old_edge += of_old == next, new_edge += of_new == next;
      at = next;
    }
  }

  static std::int64_t edge(const std::vector<Interval>& column, std::size_t k) {
    return k % 2 ? column[k / 2].last : column[k / 2].first;
  }

  // Pieces come by columns; they go to their lines, and stay in order there.
  void place(std::int64_t width) {
    if (begins_.empty()) return;
    std::int64_t top = INT64_MAX, bottom = 0;
    for (const Piece& piece : begins_) top = std::min(top, piece.first), bottom = std::max(bottom, piece.last);
    if (static_cast<std::size_t>(bottom - top) > most_) throw std::length_error("has too many lines");
    lines_.assign(static_cast<std::size_t>(bottom - top) + 1, 0);
    for (const Piece& piece : begins_) {
      ++lines_[static_cast<std::size_t>(piece.first - top)];
      --lines_[static_cast<std::size_t>(piece.last - top)];
    }
    std::int64_t number = 0, sum = static_cast<std::int64_t>(starts.size());
    for (std::int64_t& line : lines_) number += line, line = sum, sum += number;
    const std::size_t base = starts.size();
    starts.resize(base + runs_), stops.resize(base + runs_);
    ends_lines_ = lines_;
    scatter(begins_, lines_, starts, top, width);
    scatter(ends_, ends_lines_, stops, top, width);
    join(base);
  }

  static void scatter(const std::vector<Piece>& pieces, std::vector<std::int64_t>& next, std::vector<std::int64_t>& into,
                      std::int64_t top, std::int64_t width) {
    for (const Piece& piece : pieces)
      for (std::int64_t y = piece.first; y < piece.last; ++y)
        into[static_cast<std::size_t>(next[static_cast<std::size_t>(y - top)]++)] = y * width + piece.x;
  }

  // A run that ends where a line ends, and the one that begins the next line, are one.
  void join(std::size_t base) {
    std::size_t kept = base;
    for (std::size_t k = base + 1; k < starts.size(); ++k)
      if (starts[k] == stops[kept]) {
        stops[kept] = stops[k];
      } else {
        ++kept;
        starts[kept] = starts[k], stops[kept] = stops[k];
      }
    starts.resize(kept + 1), stops.resize(kept + 1);
  }

  std::size_t most_, runs_ = 0;
  std::vector<Piece> begins_, ends_;
  std::vector<Interval> before_, now_;
  std::vector<std::int64_t> lines_, ends_lines_;
};

}  // namespace softpq
