package import Hummingbird
package import HummingbirdCore
import Logging
package import NIOCore

/// The limits for the clients of a server. Slow clients, and clients with many connections, cannot exhaust it.
package struct ServerLimits: Sendable {
    /// From the first byte of a request to the end of its header.
    package var header = TimeAmount.seconds(10)
    /// From the end of the header to the end of the body.
    package var body = TimeAmount.seconds(30)
    /// Before the first request of a connection and between two requests. It also limits how long a client may take to
    /// receive a response.
    package var idle = TimeAmount.seconds(75)
    /// The maximum number of connections.
    package var connections = 768
    /// The maximum number of connections from one address, or from one IPv6 network of 64 bits.
    package var connectionsPerAddress = 256
    /// How many connections may wait until the server accepts them. The system has a limit of its own.
    package var backlog = 256
    /// Addresses with no limit but `connections`: the proxies through which all clients come.
    package var proxies: @Sendable (SocketAddress) -> Bool = { _ in false }
    /// The maximum size of a header, in bytes. Browsers send the cookies of every program on `127.0.0.1`.
    package var headerBytes = 65_536
    /// The maximum number of header fields.
    package var headerFields = 256

    package init() {}

    /// A server with these limits. All servers of the command are made here.
    ///
    /// - Parameters:
    ///   - handlers: More handlers for each connection, which see its requests first.
    ///   - onStart: Called with the channel that waits for connections.
    package func application<Responder: HTTPResponder>(
        _ responder: Responder, at address: BindAddress,
        handlers: @escaping @Sendable () -> [any RemovableChannelHandler] = { [] },
        onStart: @escaping @Sendable (any Channel) async -> Void = { _ in }
    ) -> Application<Responder> where Responder.Context: InitializableFromSource<ApplicationRequestContextSource> {
        let open = OpenConnections(self)
        let server = HTTPServerBuilder.http1(
            configuration: HTTP1Channel.Configuration(
                additionalChannelHandlers: handlers() + [ConnectionGuard(self, open)],
                httpDecoderConfiguration: .init(
                    maxHeaderFieldSize: headerBytes, maxHeaderListSize: headerBytes, maxHeaderFieldCount: headerFields)
            ))
        return Application(
            responder: responder, server: server,
            configuration: ApplicationConfiguration(address: address, backlog: backlog),
            onServerRunning: onStart, logger: Logger(label: "carnet.server") { _ in SwiftLogNoOpLogHandler() })
    }
}
