// The kernel without Python, for the sanitizers: `make sanitize`.
#include <cstdio>
#include <cstdlib>
#include <map>
#include <random>
#include <set>

#include "../../native/assignment.hpp"
#include "../../native/bands.hpp"
#include "../../native/count_pairs.hpp"
#include "../../native/growing_matching.hpp"
#include "../../native/interrupt.hpp"
#include "../../native/label_index.hpp"
#include "../../native/merge_tables.hpp"
#include "../../native/object_table.hpp"
#include "../../native/pieces.hpp"
#include "../../native/places.hpp"
#include "../../native/ties.hpp"
#include "../../native/tops.hpp"

using namespace softpq;

namespace {

void require(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "FAILED: %s\n", what);
  std::exit(1);
}

using Counts = std::map<std::pair<std::uint64_t, std::uint64_t>, std::uint64_t>;

Counts as_map(const Large<Entry>& entries) {
  Counts counts;
  for (std::size_t k = 0; k < entries.size(); ++k) {
    require(k == 0 || before(entries[k - 1], entries[k]), "entries are in order, each once");
    counts[{entries[k].truth, entries[k].pred}] = entries[k].pixels;
  }
  return counts;
}

template <class Label>
std::vector<Label> runs(std::mt19937_64& random, std::size_t size, unsigned kinds, unsigned longest) {
  std::vector<Label> values;
  while (values.size() < size) {
    const Label label = static_cast<Label>(random() % kinds * (random() % 50 == 0 ? 0x9e3779b97f4a7c15u : 1));
    values.insert(values.end(), std::min<std::size_t>(1 + random() % longest, size - values.size()), label);
  }
  return values;
}

template <class Truth, class Pred>
void counting_is_exact(std::mt19937_64& random, std::size_t size) {
  const auto truth = runs<Truth>(random, size, 1 + random() % 300, 1 + random() % 90);
  const auto pred = runs<Pred>(random, size, 1 + random() % 300, 1 + random() % 90);
  std::vector<std::uint8_t> ignore(size);
  for (auto& value : ignore) value = random() % 5 == 0;
  const std::uint8_t* none = nullptr;
  for (const std::uint8_t* mask : {none, static_cast<const std::uint8_t*>(ignore.data())}) {
    Counts expected;
    for (std::size_t i = 0; i < size; ++i)
      expected[mask && mask[i] ? std::pair<std::uint64_t, std::uint64_t>{0, 0}
                               : std::pair<std::uint64_t, std::uint64_t>{truth[i], pred[i]}]++;
    Layout layout;
    layout.axes.push_back({size, {1, 1, 1}});
    const auto entries = count_pairs(truth.data(), pred.data(), mask, layout, 3);
    require(as_map(entries) == expected, "counted pairs");
    std::int64_t pixels = 0;
    const ObjectTable table = tabulate(entries);
    for (const std::int64_t area : table.truth.areas) pixels += area;
    for (const auto& [pair, count] : expected) pixels -= pair.first ? static_cast<std::int64_t>(count) : 0;
    require(pixels == 0, "areas are sums of pixels");
  }
}

void strides_are_walked(std::mt19937_64& random) {
  const std::size_t height = 1 + random() % 40, width = 1 + random() % 70;
  const auto image = runs<std::uint16_t>(random, height * width, 9, 20);
  Layout layout;  // truth as stored, pred transposed and reversed
  layout.axes.push_back({height, {static_cast<std::ptrdiff_t>(width), 1, 0}});
  layout.axes.push_back({width, {1, static_cast<std::ptrdiff_t>(height), 0}});
  Counts expected;
  for (std::size_t y = 0; y < height; ++y)
    for (std::size_t x = 0; x < width; ++x) expected[{image[y * width + x], image[y + x * height]}]++;
  const std::uint8_t* none = nullptr;
  require(as_map(count_pairs(image.data(), image.data(), none, layout, 2)) == expected, "strided pairs");
}

