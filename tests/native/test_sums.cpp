// Sorting of noise, sums that are rounded once, sums of tables, and comparisons by words; run under the sanitizers.
#include <cstdio>
#include <cstdlib>
#include <random>
#include <vector>

#include "../../native/pair_counts.hpp"
#include "../../native/runs.hpp"
#include "../../native/table_sums.hpp"

using namespace softpq;

#define CHECK(condition)                                                      \
  do {                                                                        \
    if (!(condition)) {                                                       \
      std::fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition);    \
      std::exit(1);                                                           \
    }                                                                         \
  } while (false)

namespace {

std::mt19937_64 random_number(1);

std::uint64_t of_bits(int bits) { return bits ? random_number() >> (64 - bits) : 0; }

// Labels of any width, a few of them far away, so that piles are uneven.
std::vector<Entry> entries_of(std::size_t size, int truth_bits, int pred_bits, bool outliers) {
  std::vector<Entry> entries(size);
  for (Entry& entry : entries) {
    entry = {of_bits(truth_bits), of_bits(pred_bits), 1 + random_number() % 5};
    if (outliers && random_number() % 50 == 0) entry.truth = random_number();
  }
  return entries;
}

template <class Item>
void sorting_is_that_of_the_library(Item (*made)(const Entry&)) {
  for (int round = 0; round < 60; ++round) {
    const auto size = static_cast<std::size_t>(random_number() % 40000);
    const int truth_bits = static_cast<int>(random_number() % 65), pred_bits = static_cast<int>(random_number() % 65);
    const std::vector<Entry> entries = entries_of(size, truth_bits, pred_bits, round % 3 == 0);
    Large<Item> sorted(size);
    std::transform(entries.begin(), entries.end(), sorted.begin(), made);
    Large<Item> expected = sorted;
    sort_entries(sorted);
    std::sort(expected.begin(), expected.end(), [](const Item& a, const Item& b) { return before(a, b); });
    for (std::size_t k = 0; k < size; ++k) CHECK(!before(sorted[k], expected[k]) && !before(expected[k], sorted[k]));
    std::uint64_t pixels = 0;
    for (std::size_t k = 0; k < size; ++k) pixels += sorted[k].pixels - expected[k].pixels;
    CHECK(pixels == 0);
  }
}

void noise_is_counted() {
  PairTable table(1 << 20);
  const std::vector<Entry> some = entries_of(500000, 9, 9, false);
  const Large<Entry> all(some.begin(), some.end());
  for (const Entry& entry : all) table.add(entry.truth, entry.pred, entry.pixels);
  const Large<Entry> found = table.take_ordered(), expected = in_order(all);
  CHECK(found.size() == expected.size());
  for (std::size_t k = 0; k < found.size(); ++k)
    CHECK(found[k].truth == expected[k].truth && found[k].pred == expected[k].pred && found[k].pixels == expected[k].pixels);
}

template <class Label>
void words_are_compared_as_labels_are() {
  for (int round = 0; round < 20000; ++round) {
    Label values[65];
    for (Label& value : values) value = static_cast<Label>(random_number() % 4 ? random_number() % 3 : random_number());
    for (int i = 1; i < 65; ++i)
      if (random_number() % 3 == 0) values[i] = values[i - 1];
    CHECK(changes_portable<8>(values) == changes_one_by_one<8>(values));
    CHECK(changes_portable<2>(values) == changes_one_by_one<2>(values));
    CHECK(run_ends(values) == changes_one_by_one<8>(values));
    CHECK(few_run_ends(values) == changes_one_by_one<2>(values));
  }
}

template <class Label>
void short_lines_have_all_their_runs() {
  for (std::size_t length = 1; length < 200; ++length) {
    std::vector<Label> values(length), others(length);
    for (Label& value : values) value = static_cast<Label>(random_number() % 2);
    for (Label& value : others) value = static_cast<Label>(random_number() % 9 == 0);
    std::size_t next = 0;
    const auto takes = [&next](auto differs) {
      return [&next, differs](std::size_t first, std::size_t end) {
        CHECK(first == next && end > first);
        for (std::size_t i = first + 1; i < end; ++i) CHECK(!differs(i));
        CHECK(first == 0 || differs(first));
        next = end;
      };
    };
    each_run(length, takes([&](std::size_t i) { return values[i] != values[i - 1]; }), values.data());
    CHECK(next == length);
    next = 0;
    each_run(length, takes([&](std::size_t i) { return values[i] != values[i - 1] || others[i] != others[i - 1]; }),
             values.data(), others.data());
    CHECK(next == length);
  }
}

void sums_are_rounded_once() {
  ExactSum cancelling;
  for (const double value : {1e16, 1.0, -1e16}) cancelling.add(value);
  CHECK(cancelling.total() == 1.0);
  CHECK(ExactSum().total() == 0.0);
  for (int round = 0; round < 200; ++round) {
    std::vector<double> values(1 + random_number() % 200);
    for (double& value : values) value = static_cast<double>(random_number() % 1000) / static_cast<double>(1 + random_number() % 1000);
    ExactSum forwards, backwards;
    for (std::size_t k = 0; k < values.size(); ++k) forwards.add(values[k]), backwards.add(values[values.size() - 1 - k]);
    CHECK(forwards.total() == backwards.total());
  }
}

void a_table_has_its_sums() {
  const std::int64_t truth_areas[] = {4, 2}, pred_areas[] = {3, 3}, truth[] = {0, 0, 1}, pred[] = {0, 1, 1}, pixels[] = {3, 1, 2};
  const PairsOf table{2, 2, 3, truth_areas, pred_areas, truth, pred, pixels};
  const std::vector<double> iou = pair_ious(table);
  CHECK(iou[0] == 0.75 && iou[1] == 1.0 / 6 && iou[2] == 2.0 / 3);
  CHECK(candidates_of(table, iou.data(), 0.5, false).pairs.size() == 2);
  CHECK(candidates_of(table, iou.data(), 0.1, false).contested);
  CHECK(contest_of(table).pairs.size() == 3);
  CHECK(aggregated(table, iou.data()).intersection == 5);
  CHECK(covered_iou(table, iou.data()) == 0.75 + 2.0 / 3);
  CHECK(bits_of(Segments(table, 10, true)).pixels == 16);
  CHECK(together_in(Segments(table, 10, false)).in_truth == 4 * 3 + 2 * 1);
}

}  // namespace

int main() {
  sorting_is_that_of_the_library<Entry>([](const Entry& entry) { return entry; });
  sorting_is_that_of_the_library<PackedEntry>([](const Entry& entry) {
    return PackedEntry{entry.truth << 32 | (entry.pred & 0xffffffffu), entry.pixels};
  });
  noise_is_counted();
  words_are_compared_as_labels_are<std::uint8_t>();
  words_are_compared_as_labels_are<std::uint16_t>();
  words_are_compared_as_labels_are<std::uint32_t>();
  words_are_compared_as_labels_are<std::uint64_t>();
  short_lines_have_all_their_runs<std::uint8_t>();
  short_lines_have_all_their_runs<std::uint16_t>();
  short_lines_have_all_their_runs<std::uint32_t>();
  short_lines_have_all_their_runs<std::uint64_t>();
  sums_are_rounded_once();
  a_table_has_its_sums();
  std::puts("sums: all is well");
}
