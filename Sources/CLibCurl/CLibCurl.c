#define _GNU_SOURCE
#include "CLibCurl.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#ifdef __linux__
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#else
#include <sys/event.h>
#endif
#include <time.h>
#include <unistd.h>

#ifdef __APPLE__
#define LIBCURL "libcurl.4.dylib"
#else
#define LIBCURL "libcurl.so.4"
#endif

static struct {
    CURLcode (*global_init)(long);
    curl_version_info_data *(*version_info)(CURLversion);
    CURL *(*easy_init)(void);
    void (*easy_cleanup)(CURL *);
    CURLcode (*easy_setopt)(CURL *, CURLoption, ...);
    CURLcode (*easy_getinfo)(CURL *, CURLINFO, ...);
    CURLM *(*multi_init)(void);
    CURLMcode (*multi_cleanup)(CURLM *);
    CURLMcode (*multi_setopt)(CURLM *, CURLMoption, ...);
    CURLMcode (*multi_add_handle)(CURLM *, CURL *);
    CURLMcode (*multi_remove_handle)(CURLM *, CURL *);
    CURLMcode (*multi_socket_action)(CURLM *, curl_socket_t, int, int *);
    CURLMsg *(*multi_info_read)(CURLM *, int *);
} curl;

/// Null if libcurl has another TLS library than OpenSSL.
static struct {
    void (*set_verifier)(void *, int (*)(void *, void *), void *);
    int (*verify)(void *);
    void *(*certificate)(const void *);
    void *(*issuer)(const void *);
    void *(*subject)(const void *);
    int (*name)(const void *, int, char *, int);
    const void *(*start)(const void *);
    const void *(*end)(const void *);
    int (*time)(const void *, struct tm *);
} openssl;

/// The last certificate on a thread. The handle is compared and never used: its connection may outlive it.
static _Thread_local struct {
    const void *easy;
    struct carnet_curl_certificate certificate;
} seen;

static pthread_once_t once = PTHREAD_ONCE_INIT;
static int is_loaded = 0;
static const char *found = NULL;

static void load(void) {
    void *library = dlopen(LIBCURL, RTLD_NOW | RTLD_LOCAL);
    if (!library) return;
    const struct { const char *name; void *place; } symbols[] = {
        {"curl_global_init", &curl.global_init},
        {"curl_version_info", &curl.version_info},
        {"curl_easy_init", &curl.easy_init},
        {"curl_easy_cleanup", &curl.easy_cleanup},
        {"curl_easy_setopt", &curl.easy_setopt},
        {"curl_easy_getinfo", &curl.easy_getinfo},
        {"curl_multi_init", &curl.multi_init},
        {"curl_multi_cleanup", &curl.multi_cleanup},
        {"curl_multi_setopt", &curl.multi_setopt},
        {"curl_multi_add_handle", &curl.multi_add_handle},
        {"curl_multi_remove_handle", &curl.multi_remove_handle},
        {"curl_multi_socket_action", &curl.multi_socket_action},
        {"curl_multi_info_read", &curl.multi_info_read},
    };
    for (size_t i = 0; i < sizeof symbols / sizeof *symbols; i++) {
        void *symbol = dlsym(library, symbols[i].name);
        if (!symbol) return;
        *(void **)symbols[i].place = symbol;
    }
    const struct { const char *name; void *place; } details[] = {
        {"X509_verify_cert", &openssl.verify},
        {"X509_STORE_CTX_get0_cert", &openssl.certificate},
        {"X509_get_issuer_name", &openssl.issuer},
        {"X509_get_subject_name", &openssl.subject},
        {"X509_NAME_get_text_by_NID", &openssl.name},
        {"X509_get0_notBefore", &openssl.start},
        {"X509_get0_notAfter", &openssl.end},
        {"ASN1_TIME_to_tm", &openssl.time},
        {"SSL_CTX_set_cert_verify_callback", &openssl.set_verifier},
    };
    for (size_t i = 0; i < sizeof details / sizeof *details; i++) {
        void *symbol = dlsym(library, details[i].name);
        // The last one is needed for all others to be used.
        if (!symbol) break;
        *(void **)details[i].place = symbol;
    }
    found = curl.version_info(CURLVERSION_NOW)->version;
    if (curl.version_info(CURLVERSION_NOW)->version_num < 0x075000) return;
    is_loaded = curl.global_init(CURL_GLOBAL_DEFAULT) == CURLE_OK;
}

