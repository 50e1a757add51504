#if defined(__linux__)

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include "CurlBinding.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>

struct version_info {
    int age;
    const char *version;
    unsigned int version_num;
    const char *host;
    int features;
    const char *ssl_version;
};

struct message {
    int kind;
    void *easy;
    union {
        void *whatever;
        int result;
    } data;
};

enum { MESSAGE_DONE = 1, COOKIE_LIST = 0x400000 + 28 };

// Written once, inside pthread_once.
static struct {
    const struct version_info *(*version_info)(int);
    int (*global_init)(long);
    void *(*easy_init)(void);
    void (*easy_cleanup)(void *);
    int (*easy_pause)(void *, int);
    const char *(*easy_strerror)(int);
    int (*easy_setopt)(void *, int, ...);
    int (*easy_getinfo)(void *, int, ...);
    struct swallow_curl_list *(*list_append)(struct swallow_curl_list *, const char *);
    void (*list_free)(struct swallow_curl_list *);
    void *(*share_init)(void);
    int (*share_cleanup)(void *);
    int (*share_setopt)(void *, int, ...);
    void *(*multi_init)(void);
    int (*multi_cleanup)(void *);
    int (*multi_setopt)(void *, int, ...);
    int (*multi_add_handle)(void *, void *);
    int (*multi_remove_handle)(void *, void *);
    int (*multi_socket_action)(void *, int, int, int *);
    struct message *(*multi_info_read)(void *, int *);
} curl;

static const struct version_info *info;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static bool resolve(void *library) {
    const struct {
        void **function;
        const char *name;
    } symbols[] = {
        {(void **)&curl.version_info, "curl_version_info"},
        {(void **)&curl.global_init, "curl_global_init"},
        {(void **)&curl.easy_init, "curl_easy_init"},
        {(void **)&curl.easy_cleanup, "curl_easy_cleanup"},
        {(void **)&curl.easy_pause, "curl_easy_pause"},
        {(void **)&curl.easy_strerror, "curl_easy_strerror"},
        {(void **)&curl.easy_setopt, "curl_easy_setopt"},
        {(void **)&curl.easy_getinfo, "curl_easy_getinfo"},
        {(void **)&curl.list_append, "curl_slist_append"},
        {(void **)&curl.list_free, "curl_slist_free_all"},
        {(void **)&curl.share_init, "curl_share_init"},
        {(void **)&curl.share_cleanup, "curl_share_cleanup"},
        {(void **)&curl.share_setopt, "curl_share_setopt"},
        {(void **)&curl.multi_init, "curl_multi_init"},
        {(void **)&curl.multi_cleanup, "curl_multi_cleanup"},
        {(void **)&curl.multi_setopt, "curl_multi_setopt"},
        {(void **)&curl.multi_add_handle, "curl_multi_add_handle"},
        {(void **)&curl.multi_remove_handle, "curl_multi_remove_handle"},
        {(void **)&curl.multi_socket_action, "curl_multi_socket_action"},
        {(void **)&curl.multi_info_read, "curl_multi_info_read"},
    };
    for (size_t index = 0; index < sizeof(symbols) / sizeof(symbols[0]); index++) {
        void *address = dlsym(library, symbols[index].name);
        if (!address) return false;
        *symbols[index].function = address;
    }
    return true;
}

static void load(void) {
    // Prefer functions that are already global in the process. Otherwise try the names that distributions use.
    bool found = resolve(RTLD_DEFAULT);
    const char *names[] = {"libcurl.so.4", "libcurl-gnutls.so.4"};
    for (size_t index = 0; !found && index < sizeof(names) / sizeof(names[0]); index++) {
        void *library = dlopen(names[index], RTLD_NOW | RTLD_LOCAL);
        if (library) found = resolve(library);
    }
    if (found) info = curl.version_info(0);
}

uint32_t swallow_curl_load(void) {
    pthread_once(&once, load);
    return info ? info->version_num : 0;
}

