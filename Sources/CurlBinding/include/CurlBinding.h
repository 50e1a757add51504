#pragma once

#include "Decoders.h"

// The part of libcurl's stable ABI that Swallow uses on Linux. It is looked up at run time, without its headers.

#if defined(__linux__)

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
// CurlPoller.swift uses epoll, which Swift's Glibc module lacks.
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
/// Returns a new socket, or -1. The address is a `curl_sockaddr`, which begins with the family, type and protocol.
typedef int (*swallow_curl_open_callback)(void *_Nullable context, int purpose, void *_Nullable address);
/// Called before the host's name is looked up. The lookup begins if the callback returns 0.
typedef int (*swallow_curl_lookup_callback)(
    void *_Nullable resolver, void *_Nullable reserved, void *_Nullable context);
typedef int (*swallow_curl_trailer_callback)(
    struct swallow_curl_list *_Nullable *_Nonnull list, void *_Nullable context);
typedef int (*swallow_curl_close_callback)(void *_Nullable context, int descriptor);

/// Returns libcurl's version as 0xXXYYZZ, or 0 if libcurl or a function is missing. Call this first.
uint32_t swallow_curl_load(void);
uint32_t swallow_curl_features(void);
const char *swallow_curl_version_text(void);
int swallow_curl_global_init(void);

void *_Nullable swallow_curl_easy_init(void);
void swallow_curl_easy_cleanup(void *easy);
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

/// Keeps libcurl from writing TLS keys to a log if it uses OpenSSL. Connections fail if that isn't possible.
void swallow_curl_log_no_keys(void *easy);

/// Stores the event loop of the calling thread, for `swallow_loop`. NULL removes it.
void swallow_become_loop(void *_Nullable loop);
void *_Nullable swallow_loop(void);

/// Watches whether the peer of a handle's connection ends TLS properly, with close_notify (RFC 8446 §6.1).
struct swallow_curl_tls_watch;
/// Starts a watch. It must start and end on the transfer's thread. Returns NULL if it can't start, as without OpenSSL.
struct swallow_curl_tls_watch *_Nullable swallow_curl_watch_tls(void *easy);
/// Frees the watch. Returns whether close_notify was received.
bool swallow_curl_end_tls_watch(struct swallow_curl_tls_watch *watch);

/// Returns a value about a transfer, or 0 if libcurl doesn't know it.
long swallow_curl_get_long(void *easy, int info);
int64_t swallow_curl_get_offset(void *easy, int info);
void *_Nullable swallow_curl_get_pointer(void *easy, int info);

/// Returns the cookies as lines of a Netscape cookie file. The caller frees the list.
struct swallow_curl_list *_Nullable swallow_curl_cookies(void *easy);
/// Returns the list with a copy of the string. If memory is short, returns NULL and leaves the list unchanged.
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
/// Reports for which events of a socket libcurl waits. 1 means reading, 2 writing, 3 both, and 4 no longer any.
typedef int (*swallow_curl_socket_callback)(
    void *_Nullable easy, int descriptor, int interest, void *_Nullable context, void *_Nullable unused);
void swallow_curl_multi_set_socket_callback(
    void *multi, void *context, swallow_curl_socket_callback callback);
/// Reports after how many milliseconds to call libcurl even without an event. -1 means never.
typedef int (*swallow_curl_timer_callback)(void *_Nullable multi, long milliseconds, void *_Nullable context);
void swallow_curl_multi_set_timer_callback(
    void *multi, void *context, swallow_curl_timer_callback callback);
/// Continues the transfers of a socket, or, if the descriptor is -1, the transfers whose timers are due. The events are
/// 1 for bytes to read, and 2 for room to write. With 0, libcurl queries the kernel itself.
int swallow_curl_multi_act(void *multi, int descriptor, int events);
/// Returns an eventfd, or -1 if none can be created.
int swallow_make_waker(void);
/// Returns the handle of the next completed transfer, and sets `code` to its result. Returns NULL if there is none.
void *_Nullable swallow_curl_multi_next_ended(void *multi, int *code);

#pragma clang assume_nonnull end

#endif
