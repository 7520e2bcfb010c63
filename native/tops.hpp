// How often objects begin: a run of a label with nothing of that label above it. An object of simple shape begins once;
// a label that is scattered over the image begins as often as it has pieces, or more often.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace softpq {

struct Tops {
  std::vector<std::uint64_t> labels;  // of every beginning
  std::size_t runs = 0;               // of all labels but the background
};

// `labels` has `rows` lines of `columns` pixels, one after the other. Stops after `most` beginnings.
template <class Label>
Tops find_tops(const Label* labels, std::size_t rows, std::size_t columns, std::size_t most) {
  struct Run {
    std::size_t first, last;
    Label label;
  };
  Tops tops;
  std::vector<Run> above, here;
  for (std::size_t y = 0; y < rows && tops.labels.size() < most; ++y) {
    const Label* line = labels + y * columns;
    here.clear();
    std::size_t at = 0;  // in the line above
    for (std::size_t x = 0; x < columns;) {
      const std::size_t first = x;
      const Label label = line[x];
      while (x < columns && line[x] == label) ++x;
      if (label == 0) continue;
      here.push_back({first, x - 1, label});
      while (at < above.size() && above[at].last + 1 < first) ++at;  // corners touch, too
      bool goes_on = false;
      for (std::size_t k = at; k < above.size() && above[k].first <= x && !goes_on; ++k) goes_on = above[k].label == label;
      if (!goes_on) tops.labels.push_back(static_cast<std::uint64_t>(label));
    }
    tops.runs += here.size();
    above.swap(here);
  }
  return tops;
}

}  // namespace softpq
