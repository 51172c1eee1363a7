public import Carnet
import CarnetPostgreSQL
public import CarnetProtocol
import HTTPTypes

/// What processes do that refresh tokens on one database, and what is done to them. Times are in milliseconds.
public struct FaultPlan: Codable, Sendable {
    /// How many refreshes there are to be, of all processes together.
    public var refreshes = 10_000
    public var processes = 6
    /// Of each process.
    public var callers = 4
    public var accounts = 24
    /// What everything that is left to chance follows from, but for the order in which the machine does it.
    public var seed: UInt64 = 1
    public var lease = 8000
    /// The time limit of a request to the provider.
    public var exchange = 5000
    /// How long the provider takes, at most.
    public var slowest = 1000
    /// How long a process is stopped.
    public var stop = 8500...12_000
    /// How long a process is cut off, or its connections are slow. Shorter than the lease: a process that is cut off for
    /// longer cannot be distinguished from one that is gone.
    public var cut = 100...3000
    /// Between two faults of one process.
    public var calm = 200...2000
    public var isDisturbed = true
    /// Whether a process may be stopped and cut off at a time.
    public var overlaps = false

    public init() {}

    /// The store of one process.
    ///
    /// - Parameter isPatient: Whether it waits for a lock as long as it may take.
    func store(_ address: String, isPatient: Bool = false) throws -> PostgreSQLStore {
        PostgreSQLStore(
            PostgreSQLConfiguration(
                Secret(address), tls: .none, poolSize: 4, connectTimeout: .milliseconds(700),
                statementTimeout: .seconds(1), patience: .seconds(2),
                lockPatience: isPatient ? .seconds(120) : .seconds(1), lease: .milliseconds(lease)),
            key: try .bytes([UInt8](0..<32)))
    }

    func account(_ number: Int) -> String { "account\(number)" }
}

/// Sends every request to a `RotatingProvider`, and says which process it comes from.
public struct ProcessTransport: Transport {
    private let base: String
    private let process: String
    private let transport: any Transport

    /// - Parameter base: Host and port of the provider.
    public init(base: String, process: String, transport: any Transport) {
        self.base = base
        self.process = process
        self.transport = transport
    }

    public func send(_ request: OutgoingRequest, limits: TransportLimits) async throws -> IncomingResponse {
        var request = request
        request.head.scheme = "http"
        request.head.authority = base
        if let name = HTTPField.Name("X-Process") { request.head.headerFields[name] = process }
        return try await transport.send(request, limits: limits)
    }
}
