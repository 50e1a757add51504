#pragma once

// Decoders of content codings (RFC 9110 §8.4.1), and an encoder of gzip: zlib, brotli and zstd without their headers,
// found at run time among the libraries that libcurl has loaded. Empty on other platforms than Linux.

#if defined(__linux__)

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma clang assume_nonnull begin

enum swallow_coding { SWALLOW_GZIP, SWALLOW_DEFLATE, SWALLOW_BROTLI, SWALLOW_ZSTD };

/// What a step of decoding came to.
enum swallow_decoding {
    /// All input was read, and there is no more output.
    SWALLOW_WANTS_MORE,
    /// The room for output is full.
    SWALLOW_HAS_MORE,
    /// The stream is complete; there may be input behind it.
    SWALLOW_AT_END,
    /// The input is not of this coding.
    SWALLOW_IS_BAD,
};

/// What is left of input and room; a step moves both on.
struct swallow_decoder_bytes {
    const uint8_t *in;
    size_t in_count;
    uint8_t *out;
    size_t out_count;
};

struct swallow_decoder;

/// Whether there is a library for a coding.
bool swallow_decoder_exists(enum swallow_coding coding);
/// - Parameter is_raw: for deflate without zlib's frame, which some servers send.
struct swallow_decoder *_Nullable swallow_decoder_make(enum swallow_coding coding, bool is_raw);
void swallow_decoder_free(struct swallow_decoder *decoder);
/// Gets ready for another stream right behind one that has ended; says whether the coding has such.
bool swallow_decoder_restart(struct swallow_decoder *decoder);
enum swallow_decoding swallow_decoder_run(
    struct swallow_decoder *decoder, struct swallow_decoder_bytes *bytes);

/// All bytes in gzip's format; to be freed. NULL where there is no zlib, or no memory.
uint8_t *_Nullable swallow_gzip(const uint8_t *bytes, size_t count, size_t *out_count);

#pragma clang assume_nonnull end

#endif
