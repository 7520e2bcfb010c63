// Sums of floating-point numbers that are rounded once, so that the order of objects cannot matter (Shewchuk 1997).
#pragma once

#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

namespace softpq {

// Keeps the sum as numbers that do not overlap, smallest first. There are two or three of them for sums of IoUs.
class ExactSum {
 public:
  void add(double value) {
    std::size_t kept = 0;
    for (std::size_t k = 0; k < parts_.size(); ++k) {
      double other = parts_[k];
      if (std::fabs(value) < std::fabs(other)) std::swap(value, other);
      const double sum = value + other;
      const double rest = other - (sum - value);
      if (rest != 0) parts_[kept++] = rest;
      value = sum;
    }
    parts_.resize(kept);
    parts_.push_back(value);
  }

  // The nearest double; of two that are equally near, the even one.
  double total() const {
    std::size_t at = parts_.size();
    if (at == 0) return 0;
    double high = parts_[--at], low = 0;
    while (at > 0 && low == 0) {
      const double sum = high + parts_[--at];
      low = parts_[at] - (sum - high);
      high = sum;
    }
    if (at > 0 && ((low < 0 && parts_[at - 1] < 0) || (low > 0 && parts_[at - 1] > 0))) {
      const double twice = 2 * low, sum = high + twice;  // exactly between two doubles, but for what is left
      if (twice == sum - high) high = sum;
    }
    return high;
  }

 private:
  std::vector<double> parts_;
};

}  // namespace softpq
