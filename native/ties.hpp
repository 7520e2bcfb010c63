// Which of equally good matchings is taken: a number for every pair, which labels, sides and scale do not change.
// Objects are told apart (colours.hpp) by what they share with their partners: IoU, and the share of either area.
#pragma once

#include <vector>

#include "assignment.hpp"
#include "colours.hpp"

namespace softpq {

class TieBreaks {
 public:
  // Shares are the pixels of a pair over the area of its truth object and of its prediction.
  TieBreaks(Index truths, Index preds, std::size_t pairs, const Index* truth, const Index* pred, const double* iou,
            const double* truth_share, const double* pred_share)
      : nodes_(static_cast<std::size_t>(truths + preds)), links_(pairs) {
    for (std::size_t k = 0; k < pairs; ++k) {
      const Colour own = mixed(iou[k]), of_truth = mixed(truth_share[k]), of_pred = mixed(pred_share[k]);
      links_[k] = {static_cast<Colour>(truth[k]), static_cast<Colour>(truths + pred[k]), own,
                   mixed(own + 3U * of_truth + 5U * of_pred), mixed(own + 3U * of_pred + 5U * of_truth)};
    }
  }

  std::vector<Colour> solve() {
    active_ = links_;
    const std::vector<Colour> colour = Colours<TieBreaks>(nodes_, *this).solve();
    std::vector<Colour> ties(links_.size());
    for (std::size_t k = 0; k < ties.size(); ++k)
      ties[k] = mixed(colour[links_[k].truth] + colour[links_[k].pred] + links_[k].own);
    return ties;
  }

  template <class Join>
  void connect(Join join) const {
    for (const Link& link : links_) join(link.truth, link.pred);
  }

  void gather(const std::vector<char>&, const std::vector<Colour>& colour, std::vector<Colour>& sums) {
    see(sums, [&colour](Colour node) { return colour[node]; });
  }

  void meet(const std::vector<char>&, std::vector<Colour>& sums) {
    see(sums, [](Colour node) { return mixed(node); });
  }

  void forget(const std::vector<char>& open) {
    keep_open(active_, [&open](const Link& link) { return open[link.truth] || open[link.pred]; });
  }

 private:
  struct Link {
    Colour truth, pred, own, to_truth, to_pred;  // two nodes, and what each sees of the pair
  };

  template <class Value>
  void see(std::vector<Colour>& sums, Value value_of) {
    for (const Link& link : active_) {
      sums[link.truth] += mixed(value_of(link.pred) ^ link.to_truth);  // of nodes that are known nobody asks
      sums[link.pred] += mixed(value_of(link.truth) ^ link.to_pred);
    }
  }

  std::size_t nodes_;
  std::vector<Link> links_, active_;  // all; those of which an object is open
};

}  // namespace softpq
