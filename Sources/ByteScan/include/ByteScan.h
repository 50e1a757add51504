#ifndef BYTE_SCAN_H
#define BYTE_SCAN_H

#include <stdint.h>

#if defined(BYTE_SCAN_PORTABLE)
    // The portable forms, as on a processor without SSE2 or NEON.
    #define BYTE_SCAN_BITS 1
#elif defined(__SSE2__)
    #define BYTE_SCAN_SSE2
    #define BYTE_SCAN_BITS 1
    #include <emmintrin.h>
#elif defined(__aarch64__) && defined(__ARM_NEON) && !defined(__ARM_BIG_ENDIAN)
    #define BYTE_SCAN_NEON
    #define BYTE_SCAN_BITS 4
    #include <arm_neon.h>
#else
    #define BYTE_SCAN_BITS 1
#endif

// These functions read up to 32 readable bytes at a time. A header lets the compiler inline them into Swift.
//
// A stop is a byte at which a scan must stop. The result of `byte_scan_stops` has BYTE_SCAN_BITS bits for each byte.
// Its lowest set bits belong to the first stop. Loops test this result, and not a count, for which the processor would
// have to wait. Parsing twitter.json takes 0.8 of the time this way.

static inline unsigned byte_scan_place(uint64_t stops) {
    return (unsigned)__builtin_ctzll(stops) / BYTE_SCAN_BITS;
}

static inline uint64_t byte_scan_load(const uint8_t *bytes) {
    uint64_t word;
    __builtin_memcpy(&word, bytes, sizeof word);
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    word = __builtin_bswap64(word);
#endif
    return word;
}

/// Returns how many of eight bytes precede the first byte whose highest bit is set in `stops`.
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
    // A borrow may set bits above the first stop. These bits don't matter.
    uint64_t stops = ((word ^ ones * '"') - ones) | ((word ^ ones * '\\') - ones) | (word - ones * 0x20) | word;
    return byte_scan_first(stops & tops);
}

static inline unsigned byte_scan_spaces_portable(const uint8_t *bytes) {
    unsigned count = 0, next = 8;
    while (count < 32 && (next = byte_scan_spaces_of_8(bytes + count)) == 8) count += 8;
    return count < 32 ? count + next : 32;
}

/// Returns how many of 16 bytes precede the first stop. Uses no vector instructions.
static inline unsigned byte_scan_plain_portable(const uint8_t *bytes) {
    unsigned count = byte_scan_plain_of_8(bytes);
    return count < 8 ? count : 8 + byte_scan_plain_of_8(bytes + 8);
}

static inline unsigned byte_scan_triples_portable(const uint8_t *bytes) {
    unsigned count = 0;
    while (count < 15) {
        uint8_t lead = bytes[count];
        if ((lead & 0xF0) != 0xE0 || lead == 0xE0 || lead == 0xED) break;
        if ((bytes[count + 1] & 0xC0) != 0x80 || (bytes[count + 2] & 0xC0) != 0x80) break;
        count += 3;
    }
    return count;
}

#if defined(BYTE_SCAN_NEON)
/// Returns the stops among 16 bytes, each of which must be 0 for a stop or 0xFF.
static inline uint64_t byte_scan_zeros(uint8x16_t bytes) {
    uint8x8_t nibbles = vshrn_n_u16(vreinterpretq_u16_u8(bytes), 4);
    return ~vget_lane_u64(vreinterpret_u64_u8(nibbles), 0);
}

static inline unsigned byte_scan_ones(uint8x16_t bytes) {
    uint64_t stops = byte_scan_zeros(bytes);
    return stops ? byte_scan_place(stops) : 16;
}
#endif

/// Returns how many of 32 bytes are spaces before the first other byte.
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

