#define _GNU_SOURCE
#include "CLibCurl.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#ifdef __linux__
#include <sys/mman.h>
#endif
#include <sys/socket.h>
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
    struct curl_slist *(*slist_append)(struct curl_slist *, const char *);
    void (*slist_free_all)(struct curl_slist *);
    CURLM *(*multi_init)(void);
    CURLMcode (*multi_cleanup)(CURLM *);
    CURLMcode (*multi_setopt)(CURLM *, CURLMoption, ...);
    CURLMcode (*multi_add_handle)(CURLM *, CURL *);
    CURLMcode (*multi_remove_handle)(CURLM *, CURL *);
    CURLMcode (*multi_perform)(CURLM *, int *);
    CURLMcode (*multi_poll)(CURLM *, struct curl_waitfd *, unsigned int, int, int *);
    CURLMsg *(*multi_info_read)(CURLM *, int *);
} curl;

static pthread_once_t once = PTHREAD_ONCE_INIT;
static int is_loaded = 0;

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
        {"curl_slist_append", &curl.slist_append},
        {"curl_slist_free_all", &curl.slist_free_all},
        {"curl_multi_init", &curl.multi_init},
        {"curl_multi_cleanup", &curl.multi_cleanup},
        {"curl_multi_setopt", &curl.multi_setopt},
        {"curl_multi_add_handle", &curl.multi_add_handle},
        {"curl_multi_remove_handle", &curl.multi_remove_handle},
        {"curl_multi_perform", &curl.multi_perform},
        {"curl_multi_poll", &curl.multi_poll},
        {"curl_multi_info_read", &curl.multi_info_read},
    };
    for (size_t i = 0; i < sizeof symbols / sizeof *symbols; i++) {
        void *symbol = dlsym(library, symbols[i].name);
        if (!symbol) return;
        *(void **)symbols[i].place = symbol;
    }
    if (curl.version_info(CURLVERSION_NOW)->version_num < 0x075000) return;
    is_loaded = curl.global_init(CURL_GLOBAL_DEFAULT) == CURLE_OK;
}

int carnet_curl_load(void) {
    pthread_once(&once, load);
    return is_loaded;
}

const char *carnet_curl_authorities(void) {
    return curl.version_info(CURLVERSION_NOW)->cainfo;
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
    return curl.easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https");
#else
    return curl.easy_setopt(easy, CURLOPT_PROTOCOLS, (long)(CURLPROTO_HTTP | CURLPROTO_HTTPS));
#endif
}

long carnet_curl_number(CURL *easy, CURLINFO information) {
    long value = 0;
    return curl.easy_getinfo(easy, information, &value) == CURLE_OK ? value : 0;
}

struct curl_slist *carnet_curl_append(struct curl_slist *list, const char *text) {
    return curl.slist_append(list, text);
}

void carnet_curl_end_list(struct curl_slist *list) { curl.slist_free_all(list); }

const void *carnet_curl_address(const struct curl_sockaddr *address) { return &address->addr; }

curl_socket_t carnet_curl_open(const struct curl_sockaddr *address) {
#ifdef SOCK_CLOEXEC
    return socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
#else
    int descriptor = socket(address->family, address->socktype, address->protocol);
    if (descriptor >= 0) fcntl(descriptor, F_SETFD, FD_CLOEXEC);
    return descriptor;
#endif
}

CURLM *carnet_curl_multi(void) {
    CURLM *multi = curl.multi_init();
    if (multi) curl.multi_setopt(multi, CURLMOPT_PIPELINING, CURLPIPE_NOTHING);
    return multi;
}

void carnet_curl_end_multi(CURLM *multi) { curl.multi_cleanup(multi); }

CURLMcode carnet_curl_add(CURLM *multi, CURL *easy) { return curl.multi_add_handle(multi, easy); }

void carnet_curl_remove(CURLM *multi, CURL *easy) { curl.multi_remove_handle(multi, easy); }

void carnet_curl_perform(CURLM *multi) {
    int running;
    curl.multi_perform(multi, &running);
}

CURL *carnet_curl_next(CURLM *multi, CURLcode *result) {
    int left;
    for (CURLMsg *message; (message = curl.multi_info_read(multi, &left));) {
        if (message->msg != CURLMSG_DONE) continue;
        *result = message->data.result;
        return message->easy_handle;
    }
    return NULL;
}

int carnet_curl_wait(CURLM *multi, int alarm, int milliseconds) {
    struct curl_waitfd wait = {alarm, CURL_WAIT_POLLIN, 0};
    curl.multi_poll(multi, &wait, 1, milliseconds, NULL);
    return wait.revents != 0;
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

int carnet_curl_pipe(int ends[2]) {
    if (pipe(ends) != 0) return -1;
    for (int i = 0; i < 2; i++) {
        fcntl(ends[i], F_SETFD, FD_CLOEXEC);
        fcntl(ends[i], F_SETFL, O_NONBLOCK);
    }
    return 0;
}

void carnet_curl_block_signals(void) {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, NULL);
}
