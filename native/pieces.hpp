// Connected pieces of labels: pixels of one label that touch, also across corners.
//
// A line is a list of runs. A run touches the runs of its label in the lines before it that overlap it or its corners, and
// a walk along both lists finds them; in a volume, four such lines come before each. Runs that touch are joined (union-find
// with path halving); a run that touches none begins a piece. Pieces that turn out to be one keep the older number, so that
// in the end they are numbered in the order of their first pixels, whatever was joined on the way.
//
// Only the lines that later ones may touch are kept, as runs: one line of an image, a slice of a volume. What is counted is
// counted under preliminary numbers, which are renumbered at the end: no image of pieces is drawn unless it is asked for.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "layout.hpp"
#include "lines.hpp"
#include "object_table.hpp"
#include "pair_counts.hpp"

namespace softpq {

class DisjointSets {
 public:
  std::uint64_t add() { return parent_.push_back(parent_.size()), parent_.size() - 1; }
  std::size_t size() const { return parent_.size(); }
  std::uint64_t root(std::uint64_t node) {
    while (parent_[node] != node) node = parent_[node] = parent_[parent_[node]];
    return node;
  }
  std::uint64_t join(std::uint64_t a, std::uint64_t b) {
    a = root(a), b = root(b);
    return a < b ? parent_[b] = a : parent_[a] = b;
  }
  // From members to the numbers of their sets: 1, 2, ... in the order of their first members.
  std::vector<std::uint64_t> numbers() {
    std::vector<std::uint64_t> number(size());
    std::uint64_t next = 0;
    for (std::size_t k = 0; k < size(); ++k) number[k] = parent_[k] == k ? ++next : number[root(k)];
    return number;
  }

 private:
  std::vector<std::uint64_t> parent_;
};

template <class Label>
struct PieceRun {
  std::size_t first, end;
  Label label;
  std::uint64_t piece;  // a member of the set that will be the piece
};

// Lines of one array, in order, as runs with their pieces.
template <class Label>
class PieceScan {
 public:
  PieceScan(const Label* labels, const Layout& layout, int which) : labels_(labels), layout_(layout), which_(which) {
    std::size_t farthest = 0, lines = 1;
    for (std::size_t d = layout.axes.size() - 1; d-- > 0; lines *= layout.axes[d].size) farthest += lines;
    kept_.resize(farthest + 1);
  }

  const std::vector<PieceRun<Label>>& next() {
    const std::size_t line = line_++;
    reader_->objects(labels_ + layout_.offset(line, which_), layout_.axes.back().stride[which_], layout_.length(), runs_);
    std::vector<PieceRun<Label>>& here = kept_[line % kept_.size()];
    here.clear();
    for (const Stretch<Label>& run : runs_) here.push_back({run.first, run.end, run.label, kNone});
    find_lines_before(line);
    for (const std::size_t back : before_) join(here, kept_[(line - back) % kept_.size()]);
    for (PieceRun<Label>& run : here)
      if (run.piece == kNone) run.piece = sets_.add();
    return here;
  }

  std::size_t members() const { return sets_.size(); }
  std::vector<std::uint64_t> numbers() { return sets_.numbers(); }

 private:
  static constexpr std::uint64_t kNone = ~std::uint64_t{0};

  void join(std::vector<PieceRun<Label>>& here, const std::vector<PieceRun<Label>>& there) {
    auto from = there.begin();
    for (PieceRun<Label>& run : here) {
      while (from != there.end() && from->end < run.first) ++from;
      for (auto other = from; other != there.end() && other->first <= run.end; ++other)
        if (other->label == run.label)
          run.piece = run.piece == kNone ? sets_.root(other->piece) : sets_.join(run.piece, other->piece);
    }
  }

  // How many lines back those lie that touch this one.
  void find_lines_before(std::size_t line) {
    layout_.locate(line, at_);
    std::vector<std::ptrdiff_t>& found = offsets_;
    found.assign(1, 0);
    std::ptrdiff_t step = 1;
    for (std::size_t d = at_.size(); d-- > 0; step *= static_cast<std::ptrdiff_t>(layout_.axes[d].size)) {
      const std::size_t known = found.size();
      for (std::size_t k = 0; k < known; ++k) {
        if (at_[d] > 0) found.push_back(found[k] - step);
        if (at_[d] + 1 < layout_.axes[d].size) found.push_back(found[k] + step);
      }
    }
    before_.clear();
    for (const std::ptrdiff_t offset : found)
      if (offset < 0) before_.push_back(static_cast<std::size_t>(-offset));
  }