// More pairs than the cache has room for, more entries than the log may have before it is sorted, more than 32 bits.
void the_log_loses_nothing(std::mt19937_64& random) {
  PairTable table(std::size_t{1} << 24);
  Counts expected;
  for (int k = 0; k < 400000; ++k) {
    const std::uint64_t truth = random() % 3000 * (random() % 2 ? 1 : 0x9e3779b97f4a7c15u), pred = random() % 30;
    table.add(truth, pred, 4000000000u);
    expected[{truth, pred}] += 4000000000u;
  }
  require(as_map(table.take_ordered()) == expected, "logged pairs");
  require(table.take_ordered().empty(), "a table that was taken is empty");
}

void equal_labels_are_found(std::mt19937_64& random) {
  std::set<std::uint64_t> some;
  for (unsigned k = random() % 3000; k > 0; --k) some.insert(1 + random() % 5000 * (random() % 2 ? 1 : 0x9e3779b97f4a7c15u));
  const std::vector<std::uint64_t> ids(some.begin(), some.end());
  const LabelIndex index(ids.data(), ids.size());
  for (std::size_t k = 0; k < ids.size(); ++k) require(index.of(ids[k]) == k, "a label has its position");
  for (std::uint64_t label = 0; label < 6000; ++label)
    if (!some.count(label)) require(index.of(label) == ids.size(), "other labels have none");
}

void products_are_folded(std::mt19937_64& random) {
  const std::uint64_t a = random(), b = random(), low = 0xffffffffu;
  const std::uint64_t carry = ((a & low) * (b & low) >> 32) + ((a >> 32) * (b & low) & low) + ((a & low) * (b >> 32) & low);
  const std::uint64_t high = (a >> 32) * (b >> 32) + ((a >> 32) * (b & low) >> 32) + ((a & low) * (b >> 32) >> 32);
  require(folded_product(a, b) == ((a * b) ^ (high + (carry >> 32))), "folded product");
}

void work_can_be_stopped() {
  std::vector<std::uint32_t> image(std::size_t{1} << 26);
  Layout layout;
  layout.axes.push_back({image.size(), {1, 1, 0}});
  const std::uint8_t* none = nullptr;
  int asked = 0;
  bool stopped = false;
  Ticker ticker([&asked] { return ++asked > 0; });
  for (int round = 0; round < 1000 && !stopped; ++round) try {
      count_pairs(image.data(), image.data(), none, layout, 3);
    } catch (const Interrupted&) {
      stopped = true;
    }
  require(stopped && asked == 1, "counting stops when it is told to");
}

template <class Label>
void comparisons_agree(std::mt19937_64& random) {
  const auto values = runs<Label>(random, 65, 3, 9), others = runs<Label>(random, 65, 3, 9);
  std::uint64_t expected = 0, of_both = 0;
  for (int i = 0; i < 64; ++i) {
    expected |= static_cast<std::uint64_t>(values[i] != values[i + 1]) << i;
    of_both |= static_cast<std::uint64_t>(values[i] != values[i + 1] || others[i] != others[i + 1]) << i;
  }
  require(changes_portable<8>(values.data()) == expected, "portable comparison");
  require(run_ends(values.data()) == expected, "vector comparison");
  require(run_ends(values.data(), others.data()) == of_both, "vector comparison of pairs");
}

void matching_is_one_to_one_and_largest(std::mt19937_64& random) {
  const Index rows = 1 + random() % 30, columns = 1 + random() % 30;
  std::set<std::pair<Index, Index>> edges;
  for (unsigned k = random() % 120; k > 0; --k) edges.insert({static_cast<Index>(random() % rows), static_cast<Index>(random() % columns)});
  std::vector<Index> row, column;
  std::vector<double> weight;
  std::vector<std::uint32_t> tie;
  for (const auto& [i, j] : edges) row.push_back(i), column.push_back(j), weight.push_back((1 + random() % 9) / 9.0), tie.push_back(static_cast<std::uint32_t>(random()));
  const auto chosen = best_pairs(rows, columns, row.size(), row.data(), column.data(), weight.data(), tie.data());
  std::set<Index> used_rows, used_columns;
  Index count = 0;
  for (std::size_t e = 0; e < chosen.size(); ++e)
    if (chosen[e]) ++count, used_rows.insert(row[e]), used_columns.insert(column[e]);
  require(static_cast<Index>(used_rows.size()) == count && static_cast<Index>(used_columns.size()) == count, "one to one");
  require(count == most_pairs(rows, columns, row.size(), row.data(), column.data()), "most pairs");
}

