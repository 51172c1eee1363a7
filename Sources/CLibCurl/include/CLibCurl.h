// libcurl, loaded when it is first used: linked, it and the thirty libraries that it needs would lengthen the start of
// every program, also of one that sends no request. Swift cannot call functions with variable arguments, so each kind of
// argument has its own function.

#ifndef CARNET_CLIBCURL_H
#define CARNET_CLIBCURL_H

#define CURL_DISABLE_TYPECHECK
#include <curl/curl.h>

#if LIBCURL_VERSION_NUM < 0x075000
#error "CarnetCurl needs libcurl 7.80 or newer"
#endif

/// `CURLE_TOO_LARGE`, which newer versions have.
static const CURLcode carnet_curl_too_large = (CURLcode)100;

/// Loads libcurl, once. Nothing else here may be called before.
///
/// @return Whether it is there, and recent enough.
int carnet_curl_load(void);

/// The file of the certificate authorities that libcurl was built for; null if there is none.
const char *carnet_curl_authorities(void);

CURL *carnet_curl_easy(void);
void carnet_curl_end_easy(CURL *easy);
CURLcode carnet_curl_set_number(CURL *easy, CURLoption option, long value);
/// The text is copied.
CURLcode carnet_curl_set_text(CURL *easy, CURLoption option, const char *value);
/// Not copied.
CURLcode carnet_curl_set_pointer(CURL *easy, CURLoption option, const void *value);
/// The bytes are copied.
CURLcode carnet_curl_set_bytes(CURL *easy, CURLoption option, const void *bytes, size_t count);
CURLcode carnet_curl_set_sink(CURL *easy, CURLoption option, curl_write_callback sink);
CURLcode carnet_curl_set_opener(CURL *easy, curl_opensocket_callback opener);
CURLcode carnet_curl_set_gate(CURL *easy, curl_prereq_callback gate);
/// The protocols http and https alone, basic authentication to a proxy alone, and no header field of a request for a proxy.
CURLcode carnet_curl_restrict(CURL *easy);
/// 0 if it is unknown.
long carnet_curl_number(CURL *easy, CURLINFO information);

struct curl_slist *carnet_curl_append(struct curl_slist *list, const char *text);
void carnet_curl_end_list(struct curl_slist *list);

const void *carnet_curl_address(const struct curl_sockaddr *address);
/// A socket that other programs do not inherit.
curl_socket_t carnet_curl_open(const struct curl_sockaddr *address);

CURLM *carnet_curl_multi(void);
void carnet_curl_end_multi(CURLM *multi);
CURLMcode carnet_curl_add(CURLM *multi, CURL *easy);
void carnet_curl_remove(CURLM *multi, CURL *easy);
void carnet_curl_perform(CURLM *multi);
/// The next exchange that is over; null if there is none.
CURL *carnet_curl_next(CURLM *multi, CURLcode *result);
/// Waits until a socket is ready, `alarm` is readable, or the time is over.
///
/// @return Whether `alarm` is readable.
int carnet_curl_wait(CURLM *multi, int alarm, int milliseconds);

/// A file without a name that nobody can change any more, and that other programs do not inherit.
///
/// @return Its descriptor, or -1 where the system has no such files.
int carnet_curl_keep(const void *bytes, size_t count);
/// A pipe that does not block, and that other programs do not inherit.
///
/// @return 0, or -1 with the reason in `errno`.
int carnet_curl_pipe(int ends[2]);
/// Signals stay with the threads of the host program. A write to a closed connection is then an error, too.
void carnet_curl_block_signals(void);

#endif