  const Label* labels_;
  const Layout& layout_;
  int which_;
  std::size_t line_ = 0;
  DisjointSets sets_;
  std::vector<std::vector<PieceRun<Label>>> kept_;
  std::vector<Stretch<Label>> runs_;
  std::vector<std::size_t> at_, before_;
  std::vector<std::ptrdiff_t> offsets_;
  std::unique_ptr<LineReader<Label>> reader_ = std::make_unique<LineReader<Label>>();
};

// The pieces of an image, in the order of their first pixels.
struct Pieces {
  std::vector<std::uint64_t> labels;
  std::vector<std::int64_t> firsts, areas;  // firsts count pixels in the order of the axes
};

template <class Label>
Pieces find_pieces(const Label* labels, const Layout& layout) {
  Pieces members, pieces;
  PieceScan<Label> scan(labels, layout, 0);
  for (std::size_t line = 0, lines = layout.lines(); line < lines; ++line)
    for (const PieceRun<Label>& run : scan.next()) {
      if (run.piece == members.labels.size()) {
        members.labels.push_back(run.label), members.areas.push_back(0);
        members.firsts.push_back(static_cast<std::int64_t>(line * layout.length() + run.first));
      }
      members.areas[run.piece] += static_cast<std::int64_t>(run.end - run.first);
    }
  const std::vector<std::uint64_t> numbers = scan.numbers();
  for (std::size_t k = 0; k < numbers.size(); ++k) {
    if (numbers[k] > pieces.labels.size()) {
      pieces.labels.push_back(members.labels[k]), pieces.firsts.push_back(members.firsts[k]), pieces.areas.push_back(0);
    }
    pieces.areas[numbers[k] - 1] += members.areas[k];
  }
  return pieces;
}

// An image of the numbers 1, 2, ... of the pieces, in the order of the axes; 0 stays 0.
template <class Label>
std::vector<std::uint64_t> draw_pieces(const Label* labels, const Layout& layout) {
  std::vector<std::uint64_t> members, image(layout.size(), 0);
  PieceScan<Label> scan(labels, layout, 0);
  for (std::size_t line = 0, lines = layout.lines(); line < lines; ++line)
    for (const PieceRun<Label>& run : scan.next()) members.push_back(run.piece);
  const std::vector<std::uint64_t> numbers = scan.numbers();
  auto member = members.begin();
  const auto reader = std::make_unique<LineReader<Label>>();
  std::vector<Stretch<Label>> runs;
  for (std::size_t line = 0, lines = layout.lines(); line < lines; ++line) {
    reader->objects(labels + layout.offset(line, 0), layout.axes.back().stride[0], layout.length(), runs);
    std::uint64_t* out = image.data() + line * layout.length();
    for (const Stretch<Label>& run : runs) std::fill(out + run.first, out + run.end, numbers[*member++]);
  }
  return image;
}

// Entries of preliminary numbers (and 0 for none), under the numbers of the pieces.
inline Large<Entry> renumbered(Large<Entry> entries, const std::vector<std::uint64_t>* truth,
                                     const std::vector<std::uint64_t>& pred) {
  for (Entry& entry : entries) {
    if (truth && entry.truth) entry.truth = (*truth)[entry.truth - 1];
    if (entry.pred) entry.pred = pred[entry.pred - 1];
  }
  return in_order(std::move(entries));
}

// Which pieces of truth and pred share how many pixels, where `ignore` (may be null) is not; and how many pixels of pred
// are where it is (1) and is not (0).
template <class Truth, class Pred>
class PieceCounter {
 public:
  PieceCounter(const Truth* truth, const Pred* pred, const std::uint8_t* ignore, const Layout& layout)
      : ignore_(ignore),
        layout_(layout),
        truth_(truth, layout, 0),
        pred_(pred, layout, 1),
        pairs_(layout.size()),
        ignored_(ignore ? layout.size() : 0) {}

  void count() {
    for (std::size_t line = 0, lines = layout_.lines(); line < lines; ++line) count_line(line);
    const std::vector<std::uint64_t> truth = truth_.numbers(), pred = pred_.numbers();
    pairs = renumbered(pairs_.take_ordered(), &truth, pred);
    if (ignore_) ignored = renumbered(ignored_.take_ordered(), nullptr, pred);
  }
  Large<Entry> pairs, ignored;

 private:
  void count_line(std::size_t line) {
    const auto &truth = truth_.next();
    const auto &pred = pred_.next();
    std::size_t at = 0, t = 0, p = 0;
    while (at < layout_.length()) {  // to where either side changes next
      std::size_t end = layout_.length();
      const std::uint64_t truth_piece = piece_at(truth, at, t, end), pred_piece = piece_at(pred, at, p, end);
      add(line, at, end, truth_piece, pred_piece);
      at = end;
    }
  }

  // The member at a pixel plus one, or 0; lowers `end` to where that ends.
  template <class Label>
  static std::uint64_t piece_at(const std::vector<PieceRun<Label>>& runs, std::size_t at, std::size_t& next,
                                std::size_t& end) {
    while (next < runs.size() && runs[next].end <= at) ++next;
    if (next == runs.size()) return 0;
    const bool inside = runs[next].first <= at;
    end = std::min(end, inside ? runs[next].end : runs[next].first);
    return inside ? runs[next].piece + 1 : 0;
  }

  void add(std::size_t line, std::size_t at, std::size_t end, std::uint64_t truth, std::uint64_t pred) {
    std::size_t masked = 0;
    if (ignore_) {
      const std::ptrdiff_t stride = layout_.axes.back().stride[2];
      const std::uint8_t* mask = ignore_ + layout_.offset(line, 2) + static_cast<std::ptrdiff_t>(at) * stride;
      for (std::size_t i = 0; i < end - at; ++i) masked += mask[static_cast<std::ptrdiff_t>(i) * stride] != 0;
      if (masked) ignored_.add(1, pred, masked), pairs_.add(0, 0, masked);
      if (masked < end - at) ignored_.add(0, pred, end - at - masked);
    }
    if (masked < end - at) pairs_.add(truth, pred, end - at - masked);
  }

  const std::uint8_t* ignore_;
  const Layout& layout_;
  PieceScan<Truth> truth_;
  PieceScan<Pred> pred_;
  PairTable pairs_, ignored_;
};

}  // namespace softpq
