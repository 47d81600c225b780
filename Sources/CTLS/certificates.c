#define _GNU_SOURCE
#include "COdographTLS.h"

#include <dlfcn.h>
#include <pthread.h>
#include <string.h>
#include <time.h>

// FUNCTION(result, name, parameters)
#define FUNCTIONS(FUNCTION) \
    FUNCTION(void *, BIO_new, (const void *)) \
    FUNCTION(const void *, BIO_s_mem, (void)) \
    FUNCTION(void *, BIO_new_mem_buf, (const void *, int)) \
    FUNCTION(int, BIO_read, (void *, void *, int)) \
    FUNCTION(int, BIO_free, (void *)) \
    FUNCTION(void *, EVP_PKEY_CTX_new_id, (int, void *)) \
    FUNCTION(void, EVP_PKEY_CTX_free, (void *)) \
    FUNCTION(int, EVP_PKEY_CTX_ctrl_str, (void *, const char *, const char *)) \
    FUNCTION(int, EVP_PKEY_keygen_init, (void *)) \
    FUNCTION(int, EVP_PKEY_keygen, (void *, void **)) \
    FUNCTION(void, EVP_PKEY_free, (void *)) \
    FUNCTION(const void *, EVP_sha256, (void)) \
    FUNCTION(int, PEM_write_bio_PrivateKey, (void *, void *, const void *, unsigned char *, int, void *, void *)) \
    FUNCTION(void *, PEM_read_bio_PrivateKey, (void *, void *, int (*)(char *, int, int, void *), void *)) \
    FUNCTION(void *, PEM_read_bio_X509, (void *, void *, int (*)(char *, int, int, void *), void *)) \
    FUNCTION(int, PEM_write_bio_X509_REQ, (void *, void *)) \
    FUNCTION(void *, X509_REQ_new, (void)) \
    FUNCTION(void, X509_REQ_free, (void *)) \
    FUNCTION(int, X509_REQ_set_version, (void *, long)) \
    FUNCTION(void *, X509_REQ_get_subject_name, (void *)) \
    FUNCTION(int, X509_NAME_add_entry_by_txt, (void *, const char *, int, const unsigned char *, int, int, int)) \
    FUNCTION(int, X509_REQ_set_pubkey, (void *, void *)) \
    FUNCTION(int, X509_REQ_sign, (void *, void *, const void *)) \
    FUNCTION(void, X509_free, (void *)) \
    FUNCTION(int, PEM_write_bio_X509, (void *, void *)) \
    FUNCTION(void *, X509_get_subject_name, (const void *)) \
    FUNCTION(void *, X509_get_issuer_name, (const void *)) \
    FUNCTION(int, X509_NAME_cmp, (const void *, const void *)) \
    FUNCTION(void *, X509_get0_pubkey, (const void *)) \
    FUNCTION(int, X509_check_private_key, (const void *, const void *)) \
    FUNCTION(int, X509_check_ca, (void *)) \
    FUNCTION(void *, X509_STORE_new, (void)) \
    FUNCTION(void, X509_STORE_free, (void *)) \
    FUNCTION(int, X509_STORE_add_cert, (void *, void *)) \
    FUNCTION(void *, X509_STORE_CTX_new, (void)) \
    FUNCTION(void, X509_STORE_CTX_free, (void *)) \
    FUNCTION(int, X509_STORE_CTX_init, (void *, void *, void *, void *)) \
    FUNCTION(int, X509_STORE_CTX_set_purpose, (void *, int)) \
    FUNCTION(int, X509_verify_cert, (void *)) \
    FUNCTION(int, X509_STORE_CTX_get_error, (void *)) \
    FUNCTION(const char *, X509_verify_cert_error_string, (long)) \
    FUNCTION(const void *, X509_get0_notAfter, (const void *)) \
    FUNCTION(int, ASN1_TIME_to_tm, (const void *, struct tm *)) \
    FUNCTION(int, OPENSSL_sk_num, (const void *)) \
    FUNCTION(void *, OPENSSL_sk_value, (const void *, int)) \
    FUNCTION(void *, SSL_get0_verified_chain, (const void *)) \
    FUNCTION(void, ERR_clear_error, (void))

static struct {
#define FUNCTION(result, name, parameters) result(*name) parameters;
    FUNCTIONS(FUNCTION)
#undef FUNCTION
} tls;

enum { EVP_PKEY_EC = 408, MBSTRING_UTF8 = 0x1000, X509_PURPOSE_SSL_CLIENT = 1 };

