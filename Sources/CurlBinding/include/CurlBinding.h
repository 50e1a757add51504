#pragma once

// libcurl without its headers: the part of its stable ABI that Swallow uses, found at run time in the library that
// FoundationNetworking has loaded. Empty on other platforms than Linux.

#if defined(__linux__)

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma clang assume_nonnull begin

/// An entry of a list of strings, laid out as a `curl_slist`.
struct swallow_curl_list {
    char *data;
    struct swallow_curl_list *_Nullable next;
};

typedef size_t (*swallow_curl_data_callback)(
    char *_Nullable bytes, size_t size, size_t count, void *_Nullable context);
typedef int (*swallow_curl_seek_callback)(void *_Nullable context, int64_t offset, int origin);
typedef int (*swallow_curl_request_callback)(
    void *_Nullable context, char *_Nullable peer, char *_Nullable local, int peer_port, int local_port);

/// Finds the library, once: its version as 0xXXYYZZ, or 0 where there is none, or one that lacks a function.
/// Nothing else here may be called before this has returned a version.
uint32_t swallow_curl_load(void);
/// The features that the library was built with, as its CURL_VERSION_ bits.
uint32_t swallow_curl_features(void);
/// The version as text.
const char *swallow_curl_version_text(void);
int swallow_curl_global_init(void);

void *_Nullable swallow_curl_easy_init(void);
void swallow_curl_easy_cleanup(void *easy);
void swallow_curl_easy_reset(void *easy);
int swallow_curl_easy_pause(void *easy, int directions);
const char *swallow_curl_easy_error(int code);

int swallow_curl_set_long(void *easy, int option, long value);
int swallow_curl_set_offset(void *easy, int option, int64_t value);
int swallow_curl_set_pointer(void *easy, int option, const void *_Nullable value);
int swallow_curl_set_data_callback(void *easy, int option, swallow_curl_data_callback callback);
int swallow_curl_set_seek_callback(void *easy, int option, swallow_curl_seek_callback callback);
int swallow_curl_set_request_callback(void *easy, int option, swallow_curl_request_callback callback);

/// Has a transfer open no connection any more, not even when it has found an address.
void swallow_curl_refuse_sockets(void *easy);

/// 0 where the library doesn't know it.
long swallow_curl_get_long(void *easy, int info);
int64_t swallow_curl_get_offset(void *easy, int info);
void *_Nullable swallow_curl_get_pointer(void *easy, int info);

void *_Nullable swallow_curl_multi_init(void);
void swallow_curl_multi_cleanup(void *multi);
int swallow_curl_multi_set_long(void *multi, int option, long value);
int swallow_curl_multi_add(void *multi, void *easy);
int swallow_curl_multi_remove(void *multi, void *easy);
/// The number of transfers that are still under way.
int swallow_curl_multi_perform(void *multi);
int swallow_curl_multi_poll(void *multi, int milliseconds);
int swallow_curl_multi_wakeup(void *multi);
/// The next transfer that has ended, and how; nil where there is none.
void *_Nullable swallow_curl_multi_next_ended(void *multi, int *code);

#pragma clang assume_nonnull end

#endif
