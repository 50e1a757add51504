#if defined(__linux__)

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include "CurlBinding.h"

#include <dlfcn.h>
#include <pthread.h>

struct version_info {
    int age;
    const char *version;
    unsigned int version_num;
    const char *host;
    int features;
};

struct message {
    int kind;
    void *easy;
    union {
        void *whatever;
        int result;
    } data;
};

enum { MESSAGE_DONE = 1 };

// Written once, inside pthread_once.
static struct {
    const struct version_info *(*version_info)(int);
    int (*global_init)(long);
    void *(*easy_init)(void);
    void (*easy_cleanup)(void *);
    void (*easy_reset)(void *);
    int (*easy_pause)(void *, int);
    const char *(*easy_strerror)(int);
    int (*easy_setopt)(void *, int, ...);
    int (*easy_getinfo)(void *, int, ...);
    void *(*multi_init)(void);
    int (*multi_cleanup)(void *);
    int (*multi_setopt)(void *, int, ...);
    int (*multi_add_handle)(void *, void *);
    int (*multi_remove_handle)(void *, void *);
    int (*multi_perform)(void *, int *);
    int (*multi_poll)(void *, void *, unsigned int, int, int *);
    int (*multi_wakeup)(void *);
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
        {(void **)&curl.easy_reset, "curl_easy_reset"},
        {(void **)&curl.easy_pause, "curl_easy_pause"},
        {(void **)&curl.easy_strerror, "curl_easy_strerror"},
        {(void **)&curl.easy_setopt, "curl_easy_setopt"},
        {(void **)&curl.easy_getinfo, "curl_easy_getinfo"},
        {(void **)&curl.multi_init, "curl_multi_init"},
        {(void **)&curl.multi_cleanup, "curl_multi_cleanup"},
        {(void **)&curl.multi_setopt, "curl_multi_setopt"},
        {(void **)&curl.multi_add_handle, "curl_multi_add_handle"},
        {(void **)&curl.multi_remove_handle, "curl_multi_remove_handle"},
        {(void **)&curl.multi_perform, "curl_multi_perform"},
        {(void **)&curl.multi_poll, "curl_multi_poll"},
        {(void **)&curl.multi_wakeup, "curl_multi_wakeup"},
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
    // Whatever the process has, linked in or loaded; then the names that distributions give it.
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

void swallow_curl_easy_reset(void *easy) { curl.easy_reset(easy); }

int swallow_curl_easy_pause(void *easy, int directions) { return curl.easy_pause(easy, directions); }

const char *swallow_curl_easy_error(int code) { return curl.easy_strerror(code); }

int swallow_curl_set_long(void *easy, int option, long value) {
    return curl.easy_setopt(easy, option, value);
}

int swallow_curl_set_offset(void *easy, int option, int64_t value) {
    return curl.easy_setopt(easy, option, value);
}

int swallow_curl_set_pointer(void *easy, int option, const void *value) {
    return curl.easy_setopt(easy, option, value);
}

int swallow_curl_set_data_callback(void *easy, int option, swallow_curl_data_callback callback) {
    return curl.easy_setopt(easy, option, callback);
}

int swallow_curl_set_seek_callback(void *easy, int option, swallow_curl_seek_callback callback) {
    return curl.easy_setopt(easy, option, callback);
}

int swallow_curl_set_request_callback(void *easy, int option, swallow_curl_request_callback callback) {
    return curl.easy_setopt(easy, option, callback);
}

static int refuse_socket(void *context, int purpose, void *address) { return -1; }

void swallow_curl_refuse_sockets(void *easy) {
    // CURLOPT_OPENSOCKETFUNCTION
    curl.easy_setopt(easy, 20163, refuse_socket);
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

void *swallow_curl_multi_init(void) { return curl.multi_init(); }

void swallow_curl_multi_cleanup(void *multi) { curl.multi_cleanup(multi); }

int swallow_curl_multi_set_long(void *multi, int option, long value) {
    return curl.multi_setopt(multi, option, value);
}

int swallow_curl_multi_add(void *multi, void *easy) { return curl.multi_add_handle(multi, easy); }

int swallow_curl_multi_remove(void *multi, void *easy) { return curl.multi_remove_handle(multi, easy); }

int swallow_curl_multi_perform(void *multi) {
    int running = 0;
    curl.multi_perform(multi, &running);
    return running;
}

int swallow_curl_multi_poll(void *multi, int milliseconds) {
    return curl.multi_poll(multi, NULL, 0, milliseconds, NULL);
}

int swallow_curl_multi_wakeup(void *multi) { return curl.multi_wakeup(multi); }

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

// ISO C wants a declaration.
typedef int swallow_curl_is_for_linux;

#endif
