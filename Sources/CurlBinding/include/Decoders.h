#pragma once

// Decoders of content codings (RFC 9110 §8.4.1), and a gzip encoder, which use zlib, brotli and zstd without their
// headers. The functions are found at run time. This header is empty on platforms other than Linux.

#if defined(__linux__)

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma clang assume_nonnull begin

enum swallow_coding { SWALLOW_GZIP, SWALLOW_DEFLATE, SWALLOW_BROTLI, SWALLOW_ZSTD };

enum swallow_decoding {
    /// All input was read, and there is no more output.
    SWALLOW_WANTS_MORE,
    /// The room for output is full.
    SWALLOW_HAS_MORE,
    /// The stream is complete. More input may follow it.
    SWALLOW_AT_END,
    SWALLOW_IS_BAD,
};

/// The remaining input, and the remaining room for output.
struct swallow_decoder_bytes {
    const uint8_t *in;
    size_t in_count;
    uint8_t *out;
    size_t out_count;
};

struct swallow_decoder;

bool swallow_decoder_exists(enum swallow_coding coding);
/// - Parameter is_raw: Whether deflate has no zlib frame. Some servers send deflate without the frame.
struct swallow_decoder *_Nullable swallow_decoder_make(enum swallow_coding coding, bool is_raw);
void swallow_decoder_free(struct swallow_decoder *decoder);
/// Prepares for another stream directly after a complete one. Returns whether the coding permits several streams.
bool swallow_decoder_restart(struct swallow_decoder *decoder);
enum swallow_decoding swallow_decoder_run(
    struct swallow_decoder *decoder, struct swallow_decoder_bytes *bytes);

/// The caller frees the result. Returns NULL if zlib is missing or if memory is short.
uint8_t *_Nullable swallow_gzip(const uint8_t *bytes, size_t count, size_t *out_count);

#pragma clang assume_nonnull end

#endif
