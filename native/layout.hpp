// Shape and strides of arrays that are walked together.
#pragma once

#include <algorithm>
#include <cstddef>
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

  // The order of pixels does not matter: put the longest strides first and join axes that are contiguous in all.
  void simplify() {
    axes.erase(std::remove_if(axes.begin(), axes.end(), [](const Axis& axis) { return axis.size == 1; }), axes.end());
    std::stable_sort(axes.begin(), axes.end(), [](const Axis& a, const Axis& b) {
      return magnitude(a.stride[0]) != magnitude(b.stride[0]) ? magnitude(a.stride[0]) > magnitude(b.stride[0])
                                                              : magnitude(a.stride[1]) > magnitude(b.stride[1]);
    });
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
  static std::ptrdiff_t magnitude(std::ptrdiff_t stride) { return stride < 0 ? -stride : stride; }
  static bool continues(const Axis& outer, const Axis& inner) {
    for (int k = 0; k < 3; ++k)
      if (outer.stride[k] != inner.stride[k] * static_cast<std::ptrdiff_t>(inner.size)) return false;
    return true;
  }
};

}  // namespace softpq