int carnet_curl_load(void) {
    pthread_once(&once, load);
    return is_loaded;
}

const char *carnet_curl_found(void) { return found; }

const char *carnet_curl_authorities(void) {
    return curl.version_info(CURLVERSION_NOW)->cainfo;
}

const char *carnet_curl_version(void) {
    return curl.version_info(CURLVERSION_NOW)->version;
}

const char *carnet_curl_tls(void) {
    return curl.version_info(CURLVERSION_NOW)->ssl_version;
}

CURL *carnet_curl_easy(void) { return curl.easy_init(); }

void carnet_curl_end_easy(CURL *easy) { curl.easy_cleanup(easy); }

CURLcode carnet_curl_set_number(CURL *easy, CURLoption option, long value) {
    return curl.easy_setopt(easy, option, value);
}

CURLcode carnet_curl_set_text(CURL *easy, CURLoption option, const char *value) {
    return curl.easy_setopt(easy, option, value);
}

CURLcode carnet_curl_set_pointer(CURL *easy, CURLoption option, const void *value) {
    return curl.easy_setopt(easy, option, value);
}

CURLcode carnet_curl_set_bytes(CURL *easy, CURLoption option, const void *bytes, size_t count) {
    struct curl_blob blob = {(void *)bytes, count, CURL_BLOB_COPY};
    return curl.easy_setopt(easy, option, &blob);
}

CURLcode carnet_curl_set_sink(CURL *easy, CURLoption option, curl_write_callback sink) {
    return curl.easy_setopt(easy, option, sink);
}

CURLcode carnet_curl_set_opener(CURL *easy, curl_opensocket_callback opener) {
    return curl.easy_setopt(easy, CURLOPT_OPENSOCKETFUNCTION, opener);
}

CURLcode carnet_curl_set_gate(CURL *easy, curl_prereq_callback gate) {
    return curl.easy_setopt(easy, CURLOPT_PREREQFUNCTION, gate);
}

CURLcode carnet_curl_restrict(CURL *easy) {
#if LIBCURL_VERSION_NUM >= 0x075700
    // A lookup that is no longer waited for ends by itself. Otherwise libcurl would wait for it. Older versions have no
    // such option.
    curl.easy_setopt(easy, CURLOPT_QUICK_EXIT, 1L);
#endif
    CURLcode result = curl.easy_setopt(easy, CURLOPT_HEADEROPT, (long)CURLHEADER_SEPARATE);
    if (result == CURLE_OK) result = curl.easy_setopt(easy, CURLOPT_PROXYAUTH, (long)CURLAUTH_BASIC);
    if (result == CURLE_OK) result = curl.easy_setopt(easy, CURLOPT_SOCKS5_AUTH, (long)CURLAUTH_BASIC);
    if (result != CURLE_OK) return result;
#if LIBCURL_VERSION_NUM >= 0x075500
    result = curl.easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https");
    // The libcurl that is loaded can be older than the one that this was compiled with.
    if (result != CURLE_UNKNOWN_OPTION) return result;
#endif
    return curl.easy_setopt(easy, CURLOPT_PROTOCOLS, (long)(CURLPROTO_HTTP | CURLPROTO_HTTPS));
}

static void write_name(const void *name, char *text, int size) {
    enum { COMMON_NAME = 13, ORGANIZATION = 17 };
    text[0] = 0;
    if (name && openssl.name(name, COMMON_NAME, text, size) < 0) openssl.name(name, ORGANIZATION, text, size);
}

static int64_t seconds(const void *time) {
    struct tm parts;
    return time && openssl.time(time, &parts) == 1 ? (int64_t)timegm(&parts) : 0;
}