void matchings_grow_as_if_found_anew(std::mt19937_64& random) {
  const Index rows = 1 + random() % 12, columns = 1 + random() % 12, rounds = 1 + random() % 5, bins = 4;
  std::vector<Index> row, column, start, bin;
  for (unsigned k = random() % 40; k > 0; --k) {
    row.push_back(static_cast<Index>(random() % rows)), column.push_back(static_cast<Index>(random() % columns));
    start.push_back(static_cast<Index>(random() % (rounds + 1)));
  }
  for (std::size_t k = 0; k < row.size(); ++k) bin.push_back(static_cast<Index>(bins - 1 - k * bins / row.size()));
  const auto change = growth_by_round(rows, columns, row.size(), row.data(), column.data(), start.data(), bin.data(), rounds, bins);
  std::vector<std::int64_t> grown(bins, 0);
  for (Index round = 0; round < rounds; ++round) {
    for (Index b = 0; b < bins; ++b) grown[b] += change[static_cast<std::size_t>(round * bins + b)];
    std::int64_t size = 0;
    for (Index b = bins - 1; b >= 0; --b) {
      size += grown[b];
      std::vector<Index> some_rows, some_columns;
      for (std::size_t e = 0; e < row.size(); ++e)
        if (start[e] <= round && bin[e] >= b) some_rows.push_back(row[e]), some_columns.push_back(column[e]);
      require(size == most_pairs(rows, columns, some_rows.size(), some_rows.data(), some_columns.data()), "it grows");
    }
  }
}

void ties_do_not_depend_on_order(std::mt19937_64& random) {
  const Index truths = 1 + random() % 8, preds = 1 + random() % 8;
  std::set<std::pair<Index, Index>> edges;
  for (unsigned k = random() % 20; k > 0; --k) edges.insert({static_cast<Index>(random() % truths), static_cast<Index>(random() % preds)});
  std::vector<Index> truth, pred;
  std::vector<double> iou, share, other;
  for (const auto& [i, j] : edges) {
    truth.push_back(i), pred.push_back(j);
    iou.push_back((1 + random() % 3) / 7.0), share.push_back(0.25 * (1 + random() % 3)), other.push_back(0.5);
  }
  auto sorted = [](std::vector<Colour> ties) { return std::sort(ties.begin(), ties.end()), ties; };
  const auto here = TieBreaks(truths, preds, truth.size(), truth.data(), pred.data(), iou.data(), share.data(), other.data()).solve();
  const auto swapped = TieBreaks(preds, truths, truth.size(), pred.data(), truth.data(), iou.data(), other.data(), share.data()).solve();
  require(sorted(here) == sorted(swapped), "sides do not matter");
}

void wide_numbers_are_exact(std::mt19937_64& random) {
  std::vector<Wide> numbers;
  Wide sum;
  for (int k = 0; k < 50; ++k) numbers.push_back(wide_weight((random() % 1000) / 999.0, static_cast<std::uint32_t>(random())));
  for (const Wide& number : numbers) sum = sum + number;
  for (const Wide& number : numbers) require(sum - number < sum || number == Wide(), "less is less"), sum = sum - number;
  require(sum == Wide() && Wide() - wide_weight(1, 7) < Wide(), "what is added can be taken away");
  require(wide_weight(0.5, 4000000000u) < wide_weight(0.5000001, 0), "ties come behind the weight");
}

