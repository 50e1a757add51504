#ifndef BYTE_SCAN_H
#define BYTE_SCAN_H

#include <stdint.h>

#if defined(BYTE_SCAN_PORTABLE)
    // The portable forms, as a processor without either kind of vector takes them.
#elif defined(__SSE2__)
    #define BYTE_SCAN_SSE2
    #include <emmintrin.h>
#elif defined(__aarch64__) && defined(__ARM_NEON)
    #define BYTE_SCAN_NEON
    #include <arm_neon.h>
#endif

// Looks at 16 or 32 bytes at once, all of which must be readable. Functions in a header become part of the Swift code
// that calls them. Each has a portable form beside it, which the tests hold against the other.

static inline uint64_t byte_scan_load(const uint8_t *bytes) {
    uint64_t word;
    __builtin_memcpy(&word, bytes, sizeof word);
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    word = __builtin_bswap64(word);
#endif
    return word;
}

/// How many of eight bytes come before the first whose highest bit is set in `stops`.
static inline unsigned byte_scan_first(uint64_t stops) {
    return stops ? (unsigned)__builtin_ctzll(stops) / 8 : 8;
}

static inline unsigned byte_scan_spaces_of_8(const uint8_t *bytes) {
    const uint64_t spaces = UINT64_C(0x2020202020202020);
    uint64_t others = byte_scan_load(bytes) ^ spaces;
    return others ? (unsigned)__builtin_ctzll(others) / 8 : 8;
}

static inline unsigned byte_scan_plain_of_8(const uint8_t *bytes) {
    const uint64_t ones = UINT64_C(0x0101010101010101), tops = UINT64_C(0x8080808080808080);
    uint64_t word = byte_scan_load(bytes);
    // A borrow may set bits above the first stop, where they don't count.
    uint64_t stops = ((word ^ ones * '"') - ones) | ((word ^ ones * '\\') - ones) | (word - ones * 0x20) | word;
    return byte_scan_first(stops & tops);
}

/// `byte_scan_spaces` without vectors.
static inline unsigned byte_scan_spaces_portable(const uint8_t *bytes) {
    unsigned count = 0, next = 8;
    while (count < 32 && (next = byte_scan_spaces_of_8(bytes + count)) == 8) count += 8;
    return count < 32 ? count + next : 32;
}

/// `byte_scan_plain` without vectors.
static inline unsigned byte_scan_plain_portable(const uint8_t *bytes) {
    unsigned count = byte_scan_plain_of_8(bytes);
    return count < 8 ? count : 8 + byte_scan_plain_of_8(bytes + 8);
}

#if defined(BYTE_SCAN_NEON)
/// How many of sixteen bytes, each all ones or all zeros, are ones before the first that isn't.
static inline unsigned byte_scan_ones(uint8x16_t bytes) {
    uint8x8_t nibbles = vshrn_n_u16(vreinterpretq_u16_u8(bytes), 4);
    uint64_t others = ~vget_lane_u64(vreinterpret_u64_u8(nibbles), 0);
    return others ? (unsigned)__builtin_ctzll(others) / 4 : 16;
}
#endif

/// How many of 32 bytes are spaces, before the first that isn't.
static inline unsigned byte_scan_spaces(const uint8_t *bytes) {
#if defined(BYTE_SCAN_SSE2)
    const __m128i spaces = _mm_set1_epi8(' ');
    unsigned low = (unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(_mm_loadu_si128((const __m128i *)bytes), spaces));
    unsigned high = (unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(_mm_loadu_si128((const __m128i *)(bytes + 16)), spaces));
    return (unsigned)__builtin_ctzll(~(uint64_t)(low | high << 16));
#elif defined(BYTE_SCAN_NEON)
    unsigned count = byte_scan_ones(vceqq_u8(vld1q_u8(bytes), vdupq_n_u8(' ')));
    return count < 16 ? count : 16 + byte_scan_ones(vceqq_u8(vld1q_u8(bytes + 16), vdupq_n_u8(' ')));
#else
    return byte_scan_spaces_portable(bytes);
#endif
}

/// How many of the sixteen bytes stand for themselves in a string, before the first that needs a look: a quote, a
/// backslash, a control character, or what is not ASCII.
static inline unsigned byte_scan_plain(const uint8_t *bytes) {
#if defined(BYTE_SCAN_SSE2)
    __m128i block = _mm_loadu_si128((const __m128i *)bytes);
    // As signed numbers, what is not ASCII is below the controls.
    __m128i stops = _mm_or_si128(
        _mm_cmplt_epi8(block, _mm_set1_epi8(0x20)),
        _mm_or_si128(_mm_cmpeq_epi8(block, _mm_set1_epi8('"')), _mm_cmpeq_epi8(block, _mm_set1_epi8('\\'))));
    return (unsigned)__builtin_ctz((unsigned)_mm_movemask_epi8(stops) | 0x10000);
#elif defined(BYTE_SCAN_NEON)
    uint8x16_t block = vld1q_u8(bytes);
    uint8x16_t plain = vandq_u8(
        vcgeq_s8(vreinterpretq_s8_u8(block), vdupq_n_s8(0x20)),
        vmvnq_u8(vorrq_u8(vceqq_u8(block, vdupq_n_u8('"')), vceqq_u8(block, vdupq_n_u8('\\')))));
    return byte_scan_ones(plain);
#else
    return byte_scan_plain_portable(bytes);
#endif
}

#endif
