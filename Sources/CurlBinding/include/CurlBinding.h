#pragma once

#include "Decoders.h"

// The part of libcurl's stable ABI that Swallow uses, without libcurl's headers. The functions are found at run time.
// This header is empty on platforms other than Linux.

#if defined(__linux__)

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
// CurlPoller needs this header, which the glibc module lacks.
#include <sys/epoll.h>

#pragma clang assume_nonnull begin

/// An entry of a list of strings, with the layout of a `curl_slist`.
struct swallow_curl_list {
    char *data;
    struct swallow_curl_list *_Nullable next;
};

typedef size_t (*swallow_curl_data_callback)(
    char *_Nullable bytes, size_t size, size_t count, void *_Nullable context);
typedef int (*swallow_curl_seek_callback)(void *_Nullable context, int64_t offset, int origin);
typedef int (*swallow_curl_request_callback)(
    void *_Nullable context, char *_Nullable peer, char *_Nullable local, int peer_port, int local_port);
/// Opens a socket, or returns -1. The address is a `curl_sockaddr`: its family, type and protocol come first.
typedef int (*swallow_curl_open_callback)(void *_Nullable context, int purpose, void *_Nullable address);
/// Called before the lookup of a name. The lookup begins if the callback returns 0.
typedef int (*swallow_curl_lookup_callback)(
    void *_Nullable resolver, void *_Nullable reserved, void *_Nullable context);
typedef int (*swallow_curl_trailer_callback)(
    struct swallow_curl_list *_Nullable *_Nonnull list, void *_Nullable context);
typedef int (*swallow_curl_close_callback)(void *_Nullable context, int descriptor);

/// Returns the version as 0xXXYYZZ, or 0 if the library is missing or lacks a function. Call no other function of this
/// header before this function has returned a version.
uint32_t swallow_curl_load(void);
/// Returns the CURL_VERSION_ bits.
uint32_t swallow_curl_features(void);
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

int swallow_curl_set_open_callback(void *easy, int option, swallow_curl_open_callback callback);
int swallow_curl_set_close_callback(void *easy, int option, swallow_curl_close_callback callback);
int swallow_curl_set_lookup_callback(void *easy, int option, swallow_curl_lookup_callback callback);
int swallow_curl_set_trailer_callback(void *easy, int option, swallow_curl_trailer_callback callback);

/// Keeps connections from logging TLS keys if libcurl uses OpenSSL.
void swallow_curl_log_no_keys(void *easy);

/// Stores the event loop that runs on the calling thread. NULL removes it.
void swallow_become_loop(void *_Nullable loop);
void *_Nullable swallow_loop(void);

/// Watches whether the peer of a handle's connection ends TLS properly, with close_notify (RFC 8446 §6.1).
struct swallow_curl_tls_watch;
/// The watch must start and end on the transfer's thread. Returns NULL if the connection doesn't use OpenSSL.
struct swallow_curl_tls_watch *_Nullable swallow_curl_watch_tls(void *easy);
/// Stops the watch. Returns whether close_notify was received.
bool swallow_curl_end_tls_watch(struct swallow_curl_tls_watch *watch);

/// Returns 0 if the library doesn't know the value.
long swallow_curl_get_long(void *easy, int info);
int64_t swallow_curl_get_offset(void *easy, int info);
void *_Nullable swallow_curl_get_pointer(void *easy, int info);

/// Returns lines of a Netscape cookie file. The caller frees the list.
struct swallow_curl_list *_Nullable swallow_curl_cookies(void *easy);
/// If there isn't enough memory, returns NULL and leaves the list unchanged.
struct swallow_curl_list *_Nullable swallow_curl_list_append(
    struct swallow_curl_list *_Nullable list, const char *string);
void swallow_curl_list_free(struct swallow_curl_list *_Nullable list);

void *_Nullable swallow_curl_share_init(void);
void swallow_curl_share_cleanup(void *share);
int swallow_curl_share_set(void *share, int option, int value);

void *_Nullable swallow_curl_multi_init(void);
void swallow_curl_multi_cleanup(void *multi);
int swallow_curl_multi_set_long(void *multi, int option, long value);
int swallow_curl_multi_add(void *multi, void *easy);
int swallow_curl_multi_remove(void *multi, void *easy);
/// Reports the events for which libcurl waits: 1 is reading, 2 is writing, 3 is both, and 4 is none.
typedef int (*swallow_curl_socket_callback)(
    void *_Nullable easy, int descriptor, int interest, void *_Nullable context, void *_Nullable unused);
void swallow_curl_multi_set_socket_callback(
    void *multi, void *context, swallow_curl_socket_callback callback);
/// Reports in how many milliseconds libcurl has to be called even without an event. -1 means never.
typedef int (*swallow_curl_timer_callback)(void *_Nullable multi, long milliseconds, void *_Nullable context);
void swallow_curl_multi_set_timer_callback(
    void *multi, void *context, swallow_curl_timer_callback callback);
/// Continues the transfers of a socket, or those whose timers are due if the descriptor is -1. The events are 1 for
/// bytes to read, and 2 for room to write. With 0, libcurl queries the kernel itself.
int swallow_curl_multi_act(void *multi, int descriptor, int events);
/// Returns a negative number if the process has no descriptor left.
int swallow_make_waker(void);
/// Returns the handle of the next completed transfer, and sets its code. Returns NULL if there is none.
void *_Nullable swallow_curl_multi_next_ended(void *multi, int *code);

#pragma clang assume_nonnull end

#endif