/// As OpenSSL does without it, and the certificate is noted.
static int verify(void *store, void *easy) {
    const void *certificate = openssl.certificate(store);
    seen.easy = certificate ? easy : NULL;
    if (certificate) {
        write_name(openssl.issuer(certificate), seen.certificate.issuer, sizeof seen.certificate.issuer);
        write_name(openssl.subject(certificate), seen.certificate.subject, sizeof seen.certificate.subject);
        seen.certificate.start = seconds(openssl.start(certificate));
        seen.certificate.end = seconds(openssl.end(certificate));
    }
    return openssl.verify(store);
}

static CURLcode note_certificates(CURL *easy, void *context, void *unused) {
    (void)unused;
    openssl.set_verifier(context, verify, easy);
    return CURLE_OK;
}

void carnet_curl_watch(CURL *easy) {
    // An error changes nothing but what messages say.
    if (openssl.set_verifier) curl.easy_setopt(easy, CURLOPT_SSL_CTX_FUNCTION, note_certificates);
}

const struct carnet_curl_certificate *carnet_curl_certificate_of(CURL *easy) {
    return seen.easy == easy ? &seen.certificate : NULL;
}

long carnet_curl_number(CURL *easy, CURLINFO information) {
    long value = 0;
    return curl.easy_getinfo(easy, information, &value) == CURLE_OK ? value : 0;
}

struct curl_slist *carnet_curl_list(const char *lines, size_t bytes) {
    size_t count = 0;
    for (size_t i = 0; i < bytes; i++) count += lines[i] == 0;
    if (count == 0) return NULL;
    struct curl_slist *list = malloc(count * sizeof *list + bytes);
    if (!list) return NULL;
    char *line = memcpy(list + count, lines, bytes);
    for (size_t i = 0; i < count; i++) {
        list[i] = (struct curl_slist){line, i + 1 < count ? &list[i + 1] : NULL};
        line += strlen(line) + 1;
    }
    return list;
}

const void *carnet_curl_address(const struct curl_sockaddr *address) { return &address->addr; }

struct carnet_curl_loop {
    CURLM *multi;
    int poller;
    /// When libcurl has to run even if no socket is ready, in milliseconds; -1 for never.
    int64_t due;
    /// The state of each descriptor.
    unsigned char *sockets;
    size_t count;
};

/// The lowest bits of a descriptor are what libcurl waits for: `CURL_POLL_IN`, `CURL_POLL_OUT`.
enum { WANTED = CURL_POLL_INOUT, WATCHED_SHIFT = 2, OWN = 16 };

static int64_t now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (int64_t)time.tv_sec * 1000 + time.tv_nsec / 1000000;
}

/// Null if there is no memory.
static unsigned char *socket_state(struct carnet_curl_loop *loop, curl_socket_t descriptor) {
    if ((size_t)descriptor >= loop->count) {
        size_t count = ((size_t)descriptor + 1) * 2;
        unsigned char *larger = realloc(loop->sockets, count);
        if (!larger) return NULL;
        memset(larger + loop->count, 0, count - loop->count);
        loop->sockets = larger;
        loop->count = count;
    }
    return &loop->sockets[descriptor];
}

static void watch(struct carnet_curl_loop *loop, curl_socket_t descriptor, unsigned char *state, int wanted) {
    int watched = *state >> WATCHED_SHIFT & WANTED;
    if (wanted == watched) return;
#ifdef __linux__
    struct epoll_event event = {
        (wanted & CURL_POLL_IN ? EPOLLIN : 0) | (wanted & CURL_POLL_OUT ? EPOLLOUT : 0), {.fd = descriptor}};
    epoll_ctl(
        loop->poller, !wanted ? EPOLL_CTL_DEL : watched ? EPOLL_CTL_MOD : EPOLL_CTL_ADD, descriptor, &event);
#else
    const struct { int bit, filter; } kinds[] = {{CURL_POLL_IN, EVFILT_READ}, {CURL_POLL_OUT, EVFILT_WRITE}};
    for (int i = 0; i < 2; i++) {
        if (!((wanted ^ watched) & kinds[i].bit)) continue;
        struct kevent change;
        EV_SET(&change, descriptor, kinds[i].filter, wanted & kinds[i].bit ? EV_ADD : EV_DELETE, 0, 0, NULL);
        kevent(loop->poller, &change, 1, NULL, 0, NULL);
    }
#endif
    *state = (unsigned char)((*state & (OWN | WANTED)) | wanted << WATCHED_SHIFT);
}

