import Carnet
import CarnetProtocol
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import NIOCore
import Testing

/// A client's back-channel logout URI on loopback.
struct LogoutListener: Sendable {
    let uri: String
    private let tokens: AsyncStream<Secret>

    /// Listens on a free port while the body runs.
    static func with<Value: Sendable>(
        _ body: @escaping @Sendable (LogoutListener) async throws -> Value
    ) async throws -> Value {
        let (tokens, continuation) = AsyncStream<Secret>.makeStream()
        let router = Router()
        router.post("logout") { request, _ in
            let form = try await request.body.collect(upTo: 1 << 16)
            let token = try BackChannelLogoutRequest.logoutToken(
                in: Array(form.readableBytesView), mediaType: request.headers[.contentType])
            continuation.yield(token)
            return HTTPResponse.Status.ok
        }
        return try await Application(router: router).test(.live) { client in
            let port = try #require(client.port)
            return try await body(LogoutListener(uri: "http://127.0.0.1:\(port)/logout", tokens: tokens))
        }
    }

    /// The next token that is posted; `nil` if none comes in time.
    func token(within limit: Duration) async throws -> Secret? {
        try await withThrowingTaskGroup(of: Secret?.self) { group in
            group.addTask { await tokens.first { _ in true } }
            group.addTask {
                try await Task.sleep(for: limit)
                return nil
            }
            defer { group.cancelAll() }
            return try await group.next() ?? nil
        }
    }
}
