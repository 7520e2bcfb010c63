// Sums of weights that are exact: 128 bits. A weight is an IoU in units of 2^-53, and behind it what breaks ties.
#pragma once

#include <cmath>
#include <cstdint>

namespace softpq {

struct Wide {
  std::int64_t high = 0;
  std::uint64_t low = 0;

  friend Wide operator+(Wide a, Wide b) {
    const std::uint64_t low = a.low + b.low;
    const std::uint64_t carry = low < a.low;
    return {wrapped(a.high) + wrapped(b.high) + carry, low};
  }
  friend Wide operator-(Wide a, Wide b) {
    const std::uint64_t borrow = a.low < b.low;
    return {wrapped(a.high) - wrapped(b.high) - borrow, a.low - b.low};
  }
  friend bool operator<(Wide a, Wide b) { return a.high != b.high ? a.high < b.high : a.low < b.low; }
  friend bool operator>(Wide a, Wide b) { return b < a; }
  friend bool operator==(Wide a, Wide b) { return a.high == b.high && a.low == b.low; }

  // Signed arithmetic must not run over in C++; unsigned may, and gives the same bits.
  static std::uint64_t wrapped(std::int64_t value) { return static_cast<std::uint64_t>(value); }
  Wide() = default;
  Wide(std::uint64_t high_bits, std::uint64_t low_bits) : high(static_cast<std::int64_t>(high_bits)), low(low_bits) {}
};

constexpr int kTieBits = 52;  // room for the ties of a million pairs

// The weight of an edge; `weight` is at least 0 and less than 1024.
inline Wide wide_weight(double weight, std::uint32_t tie) {
  const std::uint64_t units = static_cast<std::uint64_t>(std::llround(std::ldexp(weight, 53)));
  return Wide{units >> (64 - kTieBits), (units << kTieBits)} + Wide{0, tie};
}

}  // namespace softpq
