// COCO's masks and matching by score without Python, for the sanitizers: `make sanitize`.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>

#include "../../native/coco_polygon.hpp"
#include "../../native/coco_runs.hpp"
#include "../../native/detection.hpp"

using namespace softpq;

namespace {

void require(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "FAILED: %s\n", what);
  std::exit(1);
}

using Random = std::mt19937_64;

// Column-major pixels of a random mask, and what RowRuns makes of them.
void runs_hold_the_same_pixels(Random& random) {
  const std::int64_t height = 1 + static_cast<std::int64_t>(random() % 12), width = 1 + static_cast<std::int64_t>(random() % 12);
  std::vector<std::int64_t> counts;
  std::vector<bool> pixels;
  for (bool inside = false; static_cast<std::int64_t>(pixels.size()) < height * width; inside = !inside) {
    const std::size_t left = static_cast<std::size_t>(height * width) - pixels.size();
    counts.push_back(static_cast<std::int64_t>(std::min<std::size_t>(random() % 9, left)));
    pixels.insert(pixels.end(), static_cast<std::size_t>(counts.back()), inside);
  }
  RowRuns rows(1 << 20);
  ColumnRuns columns;
  add_counts(counts.data(), counts.size(), height * width, columns);
  rows.add(columns.intervals(0, columns.starts.size()), height, width);
  std::vector<bool> found(pixels.size());
  std::int64_t last = -1;
  for (std::size_t k = 0; k < rows.starts.size(); ++k) {
    require(rows.starts[k] > last && rows.stops[k] > rows.starts[k], "runs ascend with gaps");
    last = rows.stops[k];
    for (std::int64_t at = rows.starts[k]; at < rows.stops[k]; ++at)
      found[static_cast<std::size_t>(at % width * height + at / width)] = true;
  }
  require(found == pixels, "runs hold the pixels that were counted");
}

void any_text_is_a_mask_or_refused(Random& random) {
  std::string text(random() % 12, ' ');
  for (char& sign : text) sign = static_cast<char>(random() % 20 ? 48 + random() % 64 : random() % 256);
  try {
    RowRuns rows(1 << 20);
    ColumnRuns columns;
    add_text(text.data(), text.size(), 30, columns);
    rows.add(columns.intervals(0, columns.starts.size()), 5, 6);
  } catch (const std::invalid_argument&) {
  }
}

void any_polygon_is_drawn_or_refused(Random& random) {
  const double wild[] = {0, 1e-300, 1e8, -1e8, 1e18, std::nan(""), INFINITY, -3.5, 7.25};
  std::vector<double> xy(6 + 2 * (random() % 6));
  for (double& value : xy)
    value = random() % 8 ? static_cast<double>(random() % 4000) / 100 - 10 : wild[random() % 9];
  try {
    RowRuns rows(1 << 20);
    rows.add(joined(CocoPolygon(20, 17, 1 << 20).draw(xy.data(), xy.size() / 2)), 20, 17);
    for (std::int64_t stop : rows.stops) require(stop <= 340, "polygons are cut at the border");
  } catch (const std::invalid_argument&) {
  }
}

void every_truth_object_is_taken_once(Random& random) {
  const std::size_t truths = random() % 6, preds = random() % 8;
  std::vector<double> truth_boxes, pred_boxes;
  std::vector<std::int64_t> truth, pred;
  for (std::size_t k = 0; k < 4 * truths; ++k) truth_boxes.push_back(static_cast<double>(random() % 9));
  for (std::size_t k = 0; k < 4 * preds; ++k) pred_boxes.push_back(static_cast<double>(random() % 9));
  for (std::size_t k = 0; k < truths; ++k) truth.push_back(static_cast<std::int64_t>(k));
  for (std::size_t k = 0; k < preds; ++k) pred.push_back(static_cast<std::int64_t>(k));
  const std::vector<std::uint8_t> none(std::max(truths, preds) + 1);
  const std::int64_t truth_end = static_cast<std::int64_t>(truths), pred_end = static_cast<std::int64_t>(preds);
  const double iou = 0.5;
  const Groups groups{1, truths, preds, 1, 1, truth.data(), &truth_end, pred.data(), &pred_end, none.data(), none.data(), none.data(), &iou};
  const Found found = match_groups(groups, BoxIous{truth_boxes.data(), pred_boxes.data()});
  std::size_t matched = 0;
  for (const std::uint8_t one : found.matched) matched += one;
  require(matched <= std::min(truths, preds), "no more matches than objects");
}

}  // namespace

int main() {
  Random random(1);
  for (int round = 0; round < 3000; ++round) {
    runs_hold_the_same_pixels(random);
    any_text_is_a_mask_or_refused(random);
    any_polygon_is_drawn_or_refused(random);
    every_truth_object_is_taken_once(random);
  }
  std::puts("COCO's masks: fine");
}
