#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "COdographCurl.h"

typedef void CURL;
struct curl_slist;

// FUNCTION(result, name, parameters)
#define FUNCTIONS(FUNCTION) \
    FUNCTION(int, curl_global_init, (long flags)) \
    FUNCTION(CURL *, curl_easy_init, (void)) \
    FUNCTION(void, curl_easy_cleanup, (CURL *)) \
    FUNCTION(void, curl_easy_reset, (CURL *)) \
    FUNCTION(int, curl_easy_setopt, (CURL *, int option, ...)) \
    FUNCTION(int, curl_easy_perform, (CURL *)) \
    FUNCTION(int, curl_easy_getinfo, (CURL *, int information, ...)) \
    FUNCTION(const char *, curl_easy_strerror, (int code)) \
    FUNCTION(struct curl_slist *, curl_slist_append, (struct curl_slist *, const char *)) \
    FUNCTION(void, curl_slist_free_all, (struct curl_slist *))

static struct {
#define FUNCTION(result, name, parameters) result(*name) parameters;
    FUNCTIONS(FUNCTION)
#undef FUNCTION
} curl;

enum {
    CURL_GLOBAL_ALL = 3,
    CURLE_OK = 0,
    CURLE_WRITE_ERROR = 23,
    CURLE_LOGIN_DENIED = 67,
    CURLINFO_RESPONSE_CODE = 0x200000 + 2,
    CURLOPT_WRITEDATA = 10001,
    CURLOPT_URL = 10002,
    CURLOPT_READDATA = 10009,
    CURLOPT_ERRORBUFFER = 10010,
    CURLOPT_WRITEFUNCTION = 20011,
    CURLOPT_READFUNCTION = 20012,
    CURLOPT_INFILESIZE = 14,
    CURLOPT_POSTFIELDS = 10015,
    CURLOPT_HTTPHEADER = 10023,
    CURLOPT_SSLVERSION = 32,
    CURLOPT_UPLOAD = 46,
    CURLOPT_POST = 47,
    CURLOPT_FOLLOWLOCATION = 52,
    CURLOPT_POSTFIELDSIZE = 60,
    CURLOPT_SSL_VERIFYPEER = 64,
    CURLOPT_CAINFO = 10065,
    CURLOPT_SSL_VERIFYHOST = 81,
    CURLOPT_HTTP_VERSION = 84,
    CURLOPT_NOSIGNAL = 99,
    CURLOPT_USE_SSL = 119,
    CURLOPT_TIMEOUT_MS = 155,
    CURLOPT_CONNECTTIMEOUT_MS = 156,
    CURLOPT_USERNAME = 10173,
    CURLOPT_PASSWORD = 10174,
    CURLOPT_NOPROXY = 10177,
    CURLOPT_PROTOCOLS = 181,
    CURLOPT_MAIL_FROM = 10186,
    CURLOPT_MAIL_RCPT = 10187,
    CURLUSESSL_NONE = 0,
    CURLUSESSL_ALL = 3,
    CURL_HTTP_VERSION_1_1 = 2,
    CURL_SSLVERSION_TLSv1_2 = 6,
    CURLPROTO_HTTP_HTTPS = 1 | 2,
    CURLPROTO_SMTP_SMTPS = 1 << 16 | 1 << 17,
};

struct odograph_http {
    CURL *handle;
};

static pthread_once_t once = PTHREAD_ONCE_INIT;
static int is_loaded;

