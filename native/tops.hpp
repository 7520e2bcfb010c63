// How often objects begin: a run of a label with nothing of that label above it. An object of simple shape begins once;
// a label that is scattered over the image begins as often as it has pieces, or more often.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "lines.hpp"

namespace softpq {

struct Tops {
  std::vector<std::uint64_t> labels;  // of every beginning
  std::size_t runs = 0;               // of all labels but the background
};

// `labels` has `rows` lines of `columns` pixels, one after the other. Stops after the line with the last of `most`.
template <class Label>
Tops find_tops(const Label* labels, std::size_t rows, std::size_t columns, std::size_t most) {
  Tops tops;
  const auto reader = std::make_unique<LineReader<Label>>();
  std::vector<Stretch<Label>> above, here;
  for (std::size_t y = 0; y < rows && tops.labels.size() < most; ++y) {
    reader->objects(labels + y * columns, 1, columns, here);
    std::size_t at = 0;  // in the line above
    for (const Stretch<Label>& run : here) {
      while (at < above.size() && above[at].end < run.first) ++at;  // corners touch, too
      bool goes_on = false;
      for (std::size_t k = at; k < above.size() && above[k].first <= run.end && !goes_on; ++k)
        goes_on = above[k].label == run.label;
      if (!goes_on) tops.labels.push_back(static_cast<std::uint64_t>(run.label));
    }
    tops.runs += here.size();
    above.swap(here);
  }
  return tops;
}

}  // namespace softpq
