#include "CLibPQ.h"

#include <dlfcn.h>
#include <pthread.h>

// The functions have the names of the library's own, and are hidden: a program that exports its symbols would otherwise put
// them in the place of those that the library calls itself.

static struct {
    __typeof__(PQconnectStartParams) *PQconnectStartParams;
    __typeof__(PQconnectPoll) *PQconnectPoll;
    __typeof__(PQfinish) *PQfinish;
    __typeof__(PQconninfoParse) *PQconninfoParse;
    __typeof__(PQconninfoFree) *PQconninfoFree;
    __typeof__(PQstatus) *PQstatus;
    __typeof__(PQtransactionStatus) *PQtransactionStatus;
    __typeof__(PQerrorMessage) *PQerrorMessage;
    __typeof__(PQsocket) *PQsocket;
    __typeof__(PQsetErrorVerbosity) *PQsetErrorVerbosity;
    __typeof__(PQsetNoticeReceiver) *PQsetNoticeReceiver;
    __typeof__(PQsetnonblocking) *PQsetnonblocking;
    __typeof__(PQsendQueryParams) *PQsendQueryParams;
    __typeof__(PQflush) *PQflush;
    __typeof__(PQconsumeInput) *PQconsumeInput;
    __typeof__(PQisBusy) *PQisBusy;
    __typeof__(PQgetResult) *PQgetResult;
    __typeof__(PQresultStatus) *PQresultStatus;
    __typeof__(PQresultErrorMessage) *PQresultErrorMessage;
    __typeof__(PQresultErrorField) *PQresultErrorField;
    __typeof__(PQntuples) *PQntuples;
    __typeof__(PQnfields) *PQnfields;
    __typeof__(PQgetisnull) *PQgetisnull;
    __typeof__(PQgetlength) *PQgetlength;
    __typeof__(PQgetvalue) *PQgetvalue;
    __typeof__(PQcmdTuples) *PQcmdTuples;
    __typeof__(PQclear) *PQclear;
} pq;

static pthread_once_t once = PTHREAD_ONCE_INIT;
static int is_loaded = 0;

static void *open_library(void) {
#ifdef __APPLE__
    static const char *const places[] = {
        "libpq.5.dylib", "/opt/homebrew/opt/libpq/lib/libpq.5.dylib", "/usr/local/opt/libpq/lib/libpq.5.dylib"};
#else
    static const char *const places[] = {"libpq.so.5"};
#endif
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        void *library = dlopen(places[i], RTLD_NOW | RTLD_LOCAL);
        if (library) return library;
    }
    return NULL;
}

static void load(void) {
    void *library = open_library();
    if (!library) return;
    const struct { const char *name; void *place; } symbols[] = {
        {"PQconnectStartParams", &pq.PQconnectStartParams},
        {"PQconnectPoll", &pq.PQconnectPoll},
        {"PQfinish", &pq.PQfinish},
        {"PQconninfoParse", &pq.PQconninfoParse},
        {"PQconninfoFree", &pq.PQconninfoFree},
        {"PQstatus", &pq.PQstatus},
        {"PQtransactionStatus", &pq.PQtransactionStatus},
        {"PQerrorMessage", &pq.PQerrorMessage},
        {"PQsocket", &pq.PQsocket},
        {"PQsetErrorVerbosity", &pq.PQsetErrorVerbosity},
        {"PQsetNoticeReceiver", &pq.PQsetNoticeReceiver},
        {"PQsetnonblocking", &pq.PQsetnonblocking},
        {"PQsendQueryParams", &pq.PQsendQueryParams},
        {"PQflush", &pq.PQflush},
        {"PQconsumeInput", &pq.PQconsumeInput},
        {"PQisBusy", &pq.PQisBusy},
        {"PQgetResult", &pq.PQgetResult},
        {"PQresultStatus", &pq.PQresultStatus},
        {"PQresultErrorMessage", &pq.PQresultErrorMessage},
        {"PQresultErrorField", &pq.PQresultErrorField},
        {"PQntuples", &pq.PQntuples},
        {"PQnfields", &pq.PQnfields},
        {"PQgetisnull", &pq.PQgetisnull},
        {"PQgetlength", &pq.PQgetlength},
        {"PQgetvalue", &pq.PQgetvalue},
        {"PQcmdTuples", &pq.PQcmdTuples},
        {"PQclear", &pq.PQclear},
    };
    for (size_t i = 0; i < sizeof symbols / sizeof *symbols; i++) {
        void *symbol = dlsym(library, symbols[i].name);
        if (!symbol) return;
        *(void **)symbols[i].place = symbol;
    }
    is_loaded = 1;
}

