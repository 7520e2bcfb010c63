// Every pixel gives its credit once, counted from the runs: for masks at hand, however deep they are nested.
//
// What a match does not account for is left of its objects (`left_over`). Of the pairs that are soft, an object may have
// several over one pixel: they share it. In one sweep over where pairs begin and end to have pixels, those over the present
// one are known; a part of the image at a time, so that they need not all be in memory.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "interrupt.hpp"
#include "mask_credits.hpp"
#include "mask_index.hpp"
#include "mask_runs.hpp"
#include "run_on_threads.hpp"

namespace softpq {

// Some masks, without the pixels of their partners among `others` (-1 is none); the rest are empty.
inline MaskRuns left_over(const RunsView& view, const RunsView& others, const std::int64_t* partner,
                          const std::vector<char>& wanted) {
  MaskRuns found;
  for (std::size_t mask = 0; mask < view.masks; ++mask, found.end_mask()) {
    if ((mask & 0xff) == 0) tick();
    if (!wanted[mask]) continue;
    const std::int64_t other = partner[mask];
    std::int64_t out = other < 0 ? 0 : others.offsets[other];
    const std::int64_t last = other < 0 ? 0 : others.offsets[other + 1];
    for (std::int64_t k = view.offsets[mask]; k < view.offsets[mask + 1]; ++k) {
      std::int64_t at = view.starts[k];
      const std::int64_t stop = view.stops[k];
      while (out < last && others.stops[out] <= at) ++out;
      for (std::int64_t next = out; at < stop; ++next) {
        const std::int64_t until = next < last ? std::min(stop, others.starts[next]) : stop;
        if (at < until) found.add(at, until);
        if (next == last) break;
        at = std::max(at, others.stops[next]);
      }
    }
  }
  return found;
}

// Pixels that two masks share.
inline std::int64_t shared_pixels(const RunsView& one, std::int64_t a, const RunsView& two, std::int64_t b) {
  std::int64_t i = one.offsets[a], j = two.offsets[b], shared = 0;
  const std::int64_t end = one.offsets[a + 1], last = two.offsets[b + 1];
  while (i < end && j < last) {
    const std::int64_t first = std::max(one.starts[i], two.starts[j]), stop = std::min(one.stops[i], two.stops[j]);
    shared += std::max<std::int64_t>(0, stop - first);
    one.stops[i] < two.stops[j] ? ++i : ++j;
  }
  return shared;
}

// Pairs of two sides, by position.
struct EdgesView {
  const std::int64_t *truth, *pred;
  std::size_t count;
};

class SoftSweep {
 public:
  SoftSweep(const RunsView& truth, const RunsView& pred, const EdgesView& edges) : truth_(truth), pred_(pred), edges_(edges) {}

  // Pixels that each pair is credited with. The image is cut into the same parts for any number of threads.
  std::vector<double> credits(std::int64_t pixels, unsigned threads) const {
    std::vector<Cells> found(kParts);
    const std::int64_t windows = windows_for(pixels);
    const std::size_t step = std::max<std::size_t>(1, std::min<std::size_t>(threads, kParts));
    run_on_threads(step, [&](std::size_t first) {
      for (std::size_t part = first; part < kParts; part += step) found[part] = cells_of(part, windows, pixels);
    });
    std::vector<double> credits(edges_.count, 0.0);
    for (std::size_t edge = 0; edge < edges_.count; ++edge) {
      for (std::size_t k = 1; k < kExact; ++k) {
        std::uint64_t pixels_of_k = 0;
        for (const Cells& cells : found) pixels_of_k += cells.few[kExact * edge + k];
        credits[edge] += static_cast<double>(pixels_of_k) / static_cast<double>(k);
      }
      for (const Cells& cells : found) credits[edge] += cells.many[edge];
    }
    return credits;
  }

 private:
  static constexpr std::size_t kExact = 8, kParts = 2;
  static constexpr std::int64_t kEvents = 1 << 20;  // about as many are in memory at a time

  // Of each pair: pixels by how many share them, as long as these are few; of others, the sum of its shares.
  struct Cells {
    std::vector<std::uint64_t> few;
    std::vector<double> many;
  };

  // What lies over the present pixel: pairs, each with its place among them, and how many of them an object has.
  struct State {
    std::vector<std::uint32_t> of_truth, of_pred, place, edges;
    Cells cells;
  };

  std::int64_t windows_for(std::int64_t pixels) const {
    std::int64_t intervals = 0;
    for (std::size_t k = 0; k < edges_.count; ++k)
      intervals += std::min(runs_of(truth_, edges_.truth[k]), runs_of(pred_, edges_.pred[k]));
    return std::max<std::int64_t>(2 * intervals / kEvents, pixels >> 30) / static_cast<std::int64_t>(kParts) + 1;
  }

  static std::int64_t runs_of(const RunsView& view, std::int64_t mask) { return view.offsets[mask + 1] - view.offsets[mask]; }