Layout contiguous(const std::vector<std::size_t>& shape) {
  Layout layout;
  std::ptrdiff_t stride = 1;
  for (const std::size_t size : shape) layout.axes.push_back({size, {0, 0, 0}});
  for (std::size_t d = shape.size(); d-- > 0; stride *= static_cast<std::ptrdiff_t>(shape[d]))
    for (auto& step : layout.axes[d].stride) step = stride;
  return layout;
}

void objects_begin(std::mt19937_64& random) {
  const std::size_t rows = 1 + random() % 9, columns = 1 + random() % 12;
  const auto labels = runs<std::uint16_t>(random, rows * columns, 3, 4);
  const Pieces pieces = find_pieces(labels.data(), contiguous({rows, columns}));
  const Tops tops = find_tops(labels.data(), rows, columns, 1 << 20);
  require(tops.labels.size() >= pieces.labels.size() && tops.runs >= tops.labels.size(), "every piece begins");
}

void pieces_touch(std::mt19937_64& random) {
  const std::vector<std::size_t> shape{1 + random() % 5, 1 + random() % 6, 1 + random() % 9};
  const auto truth = runs<std::uint8_t>(random, shape[0] * shape[1] * shape[2], 3, 4);
  const auto pred = runs<std::uint32_t>(random, truth.size(), 3, 4);
  const auto ignore = runs<std::uint8_t>(random, truth.size(), 2, 4);
  const Layout layout = contiguous(shape);
  const auto truth_pieces = draw_pieces(truth.data(), layout), pred_pieces = draw_pieces(pred.data(), layout);
  Counts expected, expected_ignored;
  for (std::size_t i = 0; i < truth.size(); ++i) {
    require((truth[i] == 0) == (truth_pieces[i] == 0), "background stays");
    if (ignore[i]) ++expected[{0, 0}];
    else ++expected[{truth_pieces[i], pred_pieces[i]}];
    ++expected_ignored[{ignore[i] ? 1 : 0, pred_pieces[i]}];
  }
  PieceCounter<std::uint8_t, std::uint32_t> counter(truth.data(), pred.data(), ignore.data(), layout);
  counter.count();
  require(as_map(counter.pairs) == expected && as_map(counter.ignored) == expected_ignored, "pieces are counted");
}

void bands_are_what_is_not_inside(std::mt19937_64& random) {
  const std::size_t height = 1 + random() % 30, width = 1 + random() % 40;
  const std::vector<std::size_t> reach{1 + random() % 3, 1 + random() % 4};
  std::vector<std::uint16_t> labels(height * width);
  for (std::size_t i = 0; i < labels.size(); ++i) labels[i] = static_cast<std::uint16_t>(i / width / 9 * 3 + i % width / 11);
  const Layout layout = contiguous({height, width});
  const Insides<std::uint16_t> insides(labels.data(), layout, 0, reach, 3);
  for (std::size_t y = 0; y < height; ++y)
    for (std::size_t x = 0; x < width; ++x) {
      bool inside = labels[y * width + x] != 0, found = false;
      for (std::size_t v = 0; v <= 2 * reach[0]; ++v)
        for (std::size_t u = 0; u <= 2 * reach[1]; ++u) {
          const std::size_t row = y + v - reach[0], column = x + u - reach[1];  // wraps beyond the border
          inside = inside && row < height && column < width && labels[row * width + column] == labels[y * width + x];
        }
      for (const auto& stretch : insides.of(y)) found = found || (stretch.first <= x && x < stretch.end);
      require(inside == found, "insides");
    }
  const std::uint8_t* none = nullptr;
  const auto bands = count_bands(labels.data(), labels.data(), none, layout, reach, Window{{0, 0}, {height, width}}, 3);
  std::uint64_t pixels = 0;
  for (const Entry& entry : bands) pixels += entry.pixels;
  require(pixels == labels.size(), "every pixel is counted once");
}