/// Returns the stops among 16 bytes, at least the first: quotes, backslashes, bytes below 0x20 and bytes outside ASCII.
static inline uint64_t byte_scan_stops(const uint8_t *bytes) {
#if defined(BYTE_SCAN_SSE2)
    __m128i block = _mm_loadu_si128((const __m128i *)bytes);
    // As signed numbers, bytes outside ASCII are negative.
    __m128i stops = _mm_or_si128(
        _mm_cmplt_epi8(block, _mm_set1_epi8(0x20)),
        _mm_or_si128(_mm_cmpeq_epi8(block, _mm_set1_epi8('"')), _mm_cmpeq_epi8(block, _mm_set1_epi8('\\'))));
    return (unsigned)_mm_movemask_epi8(stops);
#elif defined(BYTE_SCAN_NEON)
    uint8x16_t block = vld1q_u8(bytes);
    uint8x16_t plain = vandq_u8(
        vcgeq_s8(vreinterpretq_s8_u8(block), vdupq_n_s8(0x20)),
        vmvnq_u8(vorrq_u8(vceqq_u8(block, vdupq_n_u8('"')), vceqq_u8(block, vdupq_n_u8('\\')))));
    return byte_scan_zeros(plain);
#else
    unsigned count = byte_scan_plain_portable(bytes);
    return count < 16 ? UINT64_C(1) << count : 0;
#endif
}

/// Returns how many of 32 bytes precede the first stop. Reads the second half only if needed, because names are short.
static inline unsigned byte_scan_plain(const uint8_t *bytes) {
    uint64_t stops = byte_scan_stops(bytes);
    if (__builtin_expect(stops != 0, 1)) return byte_scan_place(stops);
    stops = byte_scan_stops(bytes + 16);
    return 16 + (stops ? byte_scan_place(stops) : 16);
}

/// Returns the address of the first stop, which must exist.
static inline const uint8_t *byte_scan_plain_end(const uint8_t *bytes) {
    uint64_t stops;
    while (!(stops = byte_scan_stops(bytes))) bytes += 16;
    return bytes + byte_scan_place(stops);
}

/// Returns how many of the first 15 of 16 bytes form valid three-byte characters (Unicode, table 3-7). Stops before
/// characters that begin with E0 or ED, because the caller must check more of their bits.
static inline unsigned byte_scan_triples(const uint8_t *bytes) {
#if defined(BYTE_SCAN_SSE2) || defined(BYTE_SCAN_NEON)
    // The last byte never has its expected value, so the scan always stops there.
    static const uint8_t masks[16] = {
        0xF0, 0xC0, 0xC0, 0xF0, 0xC0, 0xC0, 0xF0, 0xC0, 0xC0, 0xF0, 0xC0, 0xC0, 0xF0, 0xC0, 0xC0, 0};
    static const uint8_t expected[16] = {
        0xE0, 0x80, 0x80, 0xE0, 0x80, 0x80, 0xE0, 0x80, 0x80, 0xE0, 0x80, 0x80, 0xE0, 0x80, 0x80, 1};
#endif
#if defined(BYTE_SCAN_SSE2)
    __m128i block = _mm_loadu_si128((const __m128i *)bytes);
    __m128i shape = _mm_cmpeq_epi8(
        _mm_and_si128(block, _mm_loadu_si128((const __m128i *)masks)), _mm_loadu_si128((const __m128i *)expected));
    __m128i special = _mm_or_si128(
        _mm_cmpeq_epi8(block, _mm_set1_epi8((char)0xE0)), _mm_cmpeq_epi8(block, _mm_set1_epi8((char)0xED)));
    unsigned count = (unsigned)__builtin_ctz(~(unsigned)_mm_movemask_epi8(_mm_andnot_si128(special, shape)));
    return count - count % 3;
#elif defined(BYTE_SCAN_NEON)
    uint8x16_t block = vld1q_u8(bytes);
    uint8x16_t shape = vceqq_u8(vandq_u8(block, vld1q_u8(masks)), vld1q_u8(expected));
    uint8x16_t special = vorrq_u8(vceqq_u8(block, vdupq_n_u8(0xE0)), vceqq_u8(block, vdupq_n_u8(0xED)));
    unsigned count = byte_scan_ones(vbicq_u8(shape, special));
    return count - count % 3;
#else
    return byte_scan_triples_portable(bytes);
#endif
}

/// Returns the address after a run of three-byte characters. The run must be followed by another byte.
static inline const uint8_t *byte_scan_triples_end(const uint8_t *bytes) {
    unsigned count;
    while ((count = byte_scan_triples(bytes)) == 15) bytes += 15;
    return bytes + count;
}

#endif
