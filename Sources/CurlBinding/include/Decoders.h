#pragma once

// Decoders of content codings (RFC 9110 §8.4.1), and encoders, for Linux. They find their libraries at run time.

#if defined(__linux__)

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma clang assume_nonnull begin

enum swallow_coding { SWALLOW_GZIP, SWALLOW_DEFLATE, SWALLOW_BROTLI, SWALLOW_ZSTD };

enum swallow_decoding {
    /// All input was read, and all output for it was written.
    SWALLOW_WANTS_MORE,
    SWALLOW_HAS_MORE,
    /// The stream is complete. More input may follow it.
    SWALLOW_AT_END,
    SWALLOW_IS_BAD,
};

struct swallow_decoder_bytes {
    const uint8_t *in;
    size_t in_count;
    uint8_t *out;
    size_t out_count;
};

struct swallow_decoder;

bool swallow_decoder_exists(enum swallow_coding coding);
/// - Parameter is_raw: Whether the deflate data has no zlib frame, as some servers send it.
struct swallow_decoder *_Nullable swallow_decoder_make(enum swallow_coding coding, bool is_raw);
void swallow_decoder_free(struct swallow_decoder *decoder);
/// Prepares a decoder that is at the end of a stream for the next stream. Returns false if the coding permits only one.
bool swallow_decoder_restart(struct swallow_decoder *decoder);
enum swallow_decoding swallow_decoder_run(
    struct swallow_decoder *decoder, struct swallow_decoder_bytes *bytes);

/// Returns the bytes in gzip format. The caller frees them. Returns NULL if zlib is missing or if memory is short.
uint8_t *_Nullable swallow_gzip(const uint8_t *bytes, size_t count, size_t *out_count);

/// Compresses messages to raw deflate (RFC 1951). A message may refer to bytes of earlier ones.
struct swallow_deflater;

struct swallow_deflater *_Nullable swallow_deflater_make(void);
void swallow_deflater_free(struct swallow_deflater *deflater);
/// Returns the compressed message, whose last block is empty. If `forgets` is true, the message doesn't refer to
/// earlier ones. The caller frees the result. If it is NULL, the caller must free the deflater.
uint8_t *_Nullable swallow_deflater_run(
    struct swallow_deflater *deflater, const uint8_t *bytes, size_t count, bool forgets, size_t *out_count);

#pragma clang assume_nonnull end

#endif