static void load(void) {
    // Debian has two builds: with OpenSSL (libcurl4) and with GnuTLS (libcurl3-gnutls).
    void *library = dlopen("libcurl.so.4", RTLD_NOW | RTLD_LOCAL);
    if (!library) library = dlopen("libcurl-gnutls.so.4", RTLD_NOW | RTLD_LOCAL);
    if (!library) return;
    // POSIX requires that a pointer to a function fits into a pointer to an object.
#define FUNCTION(result, name, parameters) \
    *(void **)&curl.name = dlsym(library, #name); \
    if (!curl.name) return;
    FUNCTIONS(FUNCTION)
#undef FUNCTION
    is_loaded = curl.curl_global_init(CURL_GLOBAL_ALL) == CURLE_OK;
}

struct odograph_http *odograph_http_open(void) {
    pthread_once(&once, load);
    if (!is_loaded) return NULL;
    struct odograph_http *client = malloc(sizeof *client);
    if (!client) return NULL;
    client->handle = curl.curl_easy_init();
    if (client->handle) return client;
    free(client);
    return NULL;
}

void odograph_http_close(struct odograph_http *client) {
    curl.curl_easy_cleanup(client->handle);
    free(client);
}

// Sets what all requests have in common.
static void begin(
    CURL *handle, const char *url, long protocols, long connect_milliseconds, long total_milliseconds,
    const char *ca_file, char *reason) {
    curl.curl_easy_reset(handle);
    curl.curl_easy_setopt(handle, CURLOPT_ERRORBUFFER, reason);
    curl.curl_easy_setopt(handle, CURLOPT_URL, url);
    curl.curl_easy_setopt(handle, CURLOPT_PROTOCOLS, protocols);
    curl.curl_easy_setopt(handle, CURLOPT_NOSIGNAL, 1L);
    curl.curl_easy_setopt(handle, CURLOPT_CONNECTTIMEOUT_MS, connect_milliseconds);
    curl.curl_easy_setopt(handle, CURLOPT_TIMEOUT_MS, total_milliseconds);
    curl.curl_easy_setopt(handle, CURLOPT_SSLVERSION, (long)CURL_SSLVERSION_TLSv1_2);
    curl.curl_easy_setopt(handle, CURLOPT_SSL_VERIFYPEER, 1L);
    curl.curl_easy_setopt(handle, CURLOPT_SSL_VERIFYHOST, 2L);
    if (ca_file) curl.curl_easy_setopt(handle, CURLOPT_CAINFO, ca_file);
}

// Counts the bytes of the answer. More than the limit ends the transfer.
static size_t receive(char *bytes, size_t size, size_t count, void *rest) {
    (void)bytes;
    long *left = rest;
    *left -= (long)(size * count);
    return *left < 0 ? 0 : size * count;
}

void odograph_http_post(
    struct odograph_http *client, const struct odograph_http_request *request, struct odograph_http_answer *answer) {
    CURL *handle = client->handle;
    memset(answer, 0, sizeof *answer);
    begin(
        handle, request->url, CURLPROTO_HTTP_HTTPS, request->connect_milliseconds, request->total_milliseconds,
        request->ca_file, answer->reason);
    // Without it curl waits a second for a server's consent to a large body.
    struct curl_slist *headers = curl.curl_slist_append(NULL, "Expect:");
    for (const char *const *line = request->headers; *line; line++) {
        struct curl_slist *longer = curl.curl_slist_append(headers, *line);
        if (longer) headers = longer;
    }
    long left = request->answer_bytes;
    curl.curl_easy_setopt(handle, CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_1_1);
    curl.curl_easy_setopt(handle, CURLOPT_FOLLOWLOCATION, 0L);
    // The option replaces the list of the environment.
    const char *no_proxy = getenv("no_proxy");
    if (!no_proxy) no_proxy = getenv("NO_PROXY");
    char direct[4096];
    int length = snprintf(direct, sizeof direct, "localhost,127.0.0.1,::1%s%s", no_proxy ? "," : "", no_proxy ? no_proxy : "");
    // A list that does not fit is passed on as it is.
    curl.curl_easy_setopt(handle, CURLOPT_NOPROXY, length < (int)sizeof direct ? direct : no_proxy);
    curl.curl_easy_setopt(handle, CURLOPT_HTTPHEADER, headers);
    curl.curl_easy_setopt(handle, CURLOPT_POST, 1L);
    curl.curl_easy_setopt(handle, CURLOPT_POSTFIELDS, request->body);
    curl.curl_easy_setopt(handle, CURLOPT_POSTFIELDSIZE, request->body_bytes);
    curl.curl_easy_setopt(handle, CURLOPT_WRITEFUNCTION, receive);
    curl.curl_easy_setopt(handle, CURLOPT_WRITEDATA, &left);
    int code = curl.curl_easy_perform(handle);
    // With the head of the response the status is known. It does not matter whether the body is long, cut or never
    // ends.
    curl.curl_easy_getinfo(handle, CURLINFO_RESPONSE_CODE, &answer->status);
    // Below 200 it is not the last one.
    if (answer->status < 200) answer->status = 0;
    if (answer->status) answer->reason[0] = 0;
    else if (!answer->reason[0]) snprintf(answer->reason, sizeof answer->reason, "%s", curl.curl_easy_strerror(code));
    curl.curl_easy_setopt(handle, CURLOPT_ERRORBUFFER, NULL);
    curl.curl_slist_free_all(headers);
}

struct unsent {
    const char *bytes;
    size_t count;
};

static size_t give(char *buffer, size_t size, size_t count, void *source) {
    struct unsent *rest = source;
    size_t given = size * count < rest->count ? size * count : rest->count;
    memcpy(buffer, rest->bytes, given);
    rest->bytes += given;
    rest->count -= given;
    return given;
}

void odograph_mail_send(
    struct odograph_http *client, const struct odograph_mail *mail, struct odograph_mail_answer *answer) {
    CURL *handle = client->handle;
    memset(answer, 0, sizeof *answer);
    begin(
        handle, mail->url, CURLPROTO_SMTP_SMTPS, mail->connect_milliseconds, mail->total_milliseconds, mail->ca_file,
        answer->reason);
    struct curl_slist *recipients = curl.curl_slist_append(NULL, mail->recipient);
    struct unsent rest = {mail->message, (size_t)mail->message_bytes};
    long left = mail->answer_bytes;
    // Mail goes to the server directly: a proxy for the web does not take it.
    curl.curl_easy_setopt(handle, CURLOPT_NOPROXY, "*");
    curl.curl_easy_setopt(handle, CURLOPT_USE_SSL, (long)(mail->is_plain ? CURLUSESSL_NONE : CURLUSESSL_ALL));
    if (mail->user) curl.curl_easy_setopt(handle, CURLOPT_USERNAME, mail->user);
    if (mail->password) curl.curl_easy_setopt(handle, CURLOPT_PASSWORD, mail->password);
    curl.curl_easy_setopt(handle, CURLOPT_MAIL_FROM, mail->sender);
    curl.curl_easy_setopt(handle, CURLOPT_MAIL_RCPT, recipients);
    curl.curl_easy_setopt(handle, CURLOPT_UPLOAD, 1L);
    curl.curl_easy_setopt(handle, CURLOPT_INFILESIZE, mail->message_bytes);
    curl.curl_easy_setopt(handle, CURLOPT_READFUNCTION, give);
    curl.curl_easy_setopt(handle, CURLOPT_READDATA, &rest);
    curl.curl_easy_setopt(handle, CURLOPT_WRITEFUNCTION, receive);
    curl.curl_easy_setopt(handle, CURLOPT_WRITEDATA, &left);
    int code = recipients ? curl.curl_easy_perform(handle) : -1;
    answer->is_sent = code == CURLE_OK;
    answer->is_login_refused = code == CURLE_LOGIN_DENIED;
    curl.curl_easy_getinfo(handle, CURLINFO_RESPONSE_CODE, &answer->status);
    if (answer->is_sent) answer->reason[0] = 0;
    else if (!recipients) snprintf(answer->reason, sizeof answer->reason, "no memory");
    else if (!answer->reason[0]) snprintf(answer->reason, sizeof answer->reason, "%s", curl.curl_easy_strerror(code));
    curl.curl_easy_setopt(handle, CURLOPT_ERRORBUFFER, NULL);
    curl.curl_slist_free_all(recipients);
}