uint32_t swallow_curl_features(void) { return (uint32_t)info->features; }

const char *swallow_curl_version_text(void) { return info->version; }

int swallow_curl_global_init(void) { return curl.global_init(3); }

void *swallow_curl_easy_init(void) { return curl.easy_init(); }

void swallow_curl_easy_cleanup(void *easy) { curl.easy_cleanup(easy); }

int swallow_curl_easy_pause(void *easy, int directions) { return curl.easy_pause(easy, directions); }

const char *swallow_curl_easy_error(int code) { return curl.easy_strerror(code); }

#define SET(name, type) \
    int swallow_curl_set_##name(void *easy, int option, type value) { \
        return curl.easy_setopt(easy, option, value); \
    }

SET(long, long)
SET(offset, int64_t)
SET(pointer, const void *)
SET(data_callback, swallow_curl_data_callback)
SET(seek_callback, swallow_curl_seek_callback)
SET(request_callback, swallow_curl_request_callback)
SET(open_callback, swallow_curl_open_callback)
SET(close_callback, swallow_curl_close_callback)
SET(lookup_callback, swallow_curl_lookup_callback)
SET(trailer_callback, swallow_curl_trailer_callback)

// Written once, inside pthread_once.
static struct {
    void (*set_key_log)(void *, void *);
    void (*set_info)(void *, void (*)(const void *, int, int));
} openssl;

static pthread_once_t openssl_once = PTHREAD_ONCE_INIT;

// Finds libcurl's OpenSSL, or none if the global SSL_new belongs to another one, which would corrupt libcurl's objects.
static void load_openssl(void) {
    Dl_info place;
    if (!dladdr((void *)curl.multi_init, &place) || !place.dli_fname) return;
    void *library = dlopen(place.dli_fname, RTLD_NOW | RTLD_NOLOAD);
    if (!library) return;
    void *first = dlsym(RTLD_DEFAULT, "SSL_new");
    if (first && first != dlsym(library, "SSL_new")) return;
    *(void **)&openssl.set_key_log = dlsym(library, "SSL_CTX_set_keylog_callback");
    *(void **)&openssl.set_info = dlsym(library, "SSL_set_info_callback");
}

// libcurl calls this after it has set up an SSL_CTX and its own callback, which logs keys.
static int log_no_keys(void *easy, void *context, void *unused) {
    pthread_once(&openssl_once, load_openssl);
    if (openssl.set_key_log) openssl.set_key_log(context, NULL);
    // 58 is CURLE_SSL_CERTPROBLEM. It is safer that the connection fails than that libcurl writes the keys to a file.
    return openssl.set_key_log ? 0 : 58;
}

void swallow_curl_log_no_keys(void *easy) {
    if (!info->ssl_version || !strstr(info->ssl_version, "OpenSSL")) return;
    // CURLOPT_SSL_CTX_FUNCTION
    curl.easy_setopt(easy, 20108, log_no_keys);
}

static _Thread_local void *loop;

void swallow_become_loop(void *value) { loop = value; }

void *swallow_loop(void) { return loop; }

// The layout of a curl_tlssessioninfo.
struct tls_session {
    int backend;
    void *internals;
};

struct swallow_curl_tls_watch {
    const void *ssl;
    bool has_ended;
    struct swallow_curl_tls_watch *next;
};

static _Thread_local struct swallow_curl_tls_watch *watches;

enum { TLS_SESSION = 0x400000 + 45, BACKEND_OPENSSL = 1, READ_ALERT = 0x4004, CLOSE_NOTIFY = 0 };

static void note_alert(const void *ssl, int place, int alert) {
    if (place != READ_ALERT || (alert & 0xFF) != CLOSE_NOTIFY) return;
    for (struct swallow_curl_tls_watch *watch = watches; watch; watch = watch->next) {
        if (watch->ssl == ssl) watch->has_ended = true;
    }
}