void objects_have_places(std::mt19937_64& random) {
  const std::size_t height = 1 + random() % 40, width = 1 + random() % 3000;
  const auto labels = runs<std::uint64_t>(random, height * width, 20, 90);
  const std::set<std::uint64_t> some(labels.begin(), labels.end());
  std::vector<std::uint64_t> ids(some.begin(), some.end());
  if (ids.front() == 0) ids.erase(ids.begin());
  const Boxes boxes = find_places(labels.data(), nullptr, contiguous({height, width}), ids.data(), ids.size(), 3);
  for (std::size_t k = 0; k < ids.size(); ++k) {
    std::int64_t low = 1 << 30, high = 0, sum = 0, pixels = 0;
    for (std::size_t i = 0; i < labels.size(); ++i)
      if (labels[i] == ids[k]) {
        const auto x = static_cast<std::int64_t>(i % width);
        low = std::min(low, x), high = std::max(high, x + 1), sum += x, ++pixels;
      }
    require(boxes.low[2 * k + 1] == low && boxes.high[2 * k + 1] == high, "boxes");
    require(boxes.center[2 * k + 1] == static_cast<double>(sum) / static_cast<double>(pixels), "centroids");
  }
}

}  // namespace

TableView view(const ObjectTable& t) {
  return {{{t.truth.ids.data(), t.truth.ids.size()}, {t.truth.areas.data(), t.truth.areas.size()}},
          {{t.pred.ids.data(), t.pred.ids.size()}, {t.pred.areas.data(), t.pred.areas.size()}},
          {t.pair_truth.data(), t.pair_truth.size()},
          {t.pair_pred.data(), t.pair_pred.size()},
          {t.pair_pixels.data(), t.pair_pixels.size()},
          t.background};
}

void merged_tables_are_the_table_of_both(std::mt19937_64& random) {
  const auto some = [&] {
    Large<Entry> entries;
    for (unsigned n = random() % 30; n; --n) entries.push_back({random() % 9, random() % 9, 1 + random() % 5});
    return entries;
  };
  Large<Entry> a = some(), b = some(), both = a;
  both.insert(both.end(), b.begin(), b.end());
  const ObjectTable first = tabulate(in_order(a)), second = tabulate(in_order(b));
  const ObjectTable merged = merge_tables(view(first), view(second));
  const ObjectTable expected = tabulate(in_order(both));
  require(merged.truth.ids == expected.truth.ids && merged.truth.areas == expected.truth.areas, "truth objects merge");
  require(merged.pred.ids == expected.pred.ids && merged.pred.areas == expected.pred.areas, "predictions merge");
  require(merged.pair_truth == expected.pair_truth && merged.pair_pred == expected.pair_pred &&
              merged.pair_pixels == expected.pair_pixels && merged.background == expected.background,
          "pairs merge");
}

int main() {
  std::mt19937_64 random(7);
  for (const std::size_t size : {1, 2, 63, 64, 65, 66, 127, 129, 1023, 1024, 1025, 5000, 900000}) {
    counting_is_exact<std::uint8_t, std::uint8_t>(random, size);
    counting_is_exact<std::uint16_t, std::uint32_t>(random, size);
    counting_is_exact<std::uint32_t, std::uint16_t>(random, size);
    counting_is_exact<std::uint64_t, std::uint64_t>(random, size);
  }
  for (int k = 0; k < 200; ++k) {
    strides_are_walked(random);
    comparisons_agree<std::uint8_t>(random), comparisons_agree<std::uint16_t>(random);
    comparisons_agree<std::uint32_t>(random), comparisons_agree<std::uint64_t>(random);
    matching_is_one_to_one_and_largest(random);
    matchings_grow_as_if_found_anew(random);
    ties_do_not_depend_on_order(random);
    wide_numbers_are_exact(random);
    objects_begin(random);
    pieces_touch(random);
    bands_are_what_is_not_inside(random);
    merged_tables_are_the_table_of_both(random);
  }
  for (int k = 0; k < 1000; ++k) products_are_folded(random);
  for (int k = 0; k < 10; ++k) objects_have_places(random);
  for (int k = 0; k < 20; ++k) equal_labels_are_found(random);
  the_log_loses_nothing(random);
  work_can_be_stopped();
  std::puts("native: 1 passed, 0 failed");
}
