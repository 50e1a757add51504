#if defined(__linux__)

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include "Decoders.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

// The layout of a z_stream.
struct zlib_stream {
    const uint8_t *next_in;
    unsigned int avail_in;
    unsigned long total_in;
    uint8_t *next_out;
    unsigned int avail_out;
    unsigned long total_out;
    const char *message;
    void *state;
    void *(*allocate)(void *, unsigned int, unsigned int);
    void (*release)(void *, void *);
    void *opaque;
    int data_type;
    unsigned long adler;
    unsigned long reserved;
};

// The layout of a ZSTD_inBuffer and of a ZSTD_outBuffer.
struct zstd_buffer {
    void *bytes;
    size_t size;
    size_t position;
};

// Written once, inside pthread_once.
static struct {
    const char *(*zlib_version)(void);
    int (*inflate_init)(struct zlib_stream *, int, const char *, int);
    int (*inflate)(struct zlib_stream *, int);
    int (*inflate_reset)(struct zlib_stream *);
    int (*inflate_end)(struct zlib_stream *);
    int (*deflate_init)(struct zlib_stream *, int, int, int, int, int, const char *, int);
    int (*deflate)(struct zlib_stream *, int);
    int (*deflate_end)(struct zlib_stream *);
    int (*deflate_reset)(struct zlib_stream *);
    void *(*brotli_make)(void *, void *, void *);
    void (*brotli_free)(void *);
    int (*brotli_run)(void *, size_t *, const uint8_t **, size_t *, uint8_t **, size_t *);
    void *(*zstd_make)(void);
    size_t (*zstd_free)(void *);
    size_t (*zstd_run)(void *, struct zstd_buffer *, struct zstd_buffer *);
    unsigned int (*zstd_failed)(size_t);
} functions;

static bool found[4];
static bool found_deflate;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static bool resolve(void *library, void **function, const char *name) {
    *function = dlsym(library, name);
    return *function != NULL;
}

static bool find_zlib(void *library) {
    return resolve(library, (void **)&functions.zlib_version, "zlibVersion") &&
        resolve(library, (void **)&functions.inflate_init, "inflateInit2_") &&
        resolve(library, (void **)&functions.inflate, "inflate") &&
        resolve(library, (void **)&functions.inflate_reset, "inflateReset") &&
        resolve(library, (void **)&functions.inflate_end, "inflateEnd");
}

static bool find_deflate(void *library) {
    return resolve(library, (void **)&functions.zlib_version, "zlibVersion") &&
        resolve(library, (void **)&functions.deflate_init, "deflateInit2_") &&
        resolve(library, (void **)&functions.deflate, "deflate") &&
        resolve(library, (void **)&functions.deflate_reset, "deflateReset") &&
        resolve(library, (void **)&functions.deflate_end, "deflateEnd");
}

static bool find_brotli(void *library) {
    return resolve(library, (void **)&functions.brotli_make, "BrotliDecoderCreateInstance") &&
        resolve(library, (void **)&functions.brotli_free, "BrotliDecoderDestroyInstance") &&
        resolve(library, (void **)&functions.brotli_run, "BrotliDecoderDecompressStream");
}

static bool find_zstd(void *library) {
    return resolve(library, (void **)&functions.zstd_make, "ZSTD_createDStream") &&
        resolve(library, (void **)&functions.zstd_free, "ZSTD_freeDStream") &&
        resolve(library, (void **)&functions.zstd_run, "ZSTD_decompressStream") &&
        resolve(library, (void **)&functions.zstd_failed, "ZSTD_isError");
}

// Prefers functions that are already global in the process. Otherwise, loads the library with this name.
static bool find(bool (*find_in)(void *), const char *name) {
    if (find_in(RTLD_DEFAULT)) return true;
    void *library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    return library && find_in(library);
}

static void load(void) {
    found[SWALLOW_GZIP] = found[SWALLOW_DEFLATE] = find(find_zlib, "libz.so.1");
    found_deflate = find(find_deflate, "libz.so.1");
    found[SWALLOW_BROTLI] = find(find_brotli, "libbrotlidec.so.1");
    found[SWALLOW_ZSTD] = find(find_zstd, "libzstd.so.1");
}

