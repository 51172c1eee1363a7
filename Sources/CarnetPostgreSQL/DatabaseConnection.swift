import CLibPQ
import CarnetFoundation
import CarnetProtocol

/// One connection. Its calls block on their own thread, never for longer than their limit.
actor DatabaseConnection {
    /// Closes the connection when it is released.
    private final class Handle {
        let pointer: OpaquePointer

        init(_ pointer: OpaquePointer) { self.pointer = pointer }

        deinit { PQfinish(pointer) }
    }

    private let executor = QueueExecutor(label: "carnet.postgresql")
    private var handle: Handle?

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    /// - Throws: `DatabaseFailure`; `CancellationError`.
    static func open(_ configuration: PostgreSQLConfiguration) async throws -> DatabaseConnection {
        let connection = DatabaseConnection()
        try await connection.connect(configuration)
        return connection
    }

    var isUsable: Bool {
        handle.map { PQstatus($0.pointer) == CONNECTION_OK && PQtransactionStatus($0.pointer) == PQTRANS_IDLE } ?? false
    }

    /// Whether the server has closed the connection, as far as is known here. Nothing is sent.
    var isOpen: Bool {
        guard let handle, PQstatus(handle.pointer) == CONNECTION_OK else { return false }
        while SocketWait.isReadable(PQsocket(handle.pointer)) {
            guard PQconsumeInput(handle.pointer) == 1 else { return false }
        }
        return true
    }

    private func connect(_ configuration: PostgreSQLConfiguration) throws {
        let deadline = ContinuousClock.now + configuration.connectTimeout
        try configuration.checkAddress()
        let parameters = configuration.parameters
        let started = withParameters(parameters.map { .text($0.keyword) }) { keywords, _, _ in
            withParameters(parameters.map { .text($0.value) }) { values, _, _ in
                PQconnectStartParams(keywords, values, 1)
            }
        }
        guard let started else { throw DatabaseFailure.lost("no memory for a connection") }
        let handle = Handle(started)
        // A library prints nothing; a message of a server that shuts down becomes the error of a statement.
        _ = PQsetNoticeReceiver(handle.pointer, { _, _ in }, nil)
        // With this setting an error contains its SQLSTATE.
        _ = PQsetErrorVerbosity(handle.pointer, PQERRORS_VERBOSE)
        var wanted = POLLOUT
        while true {
            try wait(for: wanted, on: handle, until: deadline, "the connection")
            switch PQconnectPoll(handle.pointer) {
            case PGRES_POLLING_OK:
                _ = PQsetErrorVerbosity(handle.pointer, PQERRORS_TERSE)
                guard PQsetnonblocking(handle.pointer, 1) == 0 else { throw lost(handle) }
                self.handle = handle
                // An acknowledged write must survive a crash. The database's default may not guarantee it.
                _ = try run(
                    """
                    SELECT set_config('statement_timeout', $1, false), \
                    CASE WHEN current_setting('synchronous_commit') = 'off' \
                    THEN set_config('synchronous_commit', 'on', false) END
                    """,
                    [.text(String(configuration.statementTimeout.milliseconds))],
                    within: configuration.connectTimeout
                )
                return
            case PGRES_POLLING_READING: wanted = POLLIN
            case PGRES_POLLING_WRITING: wanted = POLLOUT
            default: throw DatabaseFailure(connecting: words(of: handle))
            }
        }
    }

    /// Runs one statement. If its task is cancelled, the connection is closed: libpq 15 and older cancel a statement
    /// through an unencrypted connection. The server's `statement_timeout` ends the statement.
    ///
    /// - Throws: `DatabaseFailure`; `CancellationError`.
    func run(_ sql: String, _ values: [DatabaseValue] = [], within limit: Duration) throws -> DatabaseRows {
        guard let handle else { throw DatabaseFailure.lost("the connection was closed") }
        let deadline = ContinuousClock.now + limit
        do {
            let sent = withParameters(values) { texts, lengths, formats in
                PQsendQueryParams(handle.pointer, sql, Int32(values.count), nil, texts, lengths, formats, 1)
            }
            guard sent == 1 else { throw lost(handle) }
            while true {
                let left = PQflush(handle.pointer)
                guard left >= 0 else { throw lost(handle) }
                guard left == 1 else { break }
                try wait(for: POLLIN | POLLOUT, on: handle, until: deadline, "the statement")
                guard PQconsumeInput(handle.pointer) == 1 else { throw lost(handle) }
            }
            var outcome = DatabaseRows()
            var failure: DatabaseFailure?
            while let result = try nextResult(handle, until: deadline) {
                defer { PQclear(result) }
                switch PQresultStatus(result) {
                case PGRES_TUPLES_OK, PGRES_COMMAND_OK: outcome = DatabaseRows(result)
                default: failure = failure ?? DatabaseFailure(result)
                }
            }
            if let failure { throw failure }
            return outcome
        } catch {
            if case .refused? = error as? DatabaseFailure { throw error }
            // The rest of this connection's input belongs to no statement.
            self.handle = nil
            throw error
        }
    }

    private func nextResult(_ handle: Handle, until deadline: ContinuousClock.Instant) throws -> OpaquePointer? {
        while PQisBusy(handle.pointer) == 1 {
            try wait(for: POLLIN, on: handle, until: deadline, "the statement")
            guard PQconsumeInput(handle.pointer) == 1 else { throw lost(handle) }
        }
        return PQgetResult(handle.pointer)
    }

    private func wait(
        for events: Int32, on handle: Handle, until deadline: ContinuousClock.Instant, _ what: String
    ) throws {
        let socket = PQsocket(handle.pointer)
        guard socket >= 0 else { throw lost(handle) }
        guard try SocketWait.wait(for: events, on: socket, until: deadline) else {
            throw DatabaseFailure.lost("\(what) timed out")
        }
    }

    private func lost(_ handle: Handle) -> DatabaseFailure { .lost(words(of: handle)) }

    private func words(of handle: Handle) -> String {
        PQerrorMessage(handle.pointer).map { String(cString: $0).firstLine } ?? "the connection broke"
    }
}

extension DatabaseFailure {
    fileprivate init(_ result: OpaquePointer) {
        let field = PQresultErrorField(result, Int32(UInt8(ascii: "C")))
        let message = PQresultErrorField(result, Int32(UInt8(ascii: "M")))
        // A message without a SQLSTATE is libpq's own.
        guard let field else {
            let words = PQresultErrorMessage(result).map { String(cString: $0).firstLine }
            self = .lost(words ?? "the connection broke")
            return
        }
        self.init(state: String(cString: field), message: message.map { String(cString: $0).firstLine } ?? "")
    }
}

extension String {
    /// Messages of the server end with a line break and may continue with details of the statement.
    fileprivate var firstLine: String { split(whereSeparator: \.isNewline).first.map(String.init) ?? self }
}
