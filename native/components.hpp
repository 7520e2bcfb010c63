// Connected components of a label image: pixels of one label that touch, also across corners.
//
// One pass joins each pixel with the neighbours that come before it in memory (union-find with path halving), one
// pass numbers the components in the order in which they are met. Works line by line: a line has the pixel to its
// left and, in the lines before it, three neighbours each.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "interrupt.hpp"

namespace softpq {

class DisjointSets {
 public:
  explicit DisjointSets(std::vector<std::uint64_t>& parent) : parent_(parent) {}
  std::uint64_t root(std::uint64_t node) {
    while (parent_[node] != node) node = parent_[node] = parent_[parent_[node]];
    return node;
  }
  void join(std::uint64_t a, std::uint64_t b) {
    a = root(a), b = root(b);
    if (a < b) parent_[b] = a;
    else parent_[a] = b;
  }

 private:
  std::vector<std::uint64_t>& parent_;
};

// For a line given by its coordinates in the leading axes: how far back in memory the lines before it lie that touch.
inline std::vector<std::size_t> lines_before(const std::vector<std::size_t>& shape,
                                             const std::vector<std::size_t>& at) {
  std::vector<std::ptrdiff_t> found{0};
  std::ptrdiff_t stride = 1;
  for (std::size_t d = shape.size(); d-- > 0;) {
    if (d + 1 < shape.size()) {
      const std::size_t known = found.size();
      for (std::size_t k = 0; k < known; ++k) {
        if (at[d] > 0) found.push_back(found[k] - stride);
        if (at[d] + 1 < shape[d]) found.push_back(found[k] + stride);
      }
    }
    stride *= static_cast<std::ptrdiff_t>(shape[d]);
  }
  std::vector<std::size_t> back;
  for (const std::ptrdiff_t offset : found)
    if (offset < 0) back.push_back(static_cast<std::size_t>(-offset));
  return back;
}

// Component numbers 1, 2, ... in memory order; 0 stays 0. `labels` is contiguous.
template <class Label>
std::vector<std::uint64_t> connected_components(const Label* labels, const std::vector<std::size_t>& shape) {
  std::size_t size = 1;
  for (const std::size_t extent : shape) size *= extent;
  std::vector<std::uint64_t> parent;
  if (size == 0) return parent;
  parent.reserve(size);
  for (std::size_t i = 0; i < size; ++i) {
    if ((i & 0xfffff) == 0) tick();
    parent.push_back(i);
  }
  DisjointSets sets(parent);
  const std::size_t width = shape.back();
  std::vector<std::size_t> at(shape.size() - 1, 0);
  for (std::size_t line = 0; line < size; line += width) {
    if ((line / width & 0x3f) == 0) tick();
    const std::vector<std::size_t> back = lines_before(shape, at);
    for (std::size_t x = 0; x < width; ++x) {
      const std::size_t here = line + x;
      if (labels[here] == 0) continue;
      auto join_if_same = [&](std::size_t there) {
        if (labels[there] == labels[here]) sets.join(here, there);
      };
      if (x > 0) join_if_same(here - 1);
      for (const std::size_t offset : back) {
        if (x > 0) join_if_same(here - offset - 1);
        join_if_same(here - offset);
        if (x + 1 < width) join_if_same(here - offset + 1);
      }
    }
    for (std::size_t d = at.size(); d-- > 0;) {
      if (++at[d] < shape[d]) break;
      at[d] = 0;
    }
  }
  std::vector<std::uint64_t> number;
  number.reserve(size);
  std::uint64_t next = 0;
  for (std::size_t i = 0; i < size; ++i) {
    if ((i & 0xfffff) == 0) tick();
    const std::uint64_t root = sets.root(i);  // the first pixel of its component: already numbered, or this one
    number.push_back(labels[i] == 0 ? 0 : root == i ? ++next : number[root]);
  }
  return number;
}

}  // namespace softpq