  Cells cells_of(std::size_t part, std::int64_t windows, std::int64_t pixels) const {
    State state{std::vector<std::uint32_t>(truth_.masks, 0), std::vector<std::uint32_t>(pred_.masks, 0),
                std::vector<std::uint32_t>(edges_.count), {},
                {std::vector<std::uint64_t>(kExact * edges_.count, 0), std::vector<double>(edges_.count, 0.0)}};
    const std::int64_t all = windows * static_cast<std::int64_t>(kParts), length = pixels / all + 1;
    std::vector<std::uint64_t> events, spare;  // place in the window, pair, whether it enters
    for (std::int64_t k = windows * static_cast<std::int64_t>(part); k < windows * static_cast<std::int64_t>(part + 1); ++k) {
      events.clear();
      for (std::size_t edge = 0; edge < edges_.count; ++edge) gather(edge, k * length, (k + 1) * length, events);
      sort(events, spare, static_cast<std::uint64_t>(length));
      std::uint64_t before = 0;
      for (std::size_t at = 0; at < events.size(); ++at) {
        if ((at & 0xffff) == 0) tick();
        const std::uint64_t place = events[at] >> 32;
        if (place > before && !state.edges.empty()) share(state, place - before);
        before = place;
        change(state, static_cast<std::uint32_t>(events[at]) >> 1, (events[at] & 1) != 0);
      }
    }
    return std::move(state.cells);
  }

  // Where a pair begins and ends to have pixels, from `from` to before `to`.
  void gather(std::size_t edge, std::int64_t from, std::int64_t to, std::vector<std::uint64_t>& events) const {
    const std::int64_t t = edges_.truth[edge], p = edges_.pred[edge];
    std::int64_t i = first_after(truth_, t, from), j = first_after(pred_, p, from);
    const std::int64_t end = truth_.offsets[t + 1], last = pred_.offsets[p + 1];
    while (i < end && j < last && truth_.starts[i] < to && pred_.starts[j] < to) {
      const std::int64_t start = std::max({truth_.starts[i], pred_.starts[j], from});
      const std::int64_t stop = std::min({truth_.stops[i], pred_.stops[j], to});
      if (start < stop) {
        events.push_back(static_cast<std::uint64_t>(start - from) << 32 | static_cast<std::uint64_t>(edge) << 1 | 1);
        events.push_back(static_cast<std::uint64_t>(stop - from) << 32 | static_cast<std::uint64_t>(edge) << 1);
      }
      truth_.stops[i] < pred_.stops[j] ? ++i : ++j;
    }
  }

  // The first run of a mask that ends after a place.
  static std::int64_t first_after(const RunsView& view, std::int64_t mask, std::int64_t place) {
    const std::int64_t *begin = view.stops + view.offsets[mask], *end = view.stops + view.offsets[mask + 1];
    if (begin == end || *begin > place) return view.offsets[mask];
    return std::upper_bound(begin, end, place) - view.stops;
  }

  // By place: digit by digit.
  static void sort(std::vector<std::uint64_t>& events, std::vector<std::uint64_t>& spare, std::uint64_t length) {
    if (events.size() < 256) return std::sort(events.begin(), events.end());
    spare.resize(events.size());
    constexpr int kDigit = 11;
    for (int shift = 32; shift < 64 && (length >> (shift - 32)) > 0; shift += kDigit) {
      std::vector<std::size_t> next((std::size_t{1} << kDigit) + 1, 0);
      const auto digit = [shift](std::uint64_t event) { return static_cast<std::size_t>(event >> shift) & ((1u << kDigit) - 1); };
      for (const std::uint64_t event : events) ++next[digit(event) + 1];
      for (std::size_t k = 1; k < next.size(); ++k) next[k] += next[k - 1];
      for (const std::uint64_t event : events) spare[next[digit(event)]++] = event;
      events.swap(spare);
    }
  }

  void change(State& state, std::uint32_t edge, bool enters) const {
    std::uint32_t &of_truth = state.of_truth[edges_.truth[edge]], &of_pred = state.of_pred[edges_.pred[edge]];
    if (enters) {
      ++of_truth, ++of_pred;
      state.place[edge] = static_cast<std::uint32_t>(state.edges.size());
      state.edges.push_back(edge);
    } else {
      --of_truth, --of_pred;
      const std::uint32_t last = state.edges.back();
      state.edges[state.place[edge]] = last;
      state.place[last] = state.place[edge];
      state.edges.pop_back();
    }
  }

  void share(State& state, std::uint64_t pixels) const {
    for (const std::uint32_t edge : state.edges) {
      const std::size_t sharing = std::max(state.of_truth[edges_.truth[edge]], state.of_pred[edges_.pred[edge]]);
      if (sharing < kExact) state.cells.few[kExact * edge + sharing] += pixels;
      else state.cells.many[edge] += static_cast<double>(pixels) / static_cast<double>(sharing);
    }
  }

  RunsView truth_, pred_;
  EdgesView edges_;
};

// Which pairs are soft, and what they are credited with, from masks. `shared` are the pixels of each pair.
class SoftPairs {
 public:
  SoftPairs(const RunsView& truth, const RunsView& pred, const PairsView& pairs, const std::int64_t* shared)
      : truth_(truth), pred_(pred), pairs_(pairs), own_(shared, shared + pairs.count) {}

