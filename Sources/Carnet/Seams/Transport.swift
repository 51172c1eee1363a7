public import CarnetProtocol

/// Sends HTTP requests for the engine.
///
/// A transport never follows a redirect, never retries, keeps no cookies, asks for no compression, and checks the
/// server's certificate. `CarnetTesting` has the conformance suite.
public protocol Transport: Sendable {
    /// Sends one request and returns the whole response, whatever its status.
    ///
    /// - Throws: `TransportError`, or `CancellationError` when the task was cancelled.
    func send(_ request: OutgoingRequest, limits: TransportLimits) async throws -> IncomingResponse
}

/// How much a response may cost, and where a request may go.
public struct TransportLimits: Hashable, Sendable {
    /// The largest body, in bytes.
    public var maximumBodyBytes: Int
    /// The time for the whole exchange, from the first connection attempt to the last byte. Time in which the process was
    /// stopped does not count, as far as the transport can tell: what has arrived meanwhile is read first.
    public var deadline: Duration
    /// The body is not sent at this moment or later, however long the connection took; `nil` sets no limit. A refresh token
    /// must not leave once the account's lock may be another process's.
    public var sendBefore: ContinuousClock.Instant?
    /// Hosts in lower case at which an address of this machine or the local network is meant, because the descriptor
    /// itself names them. A transport that refuses such addresses elsewhere allows them here.
    public var localHosts: Set<String> = []

    public init(maximumBodyBytes: Int = 1 << 20, deadline: Duration = .seconds(30)) {
        self.maximumBodyBytes = maximumBodyBytes
        self.deadline = deadline
    }
}

/// Why no response came. Says nothing of what was sent.
public struct TransportError: Error, Hashable, Sendable, CustomStringConvertible {
    public enum Kind: String, Hashable, Sendable {
        /// No connection: name not found, refused, unreachable.
        case connection
        /// The server's certificate or the TLS handshake was refused.
        case tls
        case timeout
        /// The body passed `TransportLimits.maximumBodyBytes`.
        case responseTooLarge
        /// The connection broke, or what came was not HTTP.
        case interrupted
        /// The request cannot be sent by this transport, e.g. a URL scheme other than http and https.
        case unsupportedRequest
        /// The host is at an address of this machine or the local network, and nobody allowed that.
        case localAddress
        /// The request was not sent, because `TransportLimits.sendBefore` had come.
        case tooLate
    }

    public var kind: Kind
    /// One sentence for a person, e.g. `connection refused by 127.0.0.1:8080`.
    public var reason: String

    public init(_ kind: Kind, _ reason: String) {
        self.kind = kind
        self.reason = reason
    }

    public var description: String { reason }
}
