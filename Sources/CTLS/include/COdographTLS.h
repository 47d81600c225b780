// Keys, requests and checks of certificates, by the OpenSSL that libmosquitto has loaded. So the build needs no headers of
// OpenSSL, and the process has one OpenSSL only. The declarations are the same in OpenSSL 1.1.1 to 3.

#ifndef ODOGRAPH_TLS_H
#define ODOGRAPH_TLS_H

#include <stddef.h>
#include <stdint.h>

// Creates a private key on the curve P-256, PEM. Returns its bytes; 0 if there is no OpenSSL, or no room.
size_t odograph_tls_make_key(char *key, size_t room);

// Creates a request for a certificate (PKCS#10), PEM, with a common name and signed with a key, PEM. Returns its bytes; 0
// if the key cannot be used, or there is no OpenSSL, or no room.
size_t odograph_tls_make_request(const char *key, size_t key_bytes, const char *name, char *request, size_t room);

// Checks that one of the authorities, PEM, has signed the first certificate, PEM, for a client, and that it is valid now.
// Returns null if that is so, else the reason: a text that stays valid.
const char *odograph_tls_check(const char *certificate, size_t certificate_bytes, const char *authorities,
                               size_t authority_bytes);

// Finds the authorities in a text of certificates, PEM, that a trusted authority, PEM, introduces: for each of them the
// text has a second certificate with the same name and key, which a trusted authority has signed. Writes the authorities,
// PEM. Returns their bytes; 0 if there is none, or no OpenSSL, or no room.
size_t odograph_tls_introduced(const char *certificates, size_t certificate_bytes, const char *trusted,
                               size_t trusted_bytes, char *authorities, size_t room);

// The last second of the validity of the certificates of a connection, since 1970-01-01T00:00:00Z; 0 if it is unknown.
struct odograph_tls_ends {
    int64_t server;
    int64_t authority;
};

// Reads the server's certificate of a TLS connection, and the authority that the check of it has led to. The connection
// is an SSL *, after its handshake.
struct odograph_tls_ends odograph_tls_read_ends(void *connection);

#endif