static int on_socket(CURL *easy, curl_socket_t descriptor, int what, void *context, void *unused) {
    struct carnet_curl_loop *loop = context;
    unsigned char *state = socket_state(loop, descriptor);
    if (!state) return 0;
    int wanted = what & WANTED;
    *state = (unsigned char)((*state & ~WANTED) | wanted);
    // A connection that is kept stays watched, so that its next request changes nothing.
    if (!wanted && *state == (OWN | CURL_POLL_IN << WATCHED_SHIFT)) return 0;
    watch(loop, descriptor, state, wanted);
    return 0;
}

static int on_timer(CURLM *multi, long milliseconds, void *context) {
    ((struct carnet_curl_loop *)context)->due = milliseconds < 0 ? -1 : now() + milliseconds;
    return 0;
}

struct carnet_curl_loop *carnet_curl_loop(int poller) {
    struct carnet_curl_loop *loop = calloc(1, sizeof *loop);
    if (!loop) return NULL;
    loop->poller = poller;
    loop->due = -1;
    loop->multi = curl.multi_init();
    if (!loop->multi) {
        free(loop);
        return NULL;
    }
    curl.multi_setopt(loop->multi, CURLMOPT_PIPELINING, CURLPIPE_NOTHING);
    // Otherwise four times as many as there are exchanges at the moment, which closes some of them after each batch.
    curl.multi_setopt(loop->multi, CURLMOPT_MAXCONNECTS, 64L);
    curl.multi_setopt(loop->multi, CURLMOPT_SOCKETFUNCTION, on_socket);
    curl.multi_setopt(loop->multi, CURLMOPT_SOCKETDATA, loop);
    curl.multi_setopt(loop->multi, CURLMOPT_TIMERFUNCTION, on_timer);
    curl.multi_setopt(loop->multi, CURLMOPT_TIMERDATA, loop);
    return loop;
}

void carnet_curl_end_loop(struct carnet_curl_loop *loop) {
    if (!loop) return;
    curl.multi_cleanup(loop->multi);
    free(loop->sockets);
    free(loop);
}

curl_socket_t carnet_curl_open(struct carnet_curl_loop *loop, const struct curl_sockaddr *address) {
#ifdef SOCK_CLOEXEC
    int descriptor = socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
#else
    int descriptor = socket(address->family, address->socktype, address->protocol);
    if (descriptor >= 0) fcntl(descriptor, F_SETFD, FD_CLOEXEC);
#endif
    unsigned char *state = descriptor < 0 ? NULL : socket_state(loop, descriptor);
    if (state) *state = OWN;
    return descriptor;
}

static int close_socket(void *context, curl_socket_t descriptor) {
    struct carnet_curl_loop *loop = context;
    unsigned char *state = socket_state(loop, descriptor);
    if (state) {
        // Not left to the system: a forked process may have the socket, too.
        watch(loop, descriptor, state, 0);
        *state = 0;
    }
    return close(descriptor);
}

CURLcode carnet_curl_set_closer(CURL *easy, struct carnet_curl_loop *loop) {
    CURLcode result = curl.easy_setopt(easy, CURLOPT_CLOSESOCKETFUNCTION, close_socket);
    return result == CURLE_OK ? curl.easy_setopt(easy, CURLOPT_CLOSESOCKETDATA, loop) : result;
}

CURLMcode carnet_curl_add(struct carnet_curl_loop *loop, CURL *easy) { return curl.multi_add_handle(loop->multi, easy); }

void carnet_curl_remove(struct carnet_curl_loop *loop, CURL *easy) { curl.multi_remove_handle(loop->multi, easy); }

void carnet_curl_run(struct carnet_curl_loop *loop, const struct carnet_curl_event *events, int count) {
    int running;
    for (int i = 0; i < count; i++) {
        curl_socket_t descriptor = events[i].descriptor;
        unsigned char *state = descriptor < 0 ? NULL : socket_state(loop, descriptor);
        if (!state) continue;
        int ready = events[i].ready & *state & WANTED;
        if (ready) {
            curl.multi_socket_action(loop->multi, descriptor, ready, &running);
        } else if (!(*state & WANTED)) {
            // A server has closed a connection that was kept. libcurl notices that before its next request.
            watch(loop, descriptor, state, 0);
        }
    }
    if (loop->due < 0 || loop->due > now()) return;
    // libcurl reports the next time, but not that there is none.
    loop->due = -1;
    curl.multi_socket_action(loop->multi, CURL_SOCKET_TIMEOUT, 0, &running);
}

