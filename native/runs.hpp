// Runs of equal labels, or of equal pairs of labels: steps 1 and 2 of count_pairs.hpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#ifndef SOFTPQ_PORTABLE
#if defined(__SSE2__) || defined(_M_X64)
#include <emmintrin.h>
#define SOFTPQ_SSE2 1
#elif (defined(__aarch64__) && !defined(__ARM_BIG_ENDIAN)) || defined(_M_ARM64)
#include <arm_neon.h>
#define SOFTPQ_NEON 1
#endif
#endif
#if defined(_MSC_VER) && !defined(__clang__)
#include <intrin.h>
#endif

namespace softpq {

inline int lowest_bit(std::uint64_t word) {
#if defined(__GNUC__) || defined(__clang__)
  return __builtin_ctzll(word);
#elif defined(_M_X64) || defined(_M_ARM64)
  unsigned long position;
  _BitScanForward64(&position, word);
  return static_cast<int>(position);
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

// ---------------------------------------------------------------- 1. where runs end

// Bit i is set where values[i] != values[i + 1], for as many groups of eight. Reads one value more.
template <int kGroups, class Label>
std::uint64_t changes_one_by_one(const Label* values) {
  std::uint64_t mask = 0;
  for (int group = 0; group < kGroups; ++group) {
    std::uint64_t bytes = 0;
    for (int i = 0; i < 8; ++i)
      bytes |= static_cast<std::uint64_t>(values[8 * group + i] != values[8 * group + i + 1]) << (8 * i);
    mask |= ((bytes * 0x0102040810204080u) >> 56) << (8 * group);  // gathers the low bit of each byte
  }
  return mask;
}

// Where the first byte of a word is its lowest, eight or four labels are compared at once: a lane that is not 0 carries into
// its highest bit, and a multiplication gathers those bits.
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
inline std::uint64_t word_at(const void* at) {
  std::uint64_t word;
  std::memcpy(&word, at, sizeof word);
  return word;
}
template <int kGroups, class Label>
std::uint64_t changes_portable(const Label* values) {
  if constexpr (sizeof(Label) > 2) return changes_one_by_one<kGroups>(values);
  constexpr bool kBytes = sizeof(Label) == 1;
  constexpr int kLanes = kBytes ? 8 : 4;
  constexpr std::uint64_t kLow = kBytes ? 0x7f7f7f7f7f7f7f7fu : 0x7fff7fff7fff7fffu;
  constexpr std::uint64_t kGather = kBytes ? 0x0102040810204080u : 0x0001000200040008u;
  std::uint64_t mask = 0;
  for (int at = 0; at < 8 * kGroups; at += kLanes) {
    const std::uint64_t word = word_at(values + at) ^ word_at(values + at + 1);
    const std::uint64_t lanes = (((word & kLow) + kLow) | word) & ~kLow;
    mask |= (((lanes >> (kBytes ? 7 : 15)) * kGather) >> (kBytes ? 56 : 48)) << at;
  }
  return mask;
}
#else
template <int kGroups, class Label>
std::uint64_t changes_portable(const Label* values) {
  return changes_one_by_one<kGroups>(values);
}
#endif

#ifdef SOFTPQ_SSE2
using Bytes = __m128i;
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

inline Bytes both(Bytes a) { return a; }
inline Bytes both(Bytes a, Bytes b) { return _mm_and_si128(a, b); }

// One bit for each of 64 bytes that are 0 or 0xff.
inline std::uint64_t bits_of(const Bytes* bytes) {
  std::uint64_t bits = 0;
  for (int i = 0; i < 4; ++i)
    bits |= static_cast<std::uint64_t>(static_cast<unsigned>(_mm_movemask_epi8(bytes[i]))) << (16 * i);
  return bits;
}
#endif

#ifdef SOFTPQ_NEON
using Bytes = uint8x16_t;

inline uint8x16_t equal_next(const std::uint8_t* v) { return vceqq_u8(vld1q_u8(v), vld1q_u8(v + 1)); }
inline uint16x8_t equal_next(const std::uint16_t* v) { return vceqq_u16(vld1q_u16(v), vld1q_u16(v + 1)); }
inline uint32x4_t equal_next(const std::uint32_t* v) { return vceqq_u32(vld1q_u32(v), vld1q_u32(v + 1)); }
inline uint64x2_t equal_next(const std::uint64_t* v) { return vceqq_u64(vld1q_u64(v), vld1q_u64(v + 1)); }

// The lower halves of all lanes.
inline uint8x16_t halves(uint16x8_t a, uint16x8_t b) { return vuzp1q_u8(vreinterpretq_u8_u16(a), vreinterpretq_u8_u16(b)); }
inline uint16x8_t halves(uint32x4_t a, uint32x4_t b) { return vuzp1q_u16(vreinterpretq_u16_u32(a), vreinterpretq_u16_u32(b)); }
inline uint32x4_t halves(uint64x2_t a, uint64x2_t b) { return vuzp1q_u32(vreinterpretq_u32_u64(a), vreinterpretq_u32_u64(b)); }

// One byte per label for 16 labels: 0xff where a label equals the next.
inline Bytes equal_bytes(const std::uint8_t* v) { return equal_next(v); }
inline Bytes equal_bytes(const std::uint16_t* v) { return halves(equal_next(v), equal_next(v + 8)); }
inline uint16x8_t equal_words(const std::uint32_t* v) { return halves(equal_next(v), equal_next(v + 4)); }
inline Bytes equal_bytes(const std::uint32_t* v) { return halves(equal_words(v), equal_words(v + 8)); }
inline uint16x8_t equal_words(const std::uint64_t* v) {
  return halves(halves(equal_next(v), equal_next(v + 2)), halves(equal_next(v + 4), equal_next(v + 6)));
}
inline Bytes equal_bytes(const std::uint64_t* v) { return halves(equal_words(v), equal_words(v + 8)); }

inline Bytes both(Bytes a) { return a; }
inline Bytes both(Bytes a, Bytes b) { return vandq_u8(a, b); }

// One bit for each of 64 bytes that are 0 or 0xff: each keeps the bit of its place, and neighbours add.
inline std::uint64_t bits_of(const Bytes* bytes) {
  const std::uint8_t places[16] = {1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128};
  const uint8x16_t place = vld1q_u8(places);
  const uint8x16_t first = vpaddq_u8(vandq_u8(bytes[0], place), vandq_u8(bytes[1], place));
  const uint8x16_t second = vpaddq_u8(vandq_u8(bytes[2], place), vandq_u8(bytes[3], place));
  const uint8x16_t all = vpaddq_u8(first, second);
  return vgetq_lane_u64(vreinterpretq_u64_u8(vpaddq_u8(all, all)), 0);
}
#endif

// Bit i is set where a run ends at i: of one array, or of pairs of two. Reads 65 values.
#if defined(SOFTPQ_SSE2) || defined(SOFTPQ_NEON)
template <class... Label>
std::uint64_t run_ends(const Label*... labels) {
  Bytes same[4];
  for (int i = 0; i < 4; ++i) same[i] = both(equal_bytes(labels + 16 * i)...);
  return ~bits_of(same);
}
// The same for i in 0..15. Reads 17 values.
template <class... Label>
std::uint64_t few_run_ends(const Label*... labels) {
  const Bytes same = both(equal_bytes(labels)...);
  const Bytes all[4] = {same, same, same, same};
  return ~bits_of(all) & 0xffffu;
}
#else
template <class... Label>
std::uint64_t run_ends(const Label*... labels) {
  return (changes_portable<8>(labels) | ...);
}
template <class... Label>
std::uint64_t few_run_ends(const Label*... labels) {
  return (changes_portable<2>(labels) | ...);
}
#endif

constexpr std::size_t kChunk = 1024;  // labels that are gathered or blanked at a time: they stay in the first-level cache

// ---------------------------------------------------------------- 2. the runs themselves

template <class Label>
bool differs_from_next(const Label* labels) {
  return labels[0] != labels[1];
}
template <class Truth, class Pred>
bool differs_from_next(const Truth* truth, const Pred* pred) {
  return truth[0] != truth[1] || pred[0] != pred[1];
}

// As run_ends, for the last comparisons of a line, of which there are `left`, 1 to 64, from `i` on.
template <class... Label>
std::uint64_t last_run_ends(std::size_t i, std::size_t left, const Label*... labels) {
  if (i + left >= 64) return run_ends((labels + (i + left - 64))...) >> (64 - left);  // 64 of them, less those made before
  std::uint64_t bits = 0;
  std::size_t k = 0;
  for (; k + 16 <= left; k += 16) bits |= few_run_ends((labels + i + k)...) << k;
  for (; k < left; ++k) bits |= static_cast<std::uint64_t>(differs_from_next((labels + i + k)...)) << k;
  return bits;
}

// Calls body(first, end) for every run, in order: of one array, or of pairs of two. There is at least one label.
//
// Runs are handed on as they are found, 64 comparisons at a time, and not listed first: so reading goes on while the body
// works, and memory never waits. (Lists of a chunk of lines took up to three times as long where labels are wide.)
template <class Body, class... Label>
void each_run(std::size_t length, Body body, const Label*... labels) {
  std::size_t first = 0;
  for (std::size_t i = 0; i + 1 < length; i += 64) {
    const std::size_t left = length - 1 - i;
    std::uint64_t bits = left >= 64 ? run_ends((labels + i)...) : last_run_ends(i, left, labels...);
    for (; bits; bits &= bits - 1) {
      const std::size_t end = i + 1 + static_cast<std::size_t>(lowest_bit(bits));
      body(first, end);
      first = end;
    }
  }
  body(first, length);
}

}  // namespace softpq