struct swallow_decoder {
    enum swallow_coding coding;
    struct zlib_stream zlib;
    void *other;
};

bool swallow_decoder_exists(enum swallow_coding coding) {
    pthread_once(&once, load);
    return found[coding];
}

struct swallow_decoder *swallow_decoder_make(enum swallow_coding coding, bool is_raw) {
    if (!swallow_decoder_exists(coding)) return NULL;
    struct swallow_decoder *decoder = calloc(1, sizeof(*decoder));
    if (!decoder) return NULL;
    decoder->coding = coding;
    bool is_made = false;
    switch (coding) {
    case SWALLOW_GZIP:
    case SWALLOW_DEFLATE: {
        int window = coding == SWALLOW_GZIP ? 15 + 16 : is_raw ? -15 : 15;
        const char *version = functions.zlib_version();
        is_made = functions.inflate_init(&decoder->zlib, window, version, sizeof(decoder->zlib)) == 0;
        break;
    }
    case SWALLOW_BROTLI: is_made = (decoder->other = functions.brotli_make(NULL, NULL, NULL)); break;
    case SWALLOW_ZSTD: is_made = (decoder->other = functions.zstd_make()); break;
    }
    if (is_made) return decoder;
    free(decoder);
    return NULL;
}

void swallow_decoder_free(struct swallow_decoder *decoder) {
    switch (decoder->coding) {
    case SWALLOW_GZIP:
    case SWALLOW_DEFLATE: functions.inflate_end(&decoder->zlib); break;
    case SWALLOW_BROTLI: functions.brotli_free(decoder->other); break;
    case SWALLOW_ZSTD: functions.zstd_free(decoder->other); break;
    }
    free(decoder);
}

bool swallow_decoder_restart(struct swallow_decoder *decoder) {
    switch (decoder->coding) {
    case SWALLOW_GZIP: return functions.inflate_reset(&decoder->zlib) == 0;
    // libzstd decodes another frame without preparation.
    case SWALLOW_ZSTD: return true;
    default: return false;
    }
}

static enum swallow_decoding run_zlib(struct zlib_stream *zlib, struct swallow_decoder_bytes *bytes) {
    // The counts fit, because callers pass at most 1 GiB of input, and room for at most 64 KiB of output.
    unsigned int in_count = (unsigned int)bytes->in_count, out_count = (unsigned int)bytes->out_count;
    zlib->next_in = bytes->in;
    zlib->avail_in = in_count;
    zlib->next_out = bytes->out;
    zlib->avail_out = out_count;
    int code = functions.inflate(zlib, 0);
    bytes->in += in_count - zlib->avail_in;
    bytes->in_count = zlib->avail_in;
    bytes->out += out_count - zlib->avail_out;
    bytes->out_count = zlib->avail_out;
    switch (code) {
    case 1: return SWALLOW_AT_END;
    // -5 is Z_BUF_ERROR, which means that there is nothing to read or no room to write.
    case 0:
    case -5: return zlib->avail_out == 0 ? SWALLOW_HAS_MORE : SWALLOW_WANTS_MORE;
    default: return SWALLOW_IS_BAD;
    }
}

static enum swallow_decoding run_brotli(void *brotli, struct swallow_decoder_bytes *bytes) {
    switch (functions.brotli_run(
        brotli, &bytes->in_count, &bytes->in, &bytes->out_count, &bytes->out, NULL)) {
    case 1: return SWALLOW_AT_END;
    case 2: return SWALLOW_WANTS_MORE;
    case 3: return SWALLOW_HAS_MORE;
    default: return SWALLOW_IS_BAD;
    }
}

