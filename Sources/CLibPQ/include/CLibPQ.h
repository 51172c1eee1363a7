#ifndef CARNET_CLIBPQ_H
#define CARNET_CLIBPQ_H

// The part of libpq's interface that Carnet uses, as libpq-fe.h has declared it since version 8. The library is loaded when
// a program first connects, so a program with this module also starts on systems without libpq.

#include <stddef.h>

#define CARNET_PQ __attribute__((visibility("hidden")))

typedef struct pg_conn PGconn;
typedef struct pg_result PGresult;
typedef struct _PQconninfoOption PQconninfoOption;
typedef void (*PQnoticeReceiver)(void *arg, const PGresult *res);

typedef enum { CONNECTION_OK, CONNECTION_BAD } ConnStatusType;
typedef enum {
    PGRES_POLLING_FAILED, PGRES_POLLING_READING, PGRES_POLLING_WRITING, PGRES_POLLING_OK
} PostgresPollingStatusType;
typedef enum { PGRES_EMPTY_QUERY, PGRES_COMMAND_OK, PGRES_TUPLES_OK } ExecStatusType;
typedef enum { PQTRANS_IDLE, PQTRANS_ACTIVE } PGTransactionStatusType;
typedef enum { PQERRORS_TERSE, PQERRORS_DEFAULT, PQERRORS_VERBOSE } PGVerbosity;

/// Loads the library. Call it before any other function.
/// Returns 0 if the system has no libpq, or one without a function of this file.
CARNET_PQ int carnet_pq_load(void);

CARNET_PQ PGconn *PQconnectStartParams(const char *const *keywords, const char *const *values, int expand_dbname);
CARNET_PQ PostgresPollingStatusType PQconnectPoll(PGconn *conn);
CARNET_PQ void PQfinish(PGconn *conn);
CARNET_PQ PQconninfoOption *PQconninfoParse(const char *conninfo, char **errmsg);
CARNET_PQ void PQconninfoFree(PQconninfoOption *connOptions);
CARNET_PQ ConnStatusType PQstatus(const PGconn *conn);
CARNET_PQ PGTransactionStatusType PQtransactionStatus(const PGconn *conn);
CARNET_PQ char *PQerrorMessage(const PGconn *conn);
CARNET_PQ int PQsocket(const PGconn *conn);
CARNET_PQ PGVerbosity PQsetErrorVerbosity(PGconn *conn, PGVerbosity verbosity);
CARNET_PQ PQnoticeReceiver PQsetNoticeReceiver(PGconn *conn, PQnoticeReceiver proc, void *arg);
CARNET_PQ int PQsetnonblocking(PGconn *conn, int arg);
CARNET_PQ int PQsendQueryParams(
    PGconn *conn, const char *command, int nParams, const unsigned int *paramTypes, const char *const *paramValues,
    const int *paramLengths, const int *paramFormats, int resultFormat);
CARNET_PQ int PQflush(PGconn *conn);
CARNET_PQ int PQconsumeInput(PGconn *conn);
CARNET_PQ int PQisBusy(PGconn *conn);
CARNET_PQ PGresult *PQgetResult(PGconn *conn);
CARNET_PQ ExecStatusType PQresultStatus(const PGresult *res);
CARNET_PQ char *PQresultErrorMessage(const PGresult *res);
CARNET_PQ char *PQresultErrorField(const PGresult *res, int fieldcode);
CARNET_PQ int PQntuples(const PGresult *res);
CARNET_PQ int PQnfields(const PGresult *res);
CARNET_PQ int PQgetisnull(const PGresult *res, int tup_num, int field_num);
CARNET_PQ int PQgetlength(const PGresult *res, int tup_num, int field_num);
CARNET_PQ char *PQgetvalue(const PGresult *res, int tup_num, int field_num);
CARNET_PQ char *PQcmdTuples(PGresult *res);
CARNET_PQ void PQclear(PGresult *res);

#endif
