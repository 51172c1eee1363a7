// The system's libcurl with the number of an older version, and without the options that are newer than this version.
#define CURL_DISABLE_TYPECHECK
#define CURL_DISABLE_DEPRECATION
#include <curl/curl.h>
#include <dlfcn.h>
#include <stdarg.h>

static void *real(const char *name) {
    static void *library = NULL;
    if (!library) library = dlopen(LIBCURL, RTLD_NOW | RTLD_LOCAL);
    return dlsym(library, name);
}

#define FORWARD(type, name, parameters, ...) \
    type name parameters { return ((type(*) parameters)real(#name))(__VA_ARGS__); }

FORWARD(CURLcode, curl_global_init, (long flags), flags)
FORWARD(CURL *, curl_easy_init, (void))
FORWARD(CURLM *, curl_multi_init, (void))
FORWARD(CURLMcode, curl_multi_cleanup, (CURLM *multi), multi)
FORWARD(CURLMcode, curl_multi_add_handle, (CURLM *multi, CURL *easy), multi, easy)
FORWARD(CURLMcode, curl_multi_remove_handle, (CURLM *multi, CURL *easy), multi, easy)
FORWARD(CURLMcode, curl_multi_socket_action, (CURLM *multi, curl_socket_t one, int what, int *left), multi, one, what, left)
FORWARD(CURLMsg *, curl_multi_info_read, (CURLM *multi, int *left), multi, left)

void curl_easy_cleanup(CURL *easy) { ((void (*)(CURL *))real("curl_easy_cleanup"))(easy); }

curl_version_info_data *curl_version_info(CURLversion age) {
    static curl_version_info_data data;
    data = *((curl_version_info_data * (*)(CURLversion)) real("curl_version_info"))(age);
    data.version = VERSION;
    data.version_num = VERSION_NUMBER;
    return &data;
}

CURLcode curl_easy_setopt(CURL *easy, CURLoption option, ...) {
    va_list rest;
    va_start(rest, option);
    void *value = va_arg(rest, void *);
    va_end(rest);
    int is_newer = option == CURLOPT_PROTOCOLS_STR ? VERSION_NUMBER < 0x075500
                   : option == CURLOPT_QUICK_EXIT  ? VERSION_NUMBER < 0x075700
                                                   : 0;
    if (is_newer) return CURLE_UNKNOWN_OPTION;
    return ((CURLcode(*)(CURL *, CURLoption, ...))real("curl_easy_setopt"))(easy, option, value);
}

CURLMcode curl_multi_setopt(CURLM *multi, CURLMoption option, ...) {
    va_list rest;
    va_start(rest, option);
    void *value = va_arg(rest, void *);
    va_end(rest);
    return ((CURLMcode(*)(CURLM *, CURLMoption, ...))real("curl_multi_setopt"))(multi, option, value);
}

CURLcode curl_easy_getinfo(CURL *easy, CURLINFO information, ...) {
    va_list rest;
    va_start(rest, information);
    void *value = va_arg(rest, void *);
    va_end(rest);
    return ((CURLcode(*)(CURL *, CURLINFO, ...))real("curl_easy_getinfo"))(easy, information, value);
}