static enum swallow_decoding run_zstd(void *zstd, struct swallow_decoder_bytes *bytes) {
    struct zstd_buffer in = {(void *)bytes->in, bytes->in_count, 0};
    struct zstd_buffer out = {bytes->out, bytes->out_count, 0};
    size_t code = functions.zstd_run(zstd, &out, &in);
    bytes->in += in.position;
    bytes->in_count -= in.position;
    bytes->out += out.position;
    bytes->out_count -= out.position;
    if (functions.zstd_failed(code)) return SWALLOW_IS_BAD;
    if (code == 0) return SWALLOW_AT_END;
    return bytes->out_count == 0 ? SWALLOW_HAS_MORE : SWALLOW_WANTS_MORE;
}

enum swallow_decoding swallow_decoder_run(
    struct swallow_decoder *decoder, struct swallow_decoder_bytes *bytes) {
    switch (decoder->coding) {
    case SWALLOW_BROTLI: return run_brotli(decoder->other, bytes);
    case SWALLOW_ZSTD: return run_zstd(decoder->other, bytes);
    default: return run_zlib(&decoder->zlib, bytes);
    }
}

// Returns how many of the remaining bytes to pass in one call, because zlib counts in `unsigned int`.
static unsigned int step_of(size_t left) { return left < 1u << 30 ? (unsigned int)left : 1u << 30; }

struct swallow_deflater {
    struct zlib_stream zlib;
};

static struct swallow_deflater *make_deflater(int window) {
    pthread_once(&once, load);
    struct swallow_deflater *deflater = found_deflate ? calloc(1, sizeof(*deflater)) : NULL;
    if (!deflater) return NULL;
    // The other arguments are zlib's default level, method and memory.
    struct zlib_stream *zlib = &deflater->zlib;
    if (functions.deflate_init(zlib, -1, 8, window, 8, 0, functions.zlib_version(), sizeof(*zlib)) == 0)
        return deflater;
    free(deflater);
    return NULL;
}

// The negative window means no frame.
struct swallow_deflater *swallow_deflater_make(void) { return make_deflater(-15); }

void swallow_deflater_free(struct swallow_deflater *deflater) {
    functions.deflate_end(&deflater->zlib);
    free(deflater);
}

static uint8_t *compress(
    struct zlib_stream *zlib, const uint8_t *bytes, size_t count, int flush, size_t *out_count) {
    size_t capacity = count / 2 + 64, in = 0, out = 0;
    uint8_t *result = malloc(capacity);
    while (result) {
        unsigned int in_step = step_of(count - in), out_step = step_of(capacity - out);
        zlib->next_in = bytes + in;
        zlib->avail_in = in_step;
        zlib->next_out = result + out;
        zlib->avail_out = out_step;
        int code = functions.deflate(zlib, in + in_step == count ? flush : 0);
        in += in_step - zlib->avail_in;
        out += out_step - zlib->avail_out;
        // -5 is Z_BUF_ERROR, which means that nothing was left to do.
        if (code < 0 && code != -5) break;
        if (in == count && zlib->avail_out > 0) {
            *out_count = out;
            return result;
        }
        if (out < capacity) continue;
        uint8_t *larger = realloc(result, capacity *= 2);
        if (!larger) break;
        result = larger;
    }
    free(result);
    return NULL;
}

uint8_t *swallow_deflater_run(
    struct swallow_deflater *deflater, const uint8_t *bytes, size_t count, bool forgets, size_t *out_count) {
    if (forgets && functions.deflate_reset(&deflater->zlib) != 0) return NULL;
    // 2 is Z_SYNC_FLUSH, which completes the message.
    return compress(&deflater->zlib, bytes, count, 2, out_count);
}

uint8_t *swallow_gzip(const uint8_t *bytes, size_t count, size_t *out_count) {
    // Adding 16 to the window means gzip's frame.
    struct swallow_deflater *deflater = make_deflater(15 + 16);
    if (!deflater) return NULL;
    // 4 is Z_FINISH, which completes the stream.
    uint8_t *result = compress(&deflater->zlib, bytes, count, 4, out_count);
    swallow_deflater_free(deflater);
    // The request keeps the result, whose bytes may fill only a small part of the allocated memory.
    uint8_t *shorter = result ? realloc(result, *out_count) : NULL;
    return shorter ? shorter : result;
}

#else

// ISO C requires a declaration.
typedef int swallow_decoders_are_for_linux;

#endif
