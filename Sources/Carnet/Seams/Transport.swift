import CarnetDescriptors
public import CarnetFoundation
public import CarnetProtocol

/// Sends HTTP requests for the engine.
///
/// A transport never follows a redirect, never retries (the engine repeats a GET that nobody received), keeps no cookies, requests no compression, and validates the
/// server's certificate. `CarnetTesting` has the conformance suite.
public protocol Transport: Sendable {
    /// Sends one request and returns the complete response with any status.
    ///
    /// - Throws: `TransportError`, or `CancellationError` if the task was cancelled.
    func send(_ request: OutgoingRequest, limits: TransportLimits) async throws -> IncomingResponse
}

/// The limits of one exchange, and the hosts that it may reach.
public struct TransportLimits: Hashable, Sendable {
    /// The maximum size of the body, in bytes.
    public var maximumBodyBytes: Int
    /// The maximum duration of the exchange, from the first connection attempt to the last byte. As far as the
    /// transport can measure it, time in which the process was stopped does not count.
    public var deadline: Duration
    /// The body is not sent at or after this moment; `nil` for no limit. A refresh token must not be sent once
    /// another process may hold the account's lock.
    public var sendBefore: ContinuousClock.Instant?
    /// Hosts in lower case that may have a local address, because the descriptor itself names them. A transport that
    /// rejects local addresses allows these.
    public var localHosts: Set<String> = []

    public init(maximumBodyBytes: Int = 1 << 20, deadline: Duration = .seconds(30)) {
        self.maximumBodyBytes = maximumBodyBytes
        self.deadline = deadline
    }
}

/// Why there is no response. It contains nothing of the request.
public struct TransportError: Error, Hashable, Sendable, Described {
    public enum Kind: Hashable, Sendable {
        /// No connection: the name was not found, or the host refused or was unreachable.
        case connection
        /// The server's certificate was rejected, or the TLS handshake failed.
        case tls
        case timeout
        /// The body is larger than `TransportLimits.maximumBodyBytes`.
        case responseTooLarge
        /// The connection broke, or the response is not HTTP.
        case interrupted
        /// This transport cannot send the request, e.g. because of its URL scheme.
        case unsupportedRequest
        /// The host has an address of this machine or the local network, which is not allowed.
        case localAddress
        /// The request was not sent, because `TransportLimits.sendBefore` had passed.
        case tooLate
    }

    public var kind: Kind
    /// One sentence, e.g. `connection refused by 127.0.0.1:8080`.
    package var reason: String
    /// The next step, if the transport knows the cause.
    package var hint: String?
    /// Whether no byte of a response arrived on a connection that broke. A request that may be repeated is then sent again.
    package var receivedNothing = false

    public init(_ kind: Kind, _ reason: String) {
        self.kind = kind
        self.reason = reason
    }

    /// - Parameters:
    ///   - origin: The place of the server.
    ///   - reason: What the TLS library found; `nil` if it does not say.
    ///   - hint: Replaces the advice to trust another authority.
    package static func untrusted(
        _ origin: String, reason: String? = nil, hint: String = Advice.untrustedCertificate.next
    ) -> TransportError { TransportError(.tls, "the certificate of \(origin) is not trusted", reason, hint: hint) }

    package static func unknownHost(_ origin: String) -> TransportError {
        TransportError(
            .connection, "no connection to \(origin): the host name was not found", hint: Advice.unknownHost.next)
    }

    /// - Parameter names: Those of the certificate, if they are known.
    package static func otherHost(_ origin: String, names: String? = nil) -> TransportError {
        TransportError(
            .tls, "the certificate of \(origin) was issued for another host", names, hint: Advice.otherHost.next)
    }

    /// - Parameter reason: The TLS library's own explanation; `nil` without one.
    package static func handshake(_ origin: String, reason: String? = nil) -> TransportError {
        TransportError(.tls, "the TLS handshake with \(origin) failed", reason, hint: Advice.handshake.next)
    }

    package static func proxy(_ origin: String, _ reason: String) -> TransportError {
        TransportError(.connection, "no connection to \(origin): \(reason)", hint: Advice.proxy.next)
    }

    private init(_ kind: Kind, _ reason: String, _ detail: String? = nil, hint: String) {
        self.init(kind, reason + (detail.map { ": \($0)" } ?? ""))
        self.hint = hint
    }

    package static func closed(_ origin: String, receivedNothing: Bool) -> TransportError {
        changing(TransportError(.interrupted, "\(origin) closed the connection before its response was complete")) {
            $0.receivedNothing = receivedNothing
        }
    }

    package var summary: String { reason }
}
