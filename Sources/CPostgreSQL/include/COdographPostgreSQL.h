// The functions of libpq, the client library of PostgreSQL, opened at run time. So a program that uses only SQLite needs
// neither libpq nor its headers. The declarations are those of libpq-fe.h since version 14.

#ifndef ODOGRAPH_POSTGRESQL_H
#define ODOGRAPH_POSTGRESQL_H

typedef struct pg_conn PGconn;
typedef struct pg_result PGresult;
typedef void (*odograph_pq_notice)(void *context, const char *message);

// FUNCTION(result, name, parameters)
#define ODOGRAPH_PQ_FUNCTIONS(FUNCTION) \
    FUNCTION(PGconn *, PQconnectdbParams, (const char *const *keywords, const char *const *values, int expand)) \
    FUNCTION(void, PQfinish, (PGconn *connection)) \
    FUNCTION(int, PQstatus, (const PGconn *connection)) \
    FUNCTION(char *, PQerrorMessage, (const PGconn *connection)) \
    FUNCTION(odograph_pq_notice, PQsetNoticeProcessor, (PGconn *, odograph_pq_notice, void *context)) \
    FUNCTION(PGresult *, PQexec, (PGconn *connection, const char *sql)) \
    FUNCTION(PGresult *, PQprepare, (PGconn *, const char *name, const char *sql, int count, const unsigned *types)) \
    FUNCTION(PGresult *, PQexecPrepared, (PGconn *, const char *name, int count, const char *const *values, \
                                          const int *lengths, const int *formats, int result_format)) \
    FUNCTION(void, PQclear, (PGresult *result)) \
    FUNCTION(int, PQresultStatus, (const PGresult *result)) \
    FUNCTION(char *, PQresultErrorMessage, (const PGresult *result)) \
    FUNCTION(char *, PQresultErrorField, (const PGresult *result, int field)) \
    FUNCTION(char *, PQcmdTuples, (PGresult *result)) \
    FUNCTION(int, PQntuples, (const PGresult *result)) \
    FUNCTION(int, PQnfields, (const PGresult *result)) \
    FUNCTION(char *, PQgetvalue, (const PGresult *result, int row, int column)) \
    FUNCTION(int, PQgetlength, (const PGresult *result, int row, int column)) \
    FUNCTION(int, PQgetisnull, (const PGresult *result, int row, int column))

struct odograph_pq {
#define FUNCTION(result, name, parameters) result(*name) parameters;
    ODOGRAPH_PQ_FUNCTIONS(FUNCTION)
#undef FUNCTION
};

// Fills in the functions. Returns 0 if this machine has no libpq of version 14 or newer.
int odograph_pq_load(struct odograph_pq *functions);

// The values of libpq's enumerations that are used.
enum {
    ODOGRAPH_PQ_CONNECTION_OK = 0,
    ODOGRAPH_PQ_COMMAND_OK = 1,
    ODOGRAPH_PQ_TUPLES_OK = 2,
    // The field of an error with the code of five characters (SQLSTATE).
    ODOGRAPH_PQ_SQLSTATE = 'C',
    // The field of an error with the message without details.
    ODOGRAPH_PQ_MESSAGE = 'M',
};

#endif
