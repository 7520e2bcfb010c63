// Masks on arbitrary bytes, for libFuzzer: `make fuzz-native` (needs clang). Whatever the bytes, nothing is read or written
// outside of memory, and what comes out is what looking at every pixel says.
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <map>
#include <set>

#include "../../native/coco_polygon.hpp"
#include "../../native/coco_runs.hpp"
#include "../../native/detection.hpp"
#include "../../native/mask_bands.hpp"
#include "../../native/mask_credits.hpp"
#include "../../native/mask_soft.hpp"
#include "../../native/mask_ties.hpp"

using namespace softpq;

namespace {

void require(bool holds) {
  if (!holds) std::abort();
}

RunsView view(const MaskRuns& masks) {
  return {masks.offsets.data(), masks.starts.data(), masks.stops.data(), masks.offsets.size() - 1};
}

using Stack = std::vector<std::uint8_t>;  // masks one after the other

// Two sides of a few masks each: every mask is some boxes of a small image, or a copy.
struct Scene {
  std::int64_t height = 1, width = 1;
  std::vector<Stack> sides[2];

  Scene(const std::uint8_t* data, std::size_t size) {
    std::size_t at = 0;
    const auto next = [&] { return at < size ? data[at++] : std::uint8_t{0}; };
    height = 1 + next() % 12, width = 1 + next() % 40;
    for (auto& side : sides)
      for (int left = next() % 7; left > 0; --left) {
        Stack mask(static_cast<std::size_t>(height * width), 0);
        const std::uint8_t kind = next();
        if (kind % 5 == 0 && !side.empty()) mask = side[kind % side.size()];
        for (int boxes = kind % 4; boxes > 0; --boxes) {
          const std::int64_t y = next() % height, x = next() % width, h = 1 + next() % 8, w = 1 + next() % 30;
          for (std::int64_t i = y; i < std::min(y + h, height); ++i)
            for (std::int64_t j = x; j < std::min(x + w, width); ++j) mask[static_cast<std::size_t>(i * width + j)] = 1;
        }
        side.push_back(mask);
      }
  }
  std::int64_t pixels() const { return height * width; }
  MaskRuns runs(int side) const {
    Stack all;
    for (const Stack& mask : sides[side]) all.insert(all.end(), mask.begin(), mask.end());
    return runs_of_stack(all.data(), sides[side].size(), static_cast<std::size_t>(pixels()), 1).masks;
  }
};

void check_runs(const MaskRuns& found, const std::vector<Stack>& masks) {
  require(found.offsets.size() == masks.size() + 1);
  for (std::size_t k = 0; k < masks.size(); ++k) {
    Stack drawn(masks[k].size(), 0);
    std::int64_t last = -1;
    for (std::int64_t run = found.offsets[k]; run < found.offsets[k + 1]; ++run) {
      const auto at = static_cast<std::size_t>(run);
      require(found.starts[at] > last && found.stops[at] > found.starts[at]);
      last = found.stops[at];
      for (std::int64_t p = found.starts[at]; p < last; ++p) drawn[static_cast<std::size_t>(p)] = 1;
    }
    require(drawn == masks[k]);
  }
}

void check_pairs(const Scene& scene, const MaskRuns& truth, const MaskRuns& pred, MaskPairs& pairs) {
  CoveredPixels covered, expected;
  pairs = count_masks(view(truth), view(pred), scene.pixels(), 1, &covered);
  std::size_t k = 0;
  const MaskColumns columns[2] = {{truth.offsets.data(), truth.starts.data(), truth.stops.data()},
                                  {pred.offsets.data(), pred.starts.data(), pred.stops.data()}};
  for (std::size_t t = 0; t < scene.sides[0].size(); ++t)
    for (std::size_t p = 0; p < scene.sides[1].size(); ++p) {
      std::int64_t shared = 0;
      for (std::size_t at = 0; at < scene.sides[0][t].size(); ++at) shared += scene.sides[0][t][at] & scene.sides[1][p][at];
      require(shared_pixels(columns[0], static_cast<std::int64_t>(t), columns[1], static_cast<std::int64_t>(p)) == shared);
      if (shared == 0) continue;
      require(k < pairs.truth.size() && pairs.truth[k] == static_cast<std::int64_t>(t));
      require(pairs.pred[k] == static_cast<std::int64_t>(p) && pairs.pixels[k] == shared);
      ++k;
    }
  require(k == pairs.truth.size());
  for (std::int64_t at = 0; at < scene.pixels(); ++at) {
    bool any[2] = {false, false};
    for (int side : {0, 1})
      for (const Stack& mask : scene.sides[side]) any[side] |= mask[static_cast<std::size_t>(at)] != 0;
    expected.truth += any[0], expected.pred += any[1], expected.both += any[0] && any[1];
  }
  const int bits = bucket_bits(view(truth), view(pred), scene.pixels());
  const BucketIndex<std::uint32_t> first(view(truth), scene.pixels(), bits), second(view(pred), scene.pixels(), bits);
  for (const CoveredPixels& found : {covered, covered_pixels(first, second)})
    require(found.truth == expected.truth && found.pred == expected.pred && found.both == expected.both);
}

// Some matching: pairs that share at least half of both, first come.
void check_credits(const Scene& scene, const MaskRuns& truth, const MaskRuns& pred, const MaskPairs& pairs) {
  const std::size_t truths = scene.sides[0].size(), preds = scene.sides[1].size();
  std::vector<std::int64_t> of_truth(truths, -1), of_pred(preds, -1), areas[2], unions;
  for (int side : {0, 1})
    for (const Stack& mask : scene.sides[side]) areas[side].push_back(std::count(mask.begin(), mask.end(), 1));
  for (std::size_t k = 0; k < pairs.truth.size(); ++k) {
    const auto t = static_cast<std::size_t>(pairs.truth[k]), p = static_cast<std::size_t>(pairs.pred[k]);
    unions.push_back(areas[0][t] + areas[1][p] - pairs.pixels[k]);
    if (2 * pairs.pixels[k] >= unions.back() && of_truth[t] < 0 && of_pred[p] < 0) {
      of_truth[t] = static_cast<std::int64_t>(p), of_pred[p] = static_cast<std::int64_t>(t);
    }
  }
  const Atoms atoms = Sweep(view(truth), view(pred), scene.pixels(), 1 << 20).atoms();
  const PairsView table{pairs.truth.data(), pairs.pred.data(), unions.data(), unions.size(), of_truth.data(),
                        of_pred.data(), truths, preds};
  const double low = 0.05;
  const std::vector<std::int64_t> own = CreditCount(view_of(atoms), table).own();
  const Credits expected = CreditCount(view_of(atoms), table).credits(low);
  for (unsigned threads : {1u, 2u}) {
    const Credits found =
        SoftPairs(view(truth), view(pred), table, pairs.pixels.data()).credits(scene.pixels(), low, threads);
    require(found.soft == expected.soft);
    for (std::size_t k = 0; k < own.size(); ++k)
      if (expected.soft[k]) require(std::abs(found.pixels[k] - expected.pixels[k]) < 1e-9);
  }
  AtomTies(view_of(atoms), areas[0].data(), truths, areas[1].data(), preds).solve(0, nullptr, nullptr);
}

void masks(const std::uint8_t* data, std::size_t size) {
  const Scene scene(data, size);
  const MaskRuns truth = scene.runs(0), pred = scene.runs(1);
  check_runs(truth, scene.sides[0]);
  check_runs(pred, scene.sides[1]);
  MaskPairs pairs;
  check_pairs(scene, truth, pred, pairs);
  check_credits(scene, truth, pred, pairs);
  const std::vector<std::size_t> shape{static_cast<std::size_t>(scene.height), static_cast<std::size_t>(scene.width)};
  bands_of_masks(view(truth), shape, {1, 2}, 1);
}

// Intervals of columns become runs of rows: the same pixels.
void turn(const std::vector<Interval>& intervals, std::int64_t height, std::int64_t width) {
  RowRuns rows(1 << 20);
  rows.add(intervals, height, width);
  std::set<std::int64_t> expected, found;
  for (const Interval& one : intervals)
    for (std::int64_t at = one.first; at < one.last; ++at) expected.insert(at % height * width + at / height);
  std::int64_t last = -1;
  for (std::size_t k = 0; k < rows.starts.size(); ++k) {
    require(rows.starts[k] > last && rows.stops[k] > rows.starts[k]);
    last = rows.stops[k];
    for (std::int64_t at = rows.starts[k]; at < last; ++at) found.insert(at);
  }
  require(found == expected);
}

void text(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return;
  const std::int64_t height = 1 + data[0] % 20, width = 1 + data[1] % 20;
  try {
    ColumnRuns columns;
    add_text(reinterpret_cast<const char*>(data + 2), size - 2, height * width, columns);
    turn(columns.intervals(0, columns.starts.size()), height, width);
  } catch (const std::logic_error&) {
  }
}

void polygon(const std::uint8_t* data, std::size_t size) {
  std::vector<double> xy(size / 4 * 2);
  for (std::size_t k = 0; k < xy.size(); ++k) {
    std::int16_t corner;
    std::memcpy(&corner, data + 2 * k, 2);
    xy[k] = corner % 7 == 0 ? corner * 1e5 : corner / 16.0;
  }
  try {
    turn(joined(CocoPolygon(30, 25, 1 << 16).draw(xy.data(), xy.size() / 2)), 30, 25);
  } catch (const std::logic_error&) {
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  switch (data[0] % 4) {
    case 0: text(data + 1, size - 1); break;
    case 1: polygon(data + 1, size - 1); break;
    default: masks(data + 1, size - 1);
  }
  return 0;
}