int carnet_pq_load(void) {
    pthread_once(&once, load);
    return is_loaded;
}

PGconn *PQconnectStartParams(const char *const *keywords, const char *const *values, int expand_dbname) {
    return pq.PQconnectStartParams(keywords, values, expand_dbname);
}
PostgresPollingStatusType PQconnectPoll(PGconn *conn) { return pq.PQconnectPoll(conn); }
void PQfinish(PGconn *conn) { pq.PQfinish(conn); }
PQconninfoOption *PQconninfoParse(const char *conninfo, char **errmsg) { return pq.PQconninfoParse(conninfo, errmsg); }
void PQconninfoFree(PQconninfoOption *connOptions) { pq.PQconninfoFree(connOptions); }
ConnStatusType PQstatus(const PGconn *conn) { return pq.PQstatus(conn); }
PGTransactionStatusType PQtransactionStatus(const PGconn *conn) { return pq.PQtransactionStatus(conn); }
char *PQerrorMessage(const PGconn *conn) { return pq.PQerrorMessage(conn); }
int PQsocket(const PGconn *conn) { return pq.PQsocket(conn); }
PGVerbosity PQsetErrorVerbosity(PGconn *conn, PGVerbosity verbosity) { return pq.PQsetErrorVerbosity(conn, verbosity); }
PQnoticeReceiver PQsetNoticeReceiver(PGconn *conn, PQnoticeReceiver proc, void *arg) {
    return pq.PQsetNoticeReceiver(conn, proc, arg);
}
int PQsetnonblocking(PGconn *conn, int arg) { return pq.PQsetnonblocking(conn, arg); }
int PQsendQueryParams(
    PGconn *conn, const char *command, int nParams, const unsigned int *paramTypes, const char *const *paramValues,
    const int *paramLengths, const int *paramFormats, int resultFormat) {
    return pq.PQsendQueryParams(
        conn, command, nParams, paramTypes, paramValues,
        paramLengths, paramFormats, resultFormat);
}
int PQflush(PGconn *conn) { return pq.PQflush(conn); }
int PQconsumeInput(PGconn *conn) { return pq.PQconsumeInput(conn); }
int PQisBusy(PGconn *conn) { return pq.PQisBusy(conn); }
PGresult *PQgetResult(PGconn *conn) { return pq.PQgetResult(conn); }
ExecStatusType PQresultStatus(const PGresult *res) { return pq.PQresultStatus(res); }
char *PQresultErrorMessage(const PGresult *res) { return pq.PQresultErrorMessage(res); }
char *PQresultErrorField(const PGresult *res, int fieldcode) { return pq.PQresultErrorField(res, fieldcode); }
int PQntuples(const PGresult *res) { return pq.PQntuples(res); }
int PQnfields(const PGresult *res) { return pq.PQnfields(res); }
int PQgetisnull(const PGresult *res, int tup_num, int field_num) { return pq.PQgetisnull(res, tup_num, field_num); }
int PQgetlength(const PGresult *res, int tup_num, int field_num) { return pq.PQgetlength(res, tup_num, field_num); }
char *PQgetvalue(const PGresult *res, int tup_num, int field_num) { return pq.PQgetvalue(res, tup_num, field_num); }
char *PQcmdTuples(PGresult *res) { return pq.PQcmdTuples(res); }
void PQclear(PGresult *res) { pq.PQclear(res); }
