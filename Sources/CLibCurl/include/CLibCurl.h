// libcurl, loaded when it is first used: linked, it and the thirty libraries that it needs would lengthen the start of
// every program, also of one that sends no request. Swift cannot call functions with variable arguments, so each kind of
// argument has its own function.

#ifndef CARNET_CLIBCURL_H
#define CARNET_CLIBCURL_H

#define CURL_DISABLE_TYPECHECK
// CURLOPT_PROTOCOLS, for versions that do not know its successor.
#define CURL_DISABLE_DEPRECATION
#include <curl/curl.h>
#include <stdint.h>

#if LIBCURL_VERSION_NUM < 0x075000
#error "CarnetCurl needs libcurl 7.80 or newer"
#endif

/// `CURLE_TOO_LARGE`, which newer versions have.
static const CURLcode carnet_curl_too_large = (CURLcode)100;

/// Loads libcurl, once. Nothing else here may be called before.
///
/// @return Whether it is there, and recent enough.
int carnet_curl_load(void);

/// After `carnet_curl_load`, which may have failed: the version of the libcurl of this system; null if there is none.
const char *carnet_curl_found(void);

/// The file of the certificate authorities that libcurl was built for; null if there is none.
const char *carnet_curl_authorities(void);

/// The version of libcurl, such as 8.5.0.
const char *carnet_curl_version(void);
/// The TLS library of libcurl, such as OpenSSL/3.0.13; null without TLS.
const char *carnet_curl_tls(void);

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
/// The parts of a certificate that a person can recognize. The names end with a zero byte; the times are seconds since 1970.
struct carnet_curl_certificate {
    char issuer[128];
    char subject[128];
    int64_t start;
    int64_t end;
};

/// Notes the certificates of servers during the handshakes of a handle, if libcurl uses OpenSSL.
void carnet_curl_watch(CURL *easy);
/// The last certificate that was noted on this thread.
///
/// @return Null if it is that of another handle, or there is none.
const struct carnet_curl_certificate *carnet_curl_certificate_of(CURL *easy);
/// 0 if it is unknown.
long carnet_curl_number(CURL *easy, CURLINFO information);

/// @param lines Each ends with a zero byte. They are copied.
/// @return A list for `free`; null if there is no memory, or no line.
struct curl_slist *carnet_curl_list(const char *lines, size_t bytes);

const void *carnet_curl_address(const struct curl_sockaddr *address);

/// The epoll instance or kqueue that a thread waits for.
///
/// @param bell What `carnet_curl_ring` needs besides; -1 for nothing.
/// @return Its descriptor, or -1 with the reason in `errno`.
int carnet_curl_poller(int *bell);
/// Ends the wait, or the next one. Any thread may call it.
void carnet_curl_ring(int poller, int bell);

struct carnet_curl_event {
    int descriptor;
    int ready;
};

/// Waits until a socket is ready, somebody has rung, or the time is over.
///
/// @return The number of events; -1 if a signal has arrived.
int carnet_curl_wait(int poller, struct carnet_curl_event *events, int capacity, int milliseconds);

/// The handles of one thread that run, their connections, and what they wait for.
struct carnet_curl_loop;

/// @return Null if there is no memory.
struct carnet_curl_loop *carnet_curl_loop(int poller);
/// Closes the connections.
void carnet_curl_end_loop(struct carnet_curl_loop *loop);
/// A socket that other programs do not inherit, for a handle whose closer is set.
curl_socket_t carnet_curl_open(struct carnet_curl_loop *loop, const struct curl_sockaddr *address);
CURLcode carnet_curl_set_closer(CURL *easy, struct carnet_curl_loop *loop);
/// `carnet_curl_run` begins the exchange.
CURLMcode carnet_curl_add(struct carnet_curl_loop *loop, CURL *easy);
void carnet_curl_remove(struct carnet_curl_loop *loop, CURL *easy);
/// The `CURLOPT_PRIVATE` of the next handle whose exchange is over; null if there is none.
void *carnet_curl_next(struct carnet_curl_loop *loop, CURLcode *result);

/// Continues the exchanges whose sockets are ready, then those whose time has come.
void carnet_curl_run(struct carnet_curl_loop *loop, const struct carnet_curl_event *events, int count);
/// The milliseconds after which `carnet_curl_run` has to be called even if no socket is ready; -1 for none.
int64_t carnet_curl_timer(struct carnet_curl_loop *loop);

/// A file without a name that nobody can change any more, and that other programs do not inherit.
///
/// @return Its descriptor, or -1 where the system has no such files.
int carnet_curl_keep(const void *bytes, size_t count);
/// Signals stay with the threads of the host program. A write to a closed connection is then an error, too.
void carnet_curl_block_signals(void);

#endif
