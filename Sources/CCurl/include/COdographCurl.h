// A POST over HTTP and an e-mail over SMTP by libcurl, opened at run time. So a program that sends nothing needs neither libcurl nor its headers.
// Values and declarations are those of curl/curl.h, which are the same since version 7.32 (2013).

#ifndef ODOGRAPH_CURL_H
#define ODOGRAPH_CURL_H

// A client that keeps its connection for the next request. One thread at a time may use it.
struct odograph_http;

struct odograph_http_request {
    const char *url;
    // The authorities that may have signed the server's certificate, PEM. Null for those of the system.
    const char *ca_file;
    // Lines such as "Content-Type: application/json", then a null pointer.
    const char *const *headers;
    const char *body;
    long body_bytes;
    // The time until there is a connection, and until the end of the answer, milliseconds.
    long connect_milliseconds;
    long total_milliseconds;
    // The part of the answer's body that is received, bytes. It is not kept.
    long answer_bytes;
};

struct odograph_http_answer {
    // The status of the answer; 0 if there is none.
    long status;
    // The reason if there is no answer; empty otherwise.
    char reason[256];
};

// Returns a client. Null if this machine has no libcurl.
struct odograph_http *odograph_http_open(void);
void odograph_http_close(struct odograph_http *client);
void odograph_http_post(struct odograph_http *, const struct odograph_http_request *, struct odograph_http_answer *);

struct odograph_mail {
    // smtp://host:port or smtps://host:port.
    const char *url;
    // As in odograph_http_request.
    const char *ca_file;
    // Whether smtp:// goes without encryption. Otherwise the server must offer STARTTLS.
    int is_plain;
    // The login; null for none.
    const char *user;
    const char *password;
    // Addresses such as a@b.example.
    const char *sender;
    const char *recipient;
    // Headers and body with the line end CR LF.
    const char *message;
    long message_bytes;
    long connect_milliseconds;
    long total_milliseconds;
    // The part of the server's answers that is received, bytes. It is not kept.
    long answer_bytes;
};

struct odograph_mail_answer {
    // Whether the server has taken the mail.
    int is_sent;
    // Whether the server has refused the login.
    int is_login_refused;
    // The last status of the server; 0 if there is none.
    long status;
    // The reason if the mail is not sent; empty otherwise.
    char reason[256];
};

// Sends a mail to one recipient. The client keeps its connection for the next one.
void odograph_mail_send(struct odograph_http *, const struct odograph_mail *, struct odograph_mail_answer *);

#endif
