import Carnet
import CarnetFoundation
import CarnetProtocol

/// A page on a loopback port that redirects the browser to a URL, once.
///
/// Other users of the machine see the arguments of every program. So the program that opens the browser gets this
/// page's URL. Either the browser uses it first, or another user is rejected.
final class HandOverPage: Sendable {
    let url: AuthorizationURL
    private let server: LoopbackServer

    private init(url: AuthorizationURL, server: LoopbackServer) {
        self.url = url
        self.server = server
    }

    /// - Parameter onUse: Called when the browser has been redirected.
    /// - Throws: `UserAgentError`, `cannotPresent`.
    static func open(
        for target: AuthorizationURL, random: any RandomSource = SystemRandomSource(),
        limits: ConnectionLimits = ConnectionLimits(), onUse: @escaping @Sendable () -> Void = {}
    ) throws -> HandOverPage {
        let path = "/" + random.bytes(count: 32).map { String(256 + Int($0), radix: 16).dropFirst() }.joined()
        let use = OneUse(onUse)
        guard let socket = try? LoopbackSocket.listening() else {
            throw UserAgentError(.cannotPresent, "no port on 127.0.0.1 could be opened")
        }
        let authority = "127.0.0.1:\(socket.port)"
        let server = LoopbackServer([socket], port: socket.port, limits: limits) { request in
            let isRight =
                request.method == "GET" && Secret(request.target) == Secret(path)
                && request.values("host") == [authority] && !LoopbackPeer.isForeign(request.names)
            guard isRight, use.take() else { return CallbackPage.notFound.response() }
            var response = CallbackPage.notFound.response(redirectingTo: target.text)
            response.whenSent = { use.report() }
            return response
        }
        return HandOverPage(url: try AuthorizationURL("http://\(authority)\(path)"), server: server)
    }

    /// Frees the port. It may be called more than once.
    func close() async { await server.close() }

    deinit { server.stop() }
}

/// Whether something was used, or reported.
final class OneUse: Sendable {
    private let isUsed = Lock(false)
    private let wasReported = Lock(false)
    private let onUse: @Sendable () -> Void
    var isReported: Bool { wasReported.withLock(\.self) }

    init(_ onUse: @escaping @Sendable () -> Void) { self.onUse = onUse }

    /// - Returns: Whether this is the first use.
    func take() -> Bool { isUsed.withLock { $0.set() } }

    func report() { if wasReported.withLock({ $0.set() }) { onUse() } }
}

extension Bool {
    /// - Returns: Whether it was not set before.
    fileprivate mutating func set() -> Bool {
        defer { self = true }
        return !self
    }
}
