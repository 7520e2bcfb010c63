// The kernels on arbitrary bytes, for libFuzzer: `make fuzz-native` (needs clang). Whatever the bytes, nothing is read or
// written outside of memory, and what comes out is what a slow, obvious program says.
#include <cstdlib>
#include <cstring>
#include <map>

#include "../../native/count_pairs.hpp"
#include "../../native/lzw.hpp"
#include "../../native/object_table.hpp"
#include "../../native/polygon.hpp"

using namespace softpq;

namespace {

void require(bool holds) {
  if (!holds) std::abort();
}

void unpack(const std::uint8_t* data, std::size_t size) {
  const std::size_t room = size < 2 ? 0 : data[0] * 64u + data[1];
  try {
    require(LzwDecoder(data, size, room).decode().size() == room);
  } catch (const std::invalid_argument&) {
  }
}

void draw(const std::uint8_t* data, std::size_t size) {
  std::vector<double> xy(size / 8 * 2);
  for (std::size_t k = 0; k + 1 < xy.size(); k += 2) {
    std::int16_t corner[4];
    std::memcpy(corner, data + 4 * k, 8);
    xy[k] = corner[0] / 8.0 + corner[2] / 4096.0, xy[k + 1] = corner[1] / 8.0;
  }
  const std::int64_t corners = static_cast<std::int64_t>(xy.size() / 2), ends[] = {corners / 3, corners};
  const std::int64_t height = 50, width = 40;
  try {
    std::int64_t last = -1;
    for (const Run& run : Outline(xy.data(), ends, 2, height, width).runs(1 << 20)) {
      require(run.length > 0 && run.first > last && run.first + run.length <= height * width);
      require(run.first / width == (run.first + run.length - 1) / width);
      last = run.first + run.length - 1;
    }
  } catch (const std::length_error&) {
  }
}

template <class Label>
void count(const std::uint8_t* data, std::size_t size) {
  const std::size_t n = size / 2 / sizeof(Label);
  std::vector<Label> truth(n), pred(n);
  std::memcpy(truth.data(), data, n * sizeof(Label));
  std::memcpy(pred.data(), data + n * sizeof(Label), n * sizeof(Label));
  std::map<std::pair<std::uint64_t, std::uint64_t>, std::uint64_t> expected;
  for (std::size_t k = 0; k < n; ++k) ++expected[{truth[k], pred[k]}];
  Layout layout;
  layout.axes.push_back({n, {1, 1, 0}});
  const auto entries = count_pairs(truth.data(), pred.data(), static_cast<const std::uint8_t*>(nullptr), layout, 1);
  require(entries.size() == expected.size());
  for (const Entry& entry : entries) require(expected[{entry.truth, entry.pred}] == entry.pixels);
  std::int64_t pixels = tabulate(entries).background;
  for (const auto& [pair, number] : expected) pixels -= pair.first || pair.second ? 0 : static_cast<std::int64_t>(number);
  require(pixels == 0);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  switch (data[0] % 5) {
    case 0: unpack(data + 1, size - 1); break;
    case 1: draw(data + 1, size - 1); break;
    case 2: count<std::uint8_t>(data + 1, size - 1); break;
    case 3: count<std::uint16_t>(data + 1, size - 1); break;
    default: count<std::uint64_t>(data + 1, size - 1);
  }
  return 0;
}
