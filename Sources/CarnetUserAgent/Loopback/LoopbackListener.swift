import Carnet
import CarnetFoundation

final class LoopbackListener: Sendable {
    private let server: LoopbackServer

    private init(_ server: LoopbackServer) { self.server = server }

    deinit { server.stop() }

    var port: Int { server.port }

    /// Frees the port and closes the connections.
    func close() async { await server.close() }

    /// - Throws: `UserAgentError`, `cannotListen`.
    static func start(
        _ redirect: LoopbackRedirect, inbox: CallbackInbox, limits: ConnectionLimits
    ) throws -> LoopbackListener {
        // A port that is free on one address may be in use on the other.
        for _ in 0..<8 {
            var sockets: [LoopbackSocket] = []
            do {
                for isIPv6 in redirect.families {
                    let port = redirect.port ?? sockets.first?.port ?? 0
                    do {
                        sockets.append(try .listening(on: isIPv6 ? .ipv6(port: port) : .ipv4(port: port)))
                    } catch let error as POSIXError where error.isMissingAddressFamily && !sockets.isEmpty {
                        // This machine has no IPv6, so nothing else can listen there.
                        continue
                    }
                }
                guard let port = sockets.first?.port else { break }
                let responder = CallbackResponder(redirect: redirect, port: port, inbox: inbox)
                return LoopbackListener(
                    LoopbackServer(sockets, port: port, limits: limits) { responder.response(to: $0) })
            } catch {
                for socket in sockets { socket.close() }
                guard redirect.port == nil, (error as? POSIXError)?.code == .EADDRINUSE else {
                    throw refusal(redirect, error)
                }
            }
        }
        throw UserAgentError(.cannotListen, "no free port was found on \(redirect.host)")
    }

    private static func refusal(_ redirect: LoopbackRedirect, _ error: any Error) -> UserAgentError {
        let place = redirect.port.map { "port \($0) of the redirect URI" } ?? "a port on \(redirect.host)"
        let reason =
            switch (error as? POSIXError)?.code {
            case .EADDRINUSE: "is in use: stop the program that listens there"
            case .EACCES: "is not allowed for this user: register a redirect URI with a port above 1023"
            default: "cannot be opened for listening"
            }
        return UserAgentError(.cannotListen, "\(place) \(reason)")
    }
}

extension POSIXError {
    fileprivate var isMissingAddressFamily: Bool { [.EADDRNOTAVAIL, .EAFNOSUPPORT, .EPROTONOSUPPORT].contains(code) }
}