static int is_complete;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void find_functions(void) {
    int missing = 0;
#define FUNCTION(result, name, parameters) \
    *(void **)&tls.name = dlsym(RTLD_DEFAULT, #name); \
    if (tls.name == NULL) missing++;
    FUNCTIONS(FUNCTION)
#undef FUNCTION
    is_complete = missing == 0;
}

static int is_available(void) {
    pthread_once(&once, find_functions);
    return is_complete;
}

// OpenSSL would ask for a passphrase on the terminal.
static int no_passphrase(char *buffer, int size, int writing, void *context) {
    (void)buffer, (void)size, (void)writing, (void)context;
    return -1;
}

// Copies what was written, and frees the buffer. Returns 0 if there is no room for all.
static size_t take(void *buffer, char *text, size_t room) {
    int count = buffer == NULL ? 0 : tls.BIO_read(buffer, text, (int)room);
    if (buffer != NULL) tls.BIO_free(buffer);
    // An error that stays would be reported as one of the next TLS connection of this thread.
    tls.ERR_clear_error();
    return count <= 0 || (size_t)count == room ? 0 : (size_t)count;
}

size_t odograph_tls_make_key(char *key, size_t room) {
    if (!is_available()) return 0;
    void *context = tls.EVP_PKEY_CTX_new_id(EVP_PKEY_EC, NULL), *made = NULL, *buffer = tls.BIO_new(tls.BIO_s_mem());
    int is_written = context != NULL && buffer != NULL && tls.EVP_PKEY_keygen_init(context) == 1 &&
                     tls.EVP_PKEY_CTX_ctrl_str(context, "ec_paramgen_curve", "P-256") == 1 &&
                     tls.EVP_PKEY_CTX_ctrl_str(context, "ec_param_enc", "named_curve") == 1 &&
                     tls.EVP_PKEY_keygen(context, &made) == 1 &&
                     tls.PEM_write_bio_PrivateKey(buffer, made, NULL, NULL, 0, NULL, NULL) == 1;
    if (made != NULL) tls.EVP_PKEY_free(made);
    if (context != NULL) tls.EVP_PKEY_CTX_free(context);
    size_t count = take(buffer, key, room);
    return is_written ? count : 0;
}

size_t odograph_tls_make_request(const char *key, size_t key_bytes, const char *name, char *request, size_t room) {
    if (!is_available()) return 0;
    void *source = tls.BIO_new_mem_buf(key, (int)key_bytes);
    void *private = source == NULL ? NULL : tls.PEM_read_bio_PrivateKey(source, NULL, no_passphrase, NULL);
    void *made = tls.X509_REQ_new(), *buffer = tls.BIO_new(tls.BIO_s_mem());
    int is_written =
        private != NULL && made != NULL && buffer != NULL && tls.X509_REQ_set_version(made, 0) == 1 &&
        tls.X509_NAME_add_entry_by_txt(tls.X509_REQ_get_subject_name(made), "CN", MBSTRING_UTF8,
                                       (const unsigned char *)name, -1, -1, 0) == 1 &&
        tls.X509_REQ_set_pubkey(made, private) == 1 && tls.X509_REQ_sign(made, private, tls.EVP_sha256()) > 0 &&
        tls.PEM_write_bio_X509_REQ(buffer, made) == 1;
    if (made != NULL) tls.X509_REQ_free(made);
    if (private != NULL) tls.EVP_PKEY_free(private);
    if (source != NULL) tls.BIO_free(source);
    size_t count = take(buffer, request, room);
    return is_written ? count : 0;
}

// Adds all certificates of a PEM text to a store.
static void add_authorities(void *store, const char *authorities, size_t authority_bytes) {
    void *source = tls.BIO_new_mem_buf(authorities, (int)authority_bytes), *authority;
    if (source == NULL) return;
    while ((authority = tls.PEM_read_bio_X509(source, NULL, no_passphrase, NULL)) != NULL) {
        tls.X509_STORE_add_cert(store, authority);
        tls.X509_free(authority);
    }
    tls.BIO_free(source);
}

const char *odograph_tls_check(const char *certificate, size_t certificate_bytes, const char *authorities,
                               size_t authority_bytes) {
    if (!is_available()) return "this process has no OpenSSL";
    void *source = tls.BIO_new_mem_buf(certificate, (int)certificate_bytes);
    void *client = source == NULL ? NULL : tls.PEM_read_bio_X509(source, NULL, no_passphrase, NULL);
    void *store = tls.X509_STORE_new(), *context = tls.X509_STORE_CTX_new();
    const char *reason = client == NULL ? "it is no certificate" : "the check cannot be made";
    if (client != NULL && store != NULL && context != NULL) {
        add_authorities(store, authorities, authority_bytes);
        if (tls.X509_STORE_CTX_init(context, store, client, NULL) == 1 &&
            tls.X509_STORE_CTX_set_purpose(context, X509_PURPOSE_SSL_CLIENT) == 1) {
            reason = tls.X509_verify_cert(context) == 1
                         ? NULL
                         : tls.X509_verify_cert_error_string(tls.X509_STORE_CTX_get_error(context));
        }
    }
    if (context != NULL) tls.X509_STORE_CTX_free(context);
    if (store != NULL) tls.X509_STORE_free(store);
    if (client != NULL) tls.X509_free(client);
    if (source != NULL) tls.BIO_free(source);
    tls.ERR_clear_error();
    return reason;
}

enum { LONGEST_LIST = 16 };

// Reads the certificates of a PEM text. Returns their number.
static int read_list(const char *text, size_t bytes, void *list[LONGEST_LIST]) {
    void *source = tls.BIO_new_mem_buf(text, (int)bytes);
    int count = 0;
    while (source != NULL && count < LONGEST_LIST &&
           (list[count] = tls.PEM_read_bio_X509(source, NULL, no_passphrase, NULL)) != NULL)
        count++;
    if (source != NULL) tls.BIO_free(source);
    return count;
}

static int is_signed_by_itself(const void *certificate) {
    return tls.X509_NAME_cmp(tls.X509_get_subject_name(certificate), tls.X509_get_issuer_name(certificate)) == 0;
}

static int is_trusted(void *certificate, void *store) {
    void *context = tls.X509_STORE_CTX_new();
    int is_good = context != NULL && tls.X509_STORE_CTX_init(context, store, certificate, NULL) == 1 &&
                  tls.X509_verify_cert(context) == 1;
    if (context != NULL) tls.X509_STORE_CTX_free(context);
    return is_good;
}

// Whether a certificate of the list says the same of the authority as the authority itself, and is trusted.
static int is_introduced(void *authority, void *list[LONGEST_LIST], int count, void *store) {
    for (int index = 0; index < count; index++) {
        void *other = list[index];
        if (is_signed_by_itself(other) || tls.X509_check_ca(other) != 1) continue;
        if (tls.X509_NAME_cmp(tls.X509_get_subject_name(other), tls.X509_get_subject_name(authority)) != 0) continue;
        // The function compares the public part of a key.
        if (tls.X509_check_private_key(other, tls.X509_get0_pubkey(authority)) != 1) continue;
        if (is_trusted(other, store)) return 1;
    }
    return 0;
}

size_t odograph_tls_introduced(const char *certificates, size_t certificate_bytes, const char *trusted,
                               size_t trusted_bytes, char *authorities, size_t room) {
    if (!is_available()) return 0;
    void *list[LONGEST_LIST], *store = tls.X509_STORE_new(), *buffer = tls.BIO_new(tls.BIO_s_mem());
    int count = read_list(certificates, certificate_bytes, list), found = 0;
    if (store != NULL && buffer != NULL) {
        add_authorities(store, trusted, trusted_bytes);
        for (int index = 0; index < count; index++) {
            if (!is_signed_by_itself(list[index]) || tls.X509_check_ca(list[index]) != 1) continue;
            if (is_introduced(list[index], list, count, store)) found += tls.PEM_write_bio_X509(buffer, list[index]);
        }
    }
    for (int index = 0; index < count; index++) tls.X509_free(list[index]);
    if (store != NULL) tls.X509_STORE_free(store);
    size_t bytes = take(buffer, authorities, room);
    return found > 0 ? bytes : 0;
}

static int64_t end_of(const void *certificate) {
    struct tm calendar;
    memset(&calendar, 0, sizeof calendar);
    if (certificate == NULL || tls.ASN1_TIME_to_tm(tls.X509_get0_notAfter(certificate), &calendar) != 1) return 0;
    return (int64_t)timegm(&calendar);
}

struct odograph_tls_ends odograph_tls_read_ends(void *connection) {
    struct odograph_tls_ends ends = {0, 0};
    if (connection == NULL || !is_available()) return ends;
    // The server's certificate is the first one of the chain that was checked, the trusted authority the last one.
    void *chain = tls.SSL_get0_verified_chain(connection);
    int count = chain == NULL ? 0 : tls.OPENSSL_sk_num(chain);
    if (count > 0) ends.server = end_of(tls.OPENSSL_sk_value(chain, 0));
    if (count > 1) ends.authority = end_of(tls.OPENSSL_sk_value(chain, count - 1));
    tls.ERR_clear_error();
    return ends;
}
