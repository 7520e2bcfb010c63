// Every pixel gives its credit once, counted from the runs: for masks at hand, however deep they are nested.
//
// What a match does not account for is left of its objects (`without_partners`). Of the pairs that are soft, an object may
// have several over one pixel: they share it. In one sweep, bucket by bucket, the pairs over the present pixels are known.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "interrupt.hpp"
#include "mask_index.hpp"
#include "mask_runs.hpp"
#include "run_on_threads.hpp"

namespace softpq {

// Every mask without the pixels of its partner among `others`; -1 is none.
inline MaskRuns without_partners(const RunsView& view, const RunsView& others, const std::int64_t* partner) {
  MaskRuns found;
  for (std::size_t mask = 0; mask < view.masks; ++mask) {
    if ((mask & 0xff) == 0) tick();
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
    found.end_mask();
  }
  return found;
}

// Pairs of two sides, by position.
struct EdgesView {
  const std::int64_t *truth, *pred;
  std::size_t count;
};

class SoftSweep {
 public:
  SoftSweep(const RunsView& truth, const RunsView& pred, const EdgesView& edges)
      : truth_(truth), pred_(pred), edges_(edges), first_(truth.masks + pred.masks + 1, 0), of_(2 * edges.count) {
    for_each_end([this](std::size_t object, std::uint32_t) { ++first_[object + 1]; });
    for (std::size_t k = 1; k < first_.size(); ++k) first_[k] += first_[k - 1];
    std::vector<std::uint32_t> next(first_.begin(), first_.end() - 1);
    for_each_end([&](std::size_t object, std::uint32_t edge) { of_[next[object]++] = edge; });
  }

  // Pixels that each pair is credited with. The image is cut into the same parts for any number of threads.
  std::vector<double> credits(std::int64_t pixels, unsigned threads) const {
    const int bits = bucket_bits(truth_, pred_, pixels);
    std::vector<Cells> found(kParts);
    with_place(bits, [&](auto place) {
      using Index = BucketIndex<decltype(place)>;
      const Index truth(truth_, pixels, bits), pred(pred_, pixels, bits);
      const std::size_t step = std::max<std::size_t>(1, std::min<std::size_t>(threads, kParts));
      run_on_threads(step, [&](std::size_t first) {
        for (std::size_t part = first; part < kParts; part += step)
          found[part] = cells_of(truth, pred, truth.buckets() * part / kParts, truth.buckets() * (part + 1) / kParts);
      });
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

  // Of each pair: pixels by how many share them, as long as these are few; of others, the sum of its shares.
  struct Cells {
    std::vector<std::uint64_t> few;
    std::vector<double> many;
  };

  // What lies over the present pixel.
  struct State {
    std::vector<std::uint8_t> present;
    std::vector<std::uint32_t> degree, place, edges;  // of objects; of each pair among `edges`
    Cells cells;
  };

  template <class Body>
  void for_each_end(Body body) const {
    for (std::size_t k = 0; k < edges_.count; ++k) {
      body(static_cast<std::size_t>(edges_.truth[k]), static_cast<std::uint32_t>(k));
      body(truth_.masks + static_cast<std::size_t>(edges_.pred[k]), static_cast<std::uint32_t>(k));
    }
  }

  std::size_t truth_of(std::uint32_t edge) const { return static_cast<std::size_t>(edges_.truth[edge]); }
  std::size_t pred_of(std::uint32_t edge) const { return truth_.masks + static_cast<std::size_t>(edges_.pred[edge]); }

  template <class Index>
  Cells cells_of(const Index& truth, const Index& pred, std::size_t begin, std::size_t end) const {
    const std::size_t objects = truth_.masks + pred_.masks;
    State state{std::vector<std::uint8_t>(objects, 0), std::vector<std::uint32_t>(objects, 0),
                std::vector<std::uint32_t>(edges_.count), {},
                {std::vector<std::uint64_t>(kExact * edges_.count, 0), std::vector<double>(edges_.count, 0.0)}};
    std::vector<std::uint64_t> events;  // place, whether it enters, object
    for (std::size_t bucket = begin; bucket < end; ++bucket) {
      if ((bucket & 0xf) == 0) tick();
      if (truth.begin(bucket) == truth.end(bucket) || pred.begin(bucket) == pred.end(bucket)) continue;
      events.clear();
      gather(truth, bucket, 0, events);
      gather(pred, bucket, truth_.masks, events);
      sort(events);
      std::uint64_t before = 0;
      for (const std::uint64_t event : events) {
        const std::uint64_t at = event >> kPlaceShift;
        if (at > before && !state.edges.empty()) share(state, at - before);
        before = at;
        change(state, static_cast<std::size_t>(event & (kEnters - 1)), (event & kEnters) != 0);
      }
    }
    return std::move(state.cells);
  }

  static constexpr int kPlaceShift = 32;
  static constexpr std::uint64_t kEnters = std::uint64_t{1} << 31;

  template <class Index>
  static void gather(const Index& index, std::size_t bucket, std::size_t base, std::vector<std::uint64_t>& events) {
    for (const auto* part = index.begin(bucket); part != index.end(bucket); ++part) {
      events.push_back(static_cast<std::uint64_t>(part->start) << kPlaceShift | kEnters | (base + part->mask));
      events.push_back(static_cast<std::uint64_t>(part->stop) << kPlaceShift | (base + part->mask));
    }
  }

  static void sort(std::vector<std::uint64_t>& events) {
    if (events.size() > 32) return std::sort(events.begin(), events.end());
    for (std::size_t k = 1; k < events.size(); ++k) {
      const std::uint64_t event = events[k];
      std::size_t to = k;
      for (; to > 0 && events[to - 1] > event; --to) events[to] = events[to - 1];
      events[to] = event;
    }
  }

  // An object enters or leaves: its pairs with objects that are there begin or end.
  void change(State& state, std::size_t object, bool enters) const {
    state.present[object] = enters;
    for (std::uint32_t k = first_[object]; k < first_[object + 1]; ++k) {
      const std::uint32_t edge = of_[k];
      const std::size_t other = object < truth_.masks ? pred_of(edge) : truth_of(edge);
      if (!state.present[other]) continue;
      if (enters) {
        ++state.degree[object], ++state.degree[other];
        state.place[edge] = static_cast<std::uint32_t>(state.edges.size());
        state.edges.push_back(edge);
      } else {
        --state.degree[object], --state.degree[other];
        const std::uint32_t last = state.edges.back();
        state.edges[state.place[edge]] = last;
        state.place[last] = state.place[edge];
        state.edges.pop_back();
      }
    }
  }

  void share(State& state, std::uint64_t pixels) const {
    for (const std::uint32_t edge : state.edges) {
      const std::size_t sharing = std::max(state.degree[truth_of(edge)], state.degree[pred_of(edge)]);
      if (sharing < kExact) state.cells.few[kExact * edge + sharing] += pixels;
      else state.cells.many[edge] += static_cast<double>(pixels) / static_cast<double>(sharing);
    }
  }

  RunsView truth_, pred_;
  EdgesView edges_;
  std::vector<std::uint32_t> first_, of_;
};

}  // namespace softpq