  Credits credits(std::int64_t pixels, double low, unsigned threads) {
    Credits found{std::vector<std::uint8_t>(pairs_.count, 0), std::vector<double>(pairs_.count, 0.0)};
    for (std::size_t k = 0; k < pairs_.count; ++k) found.soft[k] = is_free(k) && share_of(k) > low;
    const std::vector<std::size_t> some = chosen([&](std::size_t k) { return found.soft[k]; });  // or fewer
    leave(some);
    count_own(some, threads);
    for (const std::size_t k : some) {
      found.soft[k] = share_of(k) > low;
      found.pixels[k] = found.soft[k] ? static_cast<double>(own_[k]) : 0.0;
    }
    divide(found, pixels, threads);
    return found;
  }

 private:
  bool is_free(std::size_t k) const { return pairs_.partner_of_truth[pairs_.truth[k]] != pairs_.pred[k]; }
  double share_of(std::size_t k) const { return static_cast<double>(own_[k]) / static_cast<double>(pairs_.unions[k]); }

  template <class Is>
  std::vector<std::size_t> chosen(Is is) const {
    std::vector<std::size_t> found;
    for (std::size_t k = 0; k < pairs_.count; ++k)
      if (is(k)) found.push_back(k);
    return found;
  }

  static RunsView view_of(const MaskRuns& masks) {
    return {masks.offsets.data(), masks.starts.data(), masks.stops.data(), masks.offsets.size() - 1};
  }

  void leave(const std::vector<std::size_t>& some) {
    std::vector<char> truths(truth_.masks, 0), preds(pred_.masks, 0);
    for (const std::size_t k : some) truths[pairs_.truth[k]] = preds[pairs_.pred[k]] = 1;
    left_truth_ = left_over(truth_, pred_, pairs_.partner_of_truth, truths);
    left_pred_ = left_over(pred_, truth_, pairs_.partner_of_pred, preds);
  }

  // Of pairs whose objects have no partner, all that they share is their own.
  void count_own(const std::vector<std::size_t>& some, unsigned threads) {
    const RunsView truth = view_of(left_truth_), pred = view_of(left_pred_);
    const std::size_t parts = std::max<std::size_t>(1, threads);
    run_on_threads(parts, [&](std::size_t part) {
      for (std::size_t at = part; at < some.size(); at += parts) {
        if ((at & 0xff) == 0) tick();
        const std::size_t k = some[at];
        const std::int64_t t = pairs_.truth[k], p = pairs_.pred[k];
        if (pairs_.partner_of_truth[t] >= 0 || pairs_.partner_of_pred[p] >= 0) own_[k] = shared_pixels(truth, t, pred, p);
      }
    });
  }

  // Soft pairs of which an object has others share what both claim.
  void divide(Credits& found, std::int64_t pixels, unsigned threads) const {
    std::vector<std::uint32_t> of_truth(truth_.masks, 0), of_pred(pred_.masks, 0);
    for (std::size_t k = 0; k < pairs_.count; ++k)
      if (found.soft[k]) ++of_truth[pairs_.truth[k]], ++of_pred[pairs_.pred[k]];
    const std::vector<std::size_t> rivals = chosen([&](std::size_t k) {
      return found.soft[k] && (of_truth[pairs_.truth[k]] > 1 || of_pred[pairs_.pred[k]] > 1);
    });
    if (rivals.empty()) return;
    std::vector<std::int64_t> truth, pred;
    std::vector<char> truths(truth_.masks, 0), preds(pred_.masks, 0);
    for (const std::size_t k : rivals) {
      truth.push_back(pairs_.truth[k]), pred.push_back(pairs_.pred[k]);
      truths[pairs_.truth[k]] = preds[pairs_.pred[k]] = 1;
    }
    const MaskRuns some_truth = only(left_truth_, truths), some_pred = only(left_pred_, preds);
    const EdgesView edges{truth.data(), pred.data(), rivals.size()};
    const std::vector<double> credits = SoftSweep(view_of(some_truth), view_of(some_pred), edges).credits(pixels, threads);
    for (std::size_t at = 0; at < rivals.size(); ++at) found.pixels[rivals[at]] = credits[at];
  }

  static MaskRuns only(const MaskRuns& masks, const std::vector<char>& wanted) {
    MaskRuns found;
    for (std::size_t mask = 0; mask < wanted.size(); ++mask, found.end_mask())
      for (std::int64_t k = masks.offsets[mask]; wanted[mask] && k < masks.offsets[mask + 1]; ++k)
        found.add(masks.starts[static_cast<std::size_t>(k)], masks.stops[static_cast<std::size_t>(k)]);
    return found;
  }

  RunsView truth_, pred_;
  PairsView pairs_;
  std::vector<std::int64_t> own_;
  MaskRuns left_truth_, left_pred_;
};

}  // namespace softpq
