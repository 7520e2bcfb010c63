// Shape and strides of arrays that are walked together.
#pragma once

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <vector>

namespace softpq {

// Shape and strides, in elements, of arrays that are walked together: truth, pred and, if any, the ignore mask.
struct Layout {
  struct Axis {
    std::size_t size;
    std::ptrdiff_t stride[3];
  };
  std::vector<Axis> axes;

  std::size_t size() const {
    std::size_t product = 1;
    for (const Axis& axis : axes) product *= axis.size;
    return product;
  }

  // Lines go along the last axis.
  std::size_t length() const { return axes.back().size; }
  std::size_t lines() const { return length() ? size() / length() : 0; }

  // Where a line is along the other axes.
  void locate(std::size_t line, std::vector<std::size_t>& at) const {
    at.resize(axes.size() - 1);
    for (std::size_t d = at.size(); d-- > 0; line /= axes[d].size) at[d] = line % axes[d].size;
  }

  // The first element of a line, in array number k.
  std::ptrdiff_t offset(std::size_t line, int k) const {
    std::ptrdiff_t sum = 0;
    for (std::size_t d = axes.size() - 1; d-- > 0; line /= axes[d].size)
      sum += static_cast<std::ptrdiff_t>(line % axes[d].size) * axes[d].stride[k];
    return sum;
  }

  // Puts the longest strides first, so that lines lie along memory; returns which axis each of them was.
  std::vector<std::size_t> sort() {
    std::vector<std::size_t> order(axes.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [this](std::size_t a, std::size_t b) { return longer(axes[a], axes[b]); });
    std::vector<Axis> sorted;
    for (const std::size_t axis : order) sorted.push_back(axes[axis]);
    axes.swap(sorted);
    return order;
  }

  // The order of pixels does not matter: put the longest strides first and join axes that are contiguous in all.
  void simplify() {
    axes.erase(std::remove_if(axes.begin(), axes.end(), [](const Axis& axis) { return axis.size == 1; }), axes.end());
    sort();
    std::vector<Axis> joined;
    for (const Axis& axis : axes) {
      if (!joined.empty() && continues(joined.back(), axis)) {
        const std::size_t size = joined.back().size * axis.size;
        joined.back() = axis;
        joined.back().size = size;
      } else {
        joined.push_back(axis);
      }
    }
    if (joined.empty()) joined.push_back(Axis{1, {1, 1, 1}});
    axes.swap(joined);
  }

 private:
  static bool longer(const Axis& a, const Axis& b) {
    return magnitude(a.stride[0]) != magnitude(b.stride[0]) ? magnitude(a.stride[0]) > magnitude(b.stride[0])
                                                            : magnitude(a.stride[1]) > magnitude(b.stride[1]);
  }
  static std::ptrdiff_t magnitude(std::ptrdiff_t stride) { return stride < 0 ? -stride : stride; }
  static bool continues(const Axis& outer, const Axis& inner) {
    for (int k = 0; k < 3; ++k)
      if (outer.stride[k] != inner.stride[k] * static_cast<std::ptrdiff_t>(inner.size)) return false;
    return true;
  }
};

}  // namespace softpq
