// Where runs of equal labels, or of equal pairs of labels, start: steps 1 and 2 of count_pairs.hpp.
#pragma once

#include <cstddef>
#include <cstdint>

#if (defined(__SSE2__) || defined(_M_X64)) && !defined(SOFTPQ_PORTABLE)
#include <emmintrin.h>
#define SOFTPQ_SSE2 1
#endif

namespace softpq {

inline int lowest_bit(std::uint64_t word) {
#if defined(__GNUC__) || defined(__clang__)
  return __builtin_ctzll(word);
#else
  int position = 0;
  while (!(word & 1)) word >>= 1, ++position;
  return position;
#endif
}

inline int count_bits(std::uint64_t word) {
  word -= (word >> 1) & 0x5555555555555555u;
  word = (word & 0x3333333333333333u) + ((word >> 2) & 0x3333333333333333u);
  word = (word + (word >> 4)) & 0x0f0f0f0f0f0f0f0fu;
  return static_cast<int>((word * 0x0101010101010101u) >> 56);
}

// ---------------------------------------------------------------- 1. where runs start

// Bit i is set where values[i] != values[i + 1], for i in 0..63. Reads 65 values.
template <class Label>
std::uint64_t changes_portable(const Label* values) {
  std::uint64_t mask = 0;
  for (int group = 0; group < 8; ++group) {
    std::uint64_t bytes = 0;
    for (int i = 0; i < 8; ++i)
      bytes |= static_cast<std::uint64_t>(values[8 * group + i] != values[8 * group + i + 1]) << (8 * i);
    mask |= ((bytes * 0x0102040810204080u) >> 56) << (8 * group);  // gathers the low bit of each byte
  }
  return mask;
}

#ifdef SOFTPQ_SSE2
inline __m128i load16(const void* at) { return _mm_loadu_si128(static_cast<const __m128i*>(at)); }

// All bits of a lane are set where the 16 bytes at `values` equal those one label further on.
inline __m128i equal_next(const std::uint8_t* v) { return _mm_cmpeq_epi8(load16(v), load16(v + 1)); }
inline __m128i equal_next(const std::uint16_t* v) { return _mm_cmpeq_epi16(load16(v), load16(v + 1)); }
inline __m128i equal_next(const std::uint32_t* v) { return _mm_cmpeq_epi32(load16(v), load16(v + 1)); }
inline __m128i equal_next(const std::uint64_t* v) {
  const __m128i halves = _mm_cmpeq_epi32(load16(v), load16(v + 1));
  return _mm_and_si128(halves, _mm_shuffle_epi32(halves, _MM_SHUFFLE(2, 3, 0, 1)));
}

// One byte per label for 16 labels: 0xff where a label equals the next.
inline __m128i equal_bytes(const std::uint8_t* v) { return equal_next(v); }
inline __m128i equal_bytes(const std::uint16_t* v) { return _mm_packs_epi16(equal_next(v), equal_next(v + 8)); }
inline __m128i equal_bytes(const std::uint32_t* v) {
  return _mm_packs_epi16(_mm_packs_epi32(equal_next(v), equal_next(v + 4)),
                         _mm_packs_epi32(equal_next(v + 8), equal_next(v + 12)));
}
inline __m128i equal_words(const std::uint64_t* v) {
  return _mm_castps_si128(_mm_shuffle_ps(_mm_castsi128_ps(equal_next(v)), _mm_castsi128_ps(equal_next(v + 2)),
                                         _MM_SHUFFLE(2, 0, 2, 0)));
}
inline __m128i equal_bytes(const std::uint64_t* v) {
  return _mm_packs_epi16(_mm_packs_epi32(equal_words(v), equal_words(v + 4)),
                         _mm_packs_epi32(equal_words(v + 8), equal_words(v + 12)));
}

template <class Truth, class Pred>
std::uint64_t run_ends(const Truth* truth, const Pred* pred) {
  std::uint64_t same = 0;
  for (int i = 0; i < 4; ++i) {
    const __m128i both = _mm_and_si128(equal_bytes(truth + 16 * i), equal_bytes(pred + 16 * i));
    same |= static_cast<std::uint64_t>(static_cast<unsigned>(_mm_movemask_epi8(both))) << (16 * i);
  }
  return ~same;
}
template <class Label>
std::uint64_t run_ends(const Label* labels) {
  std::uint64_t same = 0;
  for (int i = 0; i < 4; ++i)
    same |= static_cast<std::uint64_t>(static_cast<unsigned>(_mm_movemask_epi8(equal_bytes(labels + 16 * i)))) << (16 * i);
  return ~same;
}
#else
template <class Truth, class Pred>
std::uint64_t run_ends(const Truth* truth, const Pred* pred) {
  return changes_portable(truth) | changes_portable(pred);
}
template <class Label>
std::uint64_t run_ends(const Label* labels) {
  return changes_portable(labels);
}
#endif

constexpr std::size_t kChunk = 1024;  // two of 32-bit labels fit the first-level cache beside the table

// ---------------------------------------------------------------- 2. positions of the starts

using Position = std::uint32_t;
constexpr std::size_t kStartsRoom = kChunk + 16;  // a full chunk, its end, and what is written too much

// Writes offset + i for every set bit i and returns the end of what was written. Positions are written eight at a
// time whether they exist or not; the next call overwrites what was too much.
inline Position* write_bits(std::uint64_t bits, Position offset, Position* out) {
  Position* const end = out + count_bits(bits);
  do {
    for (int i = 0; i < 8; ++i) {
      out[i] = offset + static_cast<Position>(lowest_bit(bits | (std::uint64_t{1} << 63)));
      bits &= bits - 1;
    }
    out += 8;
  } while (bits);
  return end;
}

template <class Label>
bool differs_from_next(const Label* labels) {
  return labels[0] != labels[1];
}
template <class Truth, class Pred>
bool differs_from_next(const Truth* truth, const Pred* pred) {
  return truth[0] != truth[1] || pred[0] != pred[1];
}

// Writes the starts of the runs, then the length; returns how many runs there are. Of one array, or of pairs of two.
template <class... Label>
std::size_t find_runs(std::size_t length, Position* starts, const Label*... labels) {
  Position* out = starts;
  *out++ = 0;
  std::size_t i = 0;
  for (; i + 64 < length; i += 64) out = write_bits(run_ends((labels + i)...), static_cast<Position>(i + 1), out);
  const std::size_t left = length - 1 - i;  // comparisons still to make, at most 64
  if (length > 64 && left > 0) {            // the last 64 comparisons, less those made before
    const std::uint64_t bits = run_ends((labels + (length - 65))...) >> (64 - left);
    out = write_bits(bits, static_cast<Position>(i + 1), out);
  } else {
    for (; i + 1 < length; ++i) {
      *out = static_cast<Position>(i + 1);
      out += differs_from_next((labels + i)...);
    }
  }
  *out = static_cast<Position>(length);
  return static_cast<std::size_t>(out - starts);
}

}  // namespace softpq
