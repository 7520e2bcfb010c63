// What all bindings share: arrays that come in, vectors that go out, work without Python's lock.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <atomic>
#include <cstdint>
#include <stdexcept>
#include <utility>
#include <vector>

#include "interrupt.hpp"

namespace softpq {

namespace nb = nanobind;

using AnyArray = nb::ndarray<nb::ro, nb::device::cpu>;
template <class T>
using Column = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

inline std::atomic<bool> everything_stops{false};

// Runs work without Python's lock. Now and then it looks whether the user interrupts (seen on the main thread only), or
// whether somebody asked all work to stop.
template <class Work>
auto without_lock(Work work) {
  nb::gil_scoped_release released;
  Ticker ticker([] {
    if (everything_stops) return true;
    nb::gil_scoped_acquire held;
    return PyErr_CheckSignals() != 0;
  });
  return work();
}

// Hands a vector to NumPy without copying it; as <const T>, nobody can change it there.
template <class Seen, class Vector>
nb::object to_numpy_as(Vector&& values) {
  auto* owned = new Vector(std::move(values));
  nb::capsule owner(owned, [](void* p) noexcept { delete static_cast<Vector*>(p); });
  const std::size_t size = owned->size();
  return nb::cast(nb::ndarray<nb::numpy, Seen, nb::ndim<1>>(owned->data(), {size}, owner));
}
template <class T, class Pages>
nb::object to_numpy(std::vector<T, Pages>&& values) {
  return to_numpy_as<T>(std::move(values));
}
template <class T, class Pages>
nb::object to_fixed(std::vector<T, Pages>&& values) {
  return to_numpy_as<const T>(std::move(values));
}

// Calls body with a null pointer of the unsigned type that has the array's width.
template <class Body>
auto with_width(const AnyArray& array, Body body) {
  const auto dtype = array.dtype();
  const auto code = static_cast<nb::dlpack::dtype_code>(dtype.code);
  if (code == nb::dlpack::dtype_code::Int || code == nb::dlpack::dtype_code::UInt) {
    if (dtype.bits == 8) return body(static_cast<const std::uint8_t*>(nullptr));
    if (dtype.bits == 16) return body(static_cast<const std::uint16_t*>(nullptr));
    if (dtype.bits == 32) return body(static_cast<const std::uint32_t*>(nullptr));
    if (dtype.bits == 64) return body(static_cast<const std::uint64_t*>(nullptr));
  }
  throw std::invalid_argument("labels must be integers of 8 to 64 bits");
}

}  // namespace softpq