void *carnet_curl_next(struct carnet_curl_loop *loop, CURLcode *result) {
    int left;
    for (CURLMsg *message; (message = curl.multi_info_read(loop->multi, &left));) {
        void *context = NULL;
        if (message->msg != CURLMSG_DONE) continue;
        *result = message->data.result;
        if (curl.easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, &context) == CURLE_OK) return context;
    }
    return NULL;
}

int64_t carnet_curl_timer(struct carnet_curl_loop *loop) {
    if (loop->due < 0) return -1;
    int64_t left = loop->due - now();
    return left > 0 ? left : 0;
}

int carnet_curl_poller(int *bell) {
    *bell = -1;
#ifdef __linux__
    int poller = epoll_create1(EPOLL_CLOEXEC);
    if (poller < 0) return -1;
    *bell = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    // Edge-triggered, so that nobody has to read it.
    struct epoll_event event = {EPOLLIN | EPOLLET, {.fd = -1}};
    if (*bell >= 0 && epoll_ctl(poller, EPOLL_CTL_ADD, *bell, &event) == 0) return poller;
    int reason = errno;
    if (*bell >= 0) close(*bell);
    close(poller);
    *bell = -1;
    errno = reason;
    return -1;
#else
    int poller = kqueue();
    if (poller < 0) return -1;
    fcntl(poller, F_SETFD, FD_CLOEXEC);
    struct kevent event;
    EV_SET(&event, (uintptr_t)-1, EVFILT_USER, EV_ADD | EV_CLEAR, 0, 0, NULL);
    kevent(poller, &event, 1, NULL, 0, NULL);
    return poller;
#endif
}

int carnet_curl_wait(int poller, struct carnet_curl_event *events, int capacity, int milliseconds) {
#ifdef __linux__
    struct epoll_event ready[capacity];
    int count = epoll_wait(poller, ready, capacity, milliseconds);
    for (int i = 0; i < count; i++) {
        uint32_t what = ready[i].events;
        // libcurl finds the reason of an error when it reads or writes.
        if (what & (EPOLLERR | EPOLLHUP)) what |= EPOLLIN | EPOLLOUT;
        events[i].descriptor = ready[i].data.fd;
        events[i].ready = (what & EPOLLIN ? CURL_CSELECT_IN : 0) | (what & EPOLLOUT ? CURL_CSELECT_OUT : 0);
    }
#else
    struct kevent ready[capacity];
    struct timespec time = {milliseconds / 1000, milliseconds % 1000 * 1000000L};
    int count = kevent(poller, NULL, 0, ready, capacity, &time);
    for (int i = 0; i < count; i++) {
        events[i].descriptor = (int)ready[i].ident;
        events[i].ready = ready[i].filter == EVFILT_WRITE ? CURL_CSELECT_OUT : CURL_CSELECT_IN;
    }
#endif
    return count;
}

void carnet_curl_ring(int poller, int bell) {
#ifdef __linux__
    eventfd_write(bell, 1);
#else
    struct kevent event;
    EV_SET(&event, (uintptr_t)-1, EVFILT_USER, 0, NOTE_TRIGGER, 0, NULL);
    kevent(poller, &event, 1, NULL, 0, NULL);
#endif
}

int carnet_curl_keep(const void *bytes, size_t count) {
#ifdef __linux__
    int file = memfd_create("carnet-certificates", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (file < 0) return -1;
    for (size_t done = 0; done < count;) {
        ssize_t more = write(file, (const char *)bytes + done, count - done);
        if (more <= 0) {
            close(file);
            return -1;
        }
        done += (size_t)more;
    }
    fcntl(file, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE | F_SEAL_SEAL);
    return file;
#else
    return -1;
#endif
}

void carnet_curl_block_signals(void) {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, NULL);
}
