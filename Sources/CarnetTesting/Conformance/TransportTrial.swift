import Carnet
import CarnetProtocol
import HTTPTypes

/// One transport under one check.
struct TransportTrial: Sendable {
    /// Stands in the path, the query, a header and the body of requests; no error may show it.
    static let secret = "s3cr3t"

    /// Long enough for a slow machine: for exchanges that have to end by themselves.
    static let generous = TransportLimits(maximumBodyBytes: 65_536, deadline: .seconds(20))
    /// A response without a body.
    static let empty = RawServer.Step.send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")

    let transport: any Transport
    let context: CheckContext

    func post(to authority: String, scheme: String = "http") -> OutgoingRequest {
        OutgoingRequest(
            head: HTTPRequest(
                method: .post, scheme: scheme, authority: authority, path: "/\(Self.secret)/token?key=\(Self.secret)",
                headerFields: [
                    .contentType: "application/x-www-form-urlencoded", .authorization: "Bearer \(Self.secret)",
                ]),
            body: Array("code=\(Self.secret)".utf8))
    }

    func send(_ request: OutgoingRequest, limits: TransportLimits = Self.generous) async throws -> IncomingResponse {
        try await transport.send(request, limits: limits)
    }

    func send(to server: RawServer, limits: TransportLimits = Self.generous) async throws -> IncomingResponse {
        try await send(post(to: server.authority), limits: limits)
    }

    /// Responds to a request with `steps`.
    func exchange(
        _ steps: [RawServer.Step], limits: TransportLimits = Self.generous
    ) async throws -> IncomingResponse {
        let server = try RawServer(steps)
        defer { server.stop() }
        return try await send(to: server, limits: limits)
    }

    /// Responds to a request with `steps`, which must cause an error of that kind.
    func requireError(
        _ kinds: TransportError.Kind..., after steps: [RawServer.Step], limits: TransportLimits = Self.generous
    ) async throws {
        let server = try RawServer(steps)
        defer { server.stop() }
        try await requireError(kinds, naming: server.authority) { try await send(to: server, limits: limits) }
        let count = server.requests.count
        try context.require(count == 1, "the server got \(count) requests instead of one")
    }

    func requireError(
        _ kinds: [TransportError.Kind], naming authority: String? = nil, _ send: () async throws -> IncomingResponse
    ) async throws {
        let allowed = kinds.map { "\($0)" }.joined(separator: " or ")
        let thrown = try await context.requireError("returned a response instead of an error (\(allowed))", send)
        guard let error = thrown as? TransportError else {
            throw context.violation("threw \(type(of: thrown)) instead of a TransportError")
        }
        try context.require(kinds.contains(error.kind), "threw \(error.kind) (\(error)) instead of \(allowed)")
        try context.require(!error.reason.contains(Self.secret), "the error shows what was sent: \(error)")
        try context.require(!error.reason.isEmpty, "the error gives no reason")
        if let authority {
            try context.require(error.reason.contains(authority), "the error does not name \(authority): \(error)")
        }
    }
}
