import Carnet
import CarnetFoundation
import CarnetProtocol
import CarnetStoreTestSupport
import Foundation
import HTTPTypes

/// Refreshes many accounts at a server that limits requests: what is sent, refused and lost.
struct BusyServer {
    let accounts: Int
    let perSecond: Int

    /// - Parameter tasks: How many accounts are refreshed at the same time.
    func line(tasks: Int) async throws -> String {
        let (server, store) = (LimitingProvider(perSecond), MemoryTokenStore())
        let client = try StormProvider.client(store, transport: server)
        var sessions: [Session] = []
        for number in 0..<accounts {
            let connection = Connection.signedIn("account-\(number)")
            _ = try await store.save(connection, replacing: nil)
            if let session = try await client.session(for: connection.key.account) { sessions.append(session) }
        }
        let queue = Queue(sessions)
        let begun = ContinuousClock.now
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<tasks {
                group.addTask {
                    while let session = queue.next() { await Self.refresh(session) }
                }
            }
        }
        let seconds = (ContinuousClock.now - begun) / .seconds(1)
        var kept = 0
        for session in sessions {
            let stored = try? await session.storedTokens().refreshToken
            if let stored, stored == server.latest(of: session) { kept += 1 }
        }
        return String(
            format: "%d accounts, %d tasks: %d sent, %d refused, %d lost, %.1f s", accounts, tasks, server.sent,
            server.refused, accounts - kept, seconds)
    }

    /// What a worker does: it waits until the time of the error.
    private static func refresh(_ session: Session) async {
        while true {
            do {
                try await session.refresh()
                return
            } catch let error as OAuthError {
                guard let end = error.retryAt else { return }
                try? await Task.sleep(for: .seconds(max(0, end.timeIntervalSinceNow)))
            } catch {
                return
            }
        }
    }

    /// The same requests without a pause that accounts share: each task waits as the server asks.
    func floorLine(tasks: Int) async throws -> String {
        let server = LimitingProvider(perSecond)
        let queue = Queue(Array(0..<accounts))
        let begun = ContinuousClock.now
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<tasks {
                group.addTask {
                    while let number = queue.next() {
                        let body = "refresh_token=refresh-token-of-account-\(number)"
                        while await server.respond(to: body).status == .tooManyRequests {
                            try? await Task.sleep(for: .seconds(1))
                        }
                    }
                }
            }
        }
        let seconds = (ContinuousClock.now - begun) / .seconds(1)
        return String(
            format: "without a shared pause, %d tasks: %d sent, %d refused, %.1f s", tasks, server.sent, server.refused,
            seconds)
    }
}

private final class Queue<Element: Sendable>: Sendable {
    private let items: Lock<[Element]>

    init(_ items: [Element]) { self.items = Lock(items) }

    func next() -> Element? { items.withLock { $0.popLast() } }
}

/// Handles so many requests in each second, refuses the others until the next second, and replaces refresh tokens.
private final class LimitingProvider: Transport {
    private struct State {
        var windowEnd = ContinuousClock.now
        var left = 0
        var sent = 0
        var refused = 0
        /// The latest refresh token by the first one.
        var latest: [String: String] = [:]
        /// The first refresh token by each later one.
        var first: [String: String] = [:]
    }

    private let perSecond: Int
    private let state = Lock(State())

    init(_ perSecond: Int) { self.perSecond = perSecond }

    var sent: Int { state.withLock(\.sent) }
    var refused: Int { state.withLock(\.refused) }

    func latest(of session: Session) -> Secret? {
        state.withLock { $0.latest["refresh-token-of-\(session.key.account)"] }.map { Secret($0) }
    }

    func send(_ request: OutgoingRequest, limits: TransportLimits) async throws -> IncomingResponse {
        let (status, json) = await respond(to: String(decoding: request.body, as: UTF8.self))
        var head = HTTPResponse(status: status, headerFields: [.contentType: "application/json"])
        if status == .tooManyRequests { head.headerFields[.retryAfter] = "1" }
        return IncomingResponse(head: head, body: Array(json.utf8))
    }

    func respond(to form: String) async -> (status: HTTPResponse.Status, json: String) {
        // The way to the server and back.
        try? await Task.sleep(for: .milliseconds(10))
        let fields = form.split(separator: "&").map { $0.split(separator: "=", maxSplits: 1) }
        let token = fields.first { $0.first == "refresh_token" }.map { String($0[1]) } ?? ""
        return state.withLock { state in
            state.sent += 1
            let now = ContinuousClock.now
            if now >= state.windowEnd { (state.windowEnd, state.left) = (now + .seconds(1), perSecond) }
            guard state.left > 0 else {
                state.refused += 1
                return (.tooManyRequests, "{}")
            }
            state.left -= 1
            let first = state.first[token] ?? token
            // A token that was replaced before ends the session.
            guard state.latest[first] ?? token == token else {
                state.latest[first] = ""
                return (.badRequest, #"{"error":"invalid_grant"}"#)
            }
            let new = "\(first)-\(state.sent)"
            (state.latest[first], state.first[new]) = (new, first)
            let json = """
                {"access_token":"access-\(state.sent)","refresh_token":"\(new)","token_type":"Bearer","expires_in":3600}
                """
            return (.ok, json)
        }
    }
}
