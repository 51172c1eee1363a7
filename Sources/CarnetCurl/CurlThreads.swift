import CarnetFoundation
import Dispatch

/// The threads of the process that use libcurl.
///
/// `exit` runs OpenSSL's exit handler on the thread that calls it. The handler frees what a thread inside libcurl may be using, so
/// the process has to wait for these threads first.
enum CurlThreads {
    /// How long the process waits for its threads when it exits. libcurl's calls do not block, except for a name lookup before 7.87.
    private static let patience = DispatchTimeInterval.seconds(2)

    private struct State {
        /// What each running thread takes its orders from, by the thread's alarm.
        var running: [ObjectIdentifier: CurlConnections] = [:]
        var isExiting = false
    }

    private static let state = Lock(State())
    private static let group = DispatchGroup()

    /// Exit handlers run in reverse order: OpenSSL registered its own when libcurl was loaded.
    private static let exitHandler: Void = {
        atexit { CurlThreads.endAll() }
    }()

    /// Starts a thread. libcurl is loaded already.
    ///
    /// - Returns: Whether it has started; false if the process is exiting.
    static func start(_ connections: CurlConnections, _ alarm: CurlAlarm, _ trust: CurlTrust) -> Bool {
        exitHandler
        let id = ObjectIdentifier(alarm)
        let mayStart = state.withLock { state in
            guard !state.isExiting else { return false }
            state.running[id] = connections
            group.enter()
            return true
        }
        guard mayStart else { return false }
        DispatchQueue(label: "carnet.curl").async {
            CurlThread(connections, alarm, trust).run()
            state.withLock { $0.running[id] = nil }
            group.leave()
        }
        return true
    }

    private static func endAll() {
        let running = state.withLock { state in
            state.isExiting = true
            return Array(state.running.values)
        }
        for connections in running { connections.shutDown() }
        _ = group.wait(timeout: .now() + patience)
    }
}
