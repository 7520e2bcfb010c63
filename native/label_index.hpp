// From labels to positions in a list of ids: a plain table while labels are dense, else open addressing.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>
#include <stdexcept>
#include <vector>

namespace softpq {

// Both halves of a product.
inline std::uint64_t folded_product(std::uint64_t a, std::uint64_t b) {
#ifdef __SIZEOF_INT128__
  __extension__ typedef unsigned __int128 Wide;
  const Wide product = static_cast<Wide>(a) * b;
  return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
#else
  const std::uint64_t low = 0xffffffffu, a0 = a & low, a1 = a >> 32, b0 = b & low, b1 = b >> 32;
  const std::uint64_t middle = a1 * b0 + (a0 * b0 >> 32), other = a0 * b1 + (middle & low);
  return (a * b) ^ (a1 * b1 + (middle >> 32) + (other >> 32));
#endif
}

// Two numbers that nobody knows beforehand: labels that were made to collide do not.
struct HashKeys {
  std::uint64_t mask, factor;
  static const HashKeys& secret() {
    static const HashKeys keys = [] {
      std::random_device random;
      auto number = [&random] { return (std::uint64_t{random()} << 32) ^ random(); };
      return HashKeys{number(), number() | 1};
    }();
    return keys;
  }
};

class LabelIndex {
 public:
  LabelIndex(const std::uint64_t* ids, std::size_t count) : none_(static_cast<std::uint32_t>(count)) {
    if (count >= 0xffffffffu) throw std::length_error("too many objects");
    const std::uint64_t largest = count ? *std::max_element(ids, ids + count) : 0;
    if (largest < 8 * (count + 1024)) {
      dense_.assign(static_cast<std::size_t>(largest) + 1, none_);
      for (std::size_t k = 0; k < count; ++k) dense_[ids[k]] = static_cast<std::uint32_t>(k);
      return;
    }
    std::size_t size = 64;
    while (size < 2 * count) size *= 2;
    slots_.assign(size, Slot{0, none_});
    for (std::size_t k = 0; k < count; ++k) *find(ids[k]) = Slot{ids[k], static_cast<std::uint32_t>(k)};
  }
  // Its position; the number of ids if it is none of them.
  std::size_t of(std::uint64_t label) const {
    if (!dense_.empty()) return label < dense_.size() ? dense_[static_cast<std::size_t>(label)] : none_;
    return const_cast<LabelIndex*>(this)->find(label)->position;
  }

 private:
  struct Slot {
    std::uint64_t label;
    std::uint32_t position;
  };
  Slot* find(std::uint64_t label) {
    const std::size_t mask = slots_.size() - 1;
    std::size_t at = static_cast<std::size_t>(folded_product(label ^ keys_.mask, keys_.factor)) & mask;
    while (slots_[at].position != none_ && slots_[at].label != label) at = (at + 1) & mask;
    return &slots_[at];
  }

  std::uint32_t none_;
  HashKeys keys_ = HashKeys::secret();
  std::vector<std::uint32_t> dense_;
  std::vector<Slot> slots_;
};

}  // namespace softpq