struct swallow_curl_tls_watch *swallow_curl_watch_tls(void *easy) {
    struct tls_session *session = NULL;
    pthread_once(&openssl_once, load_openssl);
    if (!openssl.set_info || curl.easy_getinfo(easy, TLS_SESSION, &session) != 0) return NULL;
    if (!session || session->backend != BACKEND_OPENSSL || !session->internals) return NULL;
    struct swallow_curl_tls_watch *watch = calloc(1, sizeof(*watch));
    if (!watch) return NULL;
    *watch = (struct swallow_curl_tls_watch){session->internals, false, watches};
    watches = watch;
    openssl.set_info(session->internals, note_alert);
    return watch;
}

bool swallow_curl_end_tls_watch(struct swallow_curl_tls_watch *watch) {
    struct swallow_curl_tls_watch **link = &watches;
    while (*link && *link != watch) link = &(*link)->next;
    if (*link) *link = watch->next;
    bool has_ended = watch->has_ended;
    free(watch);
    return has_ended;
}

long swallow_curl_get_long(void *easy, int info) {
    long value = 0;
    return curl.easy_getinfo(easy, info, &value) == 0 ? value : 0;
}

int64_t swallow_curl_get_offset(void *easy, int info) {
    int64_t value = 0;
    return curl.easy_getinfo(easy, info, &value) == 0 ? value : 0;
}

void *swallow_curl_get_pointer(void *easy, int info) {
    void *value = NULL;
    return curl.easy_getinfo(easy, info, &value) == 0 ? value : NULL;
}

struct swallow_curl_list *swallow_curl_cookies(void *easy) {
    struct swallow_curl_list *list = NULL;
    return curl.easy_getinfo(easy, COOKIE_LIST, &list) == 0 ? list : NULL;
}

struct swallow_curl_list *swallow_curl_list_append(struct swallow_curl_list *list, const char *string) {
    return curl.list_append(list, string);
}

void swallow_curl_list_free(struct swallow_curl_list *list) { curl.list_free(list); }

void *swallow_curl_share_init(void) { return curl.share_init(); }

void swallow_curl_share_cleanup(void *share) { curl.share_cleanup(share); }

int swallow_curl_share_set(void *share, int option, int value) {
    return curl.share_setopt(share, option, value);
}

void *swallow_curl_multi_init(void) { return curl.multi_init(); }

void swallow_curl_multi_cleanup(void *multi) { curl.multi_cleanup(multi); }

int swallow_curl_multi_set_long(void *multi, int option, long value) {
    return curl.multi_setopt(multi, option, value);
}

int swallow_curl_multi_add(void *multi, void *easy) { return curl.multi_add_handle(multi, easy); }

int swallow_curl_multi_remove(void *multi, void *easy) { return curl.multi_remove_handle(multi, easy); }

void swallow_curl_multi_set_socket_callback(
    void *multi, void *context, swallow_curl_socket_callback callback) {
    // CURLMOPT_SOCKETDATA, CURLMOPT_SOCKETFUNCTION
    curl.multi_setopt(multi, 10002, context);
    curl.multi_setopt(multi, 20001, callback);
}

void swallow_curl_multi_set_timer_callback(
    void *multi, void *context, swallow_curl_timer_callback callback) {
    // CURLMOPT_TIMERDATA, CURLMOPT_TIMERFUNCTION
    curl.multi_setopt(multi, 10005, context);
    curl.multi_setopt(multi, 20004, callback);
}

int swallow_curl_multi_act(void *multi, int descriptor, int events) {
    int running = 0;
    return curl.multi_socket_action(multi, descriptor, events, &running);
}

int swallow_make_waker(void) { return eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK); }

void *swallow_curl_multi_next_ended(void *multi, int *code) {
    int left = 0;
    for (struct message *message; (message = curl.multi_info_read(multi, &left));) {
        if (message->kind != MESSAGE_DONE) continue;
        *code = message->data.result;
        return message->easy;
    }
    return NULL;
}

#else

// ISO C requires a declaration.
typedef int swallow_curl_is_for_linux;

#endif
