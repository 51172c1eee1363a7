import Carnet
import CarnetFoundation
import NIOCore
import NIOHTTP1
import NIOPosix

/// The loopback port of one sign-in.
final class LoopbackListener: Sendable {
    let port: Int
    private let channels: [any Channel]
    private let connections: OpenConnections

    private init(port: Int, channels: [any Channel], connections: OpenConnections) {
        self.port = port
        self.channels = channels
        self.connections = connections
    }

    deinit {
        for channel in channels { channel.close(promise: nil) }
        connections.closeAll()
    }

    /// Frees the port and closes the connections.
    func close() async {
        for channel in channels { try? await channel.close() }
        connections.closeAll()
    }

    /// - Throws: `UserAgentError`, `cannotListen`.
    static func start(
        _ redirect: LoopbackRedirect,
        inbox: CallbackInbox,
        limits: ConnectionLimits
    ) async throws -> LoopbackListener {
        // A port that is free on one address may be in use on the other.
        for _ in 0..<8 {
            let connections = OpenConnections(limit: limits.connections)
            var channels: [any Channel] = []
            do {
                for address in redirect.addresses {
                    let port = redirect.port ?? channels.first?.localAddress?.port ?? 0
                    do {
                        channels.append(try await bind(redirect, address, port, inbox, connections, limits))
                    } catch let error as IOError where error.isMissingAddressFamily && !channels.isEmpty {
                        // This machine has no IPv6, so nothing else can listen there.
                        continue
                    }
                }
                guard let port = channels.first?.localAddress?.port else { break }
                return LoopbackListener(port: port, channels: channels, connections: connections)
            } catch {
                for channel in channels { try? await channel.close() }
                guard redirect.port == nil, (error as? IOError)?.errnoCode == EADDRINUSE else {
                    throw refusal(redirect, error)
                }
            }
        }
        throw UserAgentError(.cannotListen, "no free port was found on \(redirect.host)")
    }

    private static func bind(
        _ redirect: LoopbackRedirect,
        _ address: String,
        _ port: Int,
        _ inbox: CallbackInbox,
        _ connections: OpenConnections,
        _ limits: ConnectionLimits
    ) async throws -> any Channel {
        try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            // A port that was just freed can be reused; one in use cannot.
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelInitializer { channel in
                connections.add(channel)
                return channel.eventLoop.makeCompletedFuture {
                    let pipeline = channel.pipeline.syncOperations
                    try pipeline.addHandler(RequestGuard(limits))
                    try pipeline.configureHTTPServerPipeline(
                        withEncoderConfiguration: .init(),
                        withDecoderLimitConfiguration: limits.decoder
                    )
                    // With an open port the channel is bound before a client can connect.
                    let localPort = channel.localAddress?.port ?? port
                    try pipeline.addHandler(CallbackHandler(redirect: redirect, port: localPort, inbox: inbox))
                }
            }
            .bind(host: address, port: port).get()
    }

    private static func refusal(_ redirect: LoopbackRedirect, _ error: any Error) -> UserAgentError {
        let place = redirect.port.map { "port \($0) of the redirect URI" } ?? "a port on \(redirect.host)"
        switch (error as? IOError)?.errnoCode {
        case EADDRINUSE:
            return UserAgentError(.cannotListen, "\(place) is in use: stop the program that listens there")
        case EACCES:
            return UserAgentError(
                .cannotListen, "\(place) is not allowed for this user: register a redirect URI with a port above 1023")
        default:
            return UserAgentError(.cannotListen, "\(place) cannot be opened for listening")
        }
    }
}

extension IOError {
    fileprivate var isMissingAddressFamily: Bool {
        [EADDRNOTAVAIL, EAFNOSUPPORT, EPROTONOSUPPORT].contains(errnoCode)
    }
}
