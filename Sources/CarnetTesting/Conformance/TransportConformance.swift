public import Carnet

/// The requirements of `Transport`, hostile servers included, as checks for any test framework.
///
/// The checks start their own servers on 127.0.0.1. Each takes less than two seconds.
public enum TransportConformance: CaseIterable, Sendable {
    case sendsRequestAsGiven
    case returnsEveryStatus
    case followsNoRedirect
    case keepsNoCookies
    case asksForNoCompression
    case capsCompressedBody
    case takesBodyAtTheCap
    case refusesBodyOverTheCap
    case refusesEndlessBody
    case refusesAnnouncedLength
    case boundsHeader
    case truncatedBodyIsInterrupted
    case resetIsInterruptedAndNotRetried
    case truncatedHeaderIsInterrupted
    case garbageIsInterrupted
    case silenceTimesOut
    case slowHeaderTimesOut
    case slowBodyTimesOut
    case refusedConnection
    case unknownHost
    case unsupportedRequests
    case cancellation

    /// - Parameter transport: May reach 127.0.0.1.
    /// - Throws: `ConformanceViolation`, or errors of the transport.
    public func run(on transport: any Transport) async throws {
        let trial = TransportTrial(transport: transport, context: CheckContext(name: "\(self)"))
        switch self {
        case .sendsRequestAsGiven: try await trial.sendsRequestAsGiven()
        case .returnsEveryStatus: try await trial.returnsEveryStatus()
        case .followsNoRedirect: try await trial.followsNoRedirect()
        case .keepsNoCookies: try await trial.keepsNoCookies()
        case .asksForNoCompression: try await trial.asksForNoCompression()
        case .capsCompressedBody: try await trial.capsCompressedBody()
        case .takesBodyAtTheCap: try await trial.takesBodyAtTheCap()
        case .refusesBodyOverTheCap: try await trial.refusesBodyOverTheCap()
        case .refusesEndlessBody: try await trial.refusesEndlessBody()
        case .refusesAnnouncedLength: try await trial.refusesAnnouncedLength()
        case .boundsHeader: try await trial.boundsHeader()
        case .truncatedBodyIsInterrupted: try await trial.truncatedBodyIsInterrupted()
        case .resetIsInterruptedAndNotRetried: try await trial.resetIsInterruptedAndNotRetried()
        case .truncatedHeaderIsInterrupted: try await trial.truncatedHeaderIsInterrupted()
        case .garbageIsInterrupted: try await trial.garbageIsInterrupted()
        case .silenceTimesOut: try await trial.silenceTimesOut()
        case .slowHeaderTimesOut: try await trial.slowHeaderTimesOut()
        case .slowBodyTimesOut: try await trial.slowBodyTimesOut()
        case .refusedConnection: try await trial.refusedConnection()
        case .unknownHost: try await trial.unknownHost()
        case .unsupportedRequests: try await trial.unsupportedRequests()
        case .cancellation: try await trial.cancellation()
        }
    }
}
