import CarnetDescriptors
import CarnetFoundation
import CarnetProtocol
import HTTPTypes

/// The provider's time, from the `Date` field of its responses. The clock of this machine may be wrong, and the
/// machines of a fleet must agree on an expiry.
final class ProviderClock: WallClock {
    private let local: any WallClock
    /// The difference of the provider's clock to this machine's, in seconds; `nil` until a response says it.
    private let offset = Lock<TimeInterval?>(nil)

    init(_ local: any WallClock) { self.local = local }

    var now: Date { local.now.addingTimeInterval(offset.withLock { $0 } ?? 0) }

    func sleep(for duration: Duration) async throws { try await local.sleep(for: duration) }

    /// This machine's own time.
    var localNow: Date { local.now }

    /// Learns from a response's `Date` field (RFC 9110, section 6.6.1), which has whole seconds. A response without
    /// it changes nothing.
    func learn(from response: IncomingResponse, sentAt sent: Date) {
        let received = local.now
        guard let text = response.head.headerFields.value(of: .date), let date = Date(httpDate: text, now: received)
        else { return }
        let isPlausible = date > sent.addingTimeInterval(-2) && date < received.addingTimeInterval(2)
        offset.withLock { $0 = isPlausible ? 0 : date.timeIntervalSince(received) }
    }
}

extension ProviderClock {
    /// Validates what this provider signed by this machine's clock and, if that says that the time is wrong, by the
    /// provider's. Only one of the two can be wrong, and the signer could have signed any other time.
    func onEitherClock<Result>(_ validate: (Date) throws(OAuthError) -> Result) throws(OAuthError) -> Result {
        // One reading: a response may arrive meanwhile.
        let (local, offset) = (localNow, self.offset.withLock(\.self))
        let provider = local.addingTimeInterval(offset ?? 0)
        do throws(OAuthError) {
            return try validate(local)
        } catch {
            guard error.isOfTime, offset != 0 else { throw error.withoutClockHint }
            guard provider != local else { throw error }
            do throws(OAuthError) {
                return try validate(provider)
            } catch let second {
                throw second.isOfTime ? error : second
            }
        }
    }
}

extension OAuthError {
    /// Whether a signed token was refused for its times alone.
    fileprivate var isOfTime: Bool { isOfClock || kind == .authenticationTooOld }

    private var isOfClock: Bool { [.issuedInFuture, .expiredToken, .notYetValid].contains(kind) }

    /// The error where this machine's clock cannot be the cause, if it is one of time.
    fileprivate var withoutClockHint: OAuthError {
        guard isOfClock else { return self }
        var error = self
        error.hint =
            "the Date of the provider's responses agrees with this machine: report it, or see id_token.clock_skew"
        return error
    }
}
