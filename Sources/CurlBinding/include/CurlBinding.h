#pragma once

#include "Decoders.h"

// libcurl without its headers: the part of its stable ABI that Swallow uses, found at run time in the library that
// FoundationNetworking has loaded. Empty on other platforms than Linux.

#if defined(__linux__)

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
// For CurlPoller: the module of glibc lacks it.
#include <sys/epoll.h>

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
/// Opens a socket for an address (a `curl_sockaddr`: family, type and protocol come first); -1 refuses.
typedef int (*swallow_curl_open_callback)(void *_Nullable context, int purpose, void *_Nullable address);
/// Called before the lookup of a name. The lookup begins if the callback returns 0.
typedef int (*swallow_curl_lookup_callback)(
    void *_Nullable resolver, void *_Nullable reserved, void *_Nullable context);
/// Adds the fields that follow a body to a list.
typedef int (*swallow_curl_trailer_callback)(
    struct swallow_curl_list *_Nullable *_Nonnull list, void *_Nullable context);
typedef int (*swallow_curl_close_callback)(void *_Nullable context, int descriptor);

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

int swallow_curl_set_open_callback(void *easy, int option, swallow_curl_open_callback callback);
int swallow_curl_set_close_callback(void *easy, int option, swallow_curl_close_callback callback);
int swallow_curl_set_lookup_callback(void *easy, int option, swallow_curl_lookup_callback callback);
int swallow_curl_set_trailer_callback(void *easy, int option, swallow_curl_trailer_callback callback);

/// Keeps connections from logging TLS keys, where libcurl uses OpenSSL.
void swallow_curl_log_no_keys(void *easy);

/// Marks the calling thread, for its life, as one on which responses may be parsed and decoded.
void swallow_become_worker(void);
/// Whether the calling thread is marked as a worker.
bool swallow_is_worker(void);
/// Notes the loop whose transfers the calling thread moves; NULL for none.
void swallow_become_loop(void *_Nullable loop);
/// The loop that was noted for the calling thread.
void *_Nullable swallow_loop(void);

/// Watches whether the peer of a handle's connection ends TLS as it should, with close_notify (RFC 8446 §6.1).
struct swallow_curl_tls_watch;
/// To be called and ended on the thread of the transfer; NULL where the connection doesn't use OpenSSL.
struct swallow_curl_tls_watch *_Nullable swallow_curl_watch_tls(void *easy);
/// Ends the watch; says whether close_notify came.
bool swallow_curl_end_tls_watch(struct swallow_curl_tls_watch *watch);

/// 0 where the library doesn't know it.
long swallow_curl_get_long(void *easy, int info);
int64_t swallow_curl_get_offset(void *easy, int info);
void *_Nullable swallow_curl_get_pointer(void *easy, int info);

/// The cookies that a handle's engine knows, in the lines of Netscape's file; to be freed.
struct swallow_curl_list *_Nullable swallow_curl_cookies(void *easy);
/// The list with a copy of that string at its end; NULL where there is no memory, and the list is as it was.
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
/// Says which sockets libcurl waits for: 1 to read, 2 to write, 3 for both, 4 for neither any more.
typedef int (*swallow_curl_socket_callback)(
    void *_Nullable easy, int descriptor, int interest, void *_Nullable context, void *_Nullable unused);
void swallow_curl_multi_set_socket_callback(
    void *multi, void *context, swallow_curl_socket_callback callback);
/// Says in how many milliseconds libcurl wants to be called all the same; -1 for never.
typedef int (*swallow_curl_timer_callback)(void *_Nullable multi, long milliseconds, void *_Nullable context);
void swallow_curl_multi_set_timer_callback(
    void *multi, void *context, swallow_curl_timer_callback callback);
/// Lets libcurl move the transfers of a socket, or with -1 those whose time has come. The events are 1 for bytes to
/// read and 2 for room to write; with 0 libcurl finds out itself.
int swallow_curl_multi_act(void *multi, int descriptor, int events);
/// A descriptor by which another thread ends a wait; negative where there is none left.
int swallow_make_waker(void);
/// The next transfer that has ended, and how; nil where there is none.
void *_Nullable swallow_curl_multi_next_ended(void *multi, int *code);

#pragma clang assume_nonnull end

#endif
