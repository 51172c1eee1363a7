import CarnetDescriptors
import CarnetFoundation
import CarnetProtocol
import HTTPTypes

/// The provider's time, from the `Date` field of its responses. The clock of this machine may be wrong, and the
/// machines of a fleet must agree on an expiry.
final class ProviderClock: WallClock {
    private let local: any WallClock
    /// The difference of the provider's clock to this machine's, in seconds.
    private let offset = Lock<TimeInterval>(0)

    init(_ local: any WallClock) {
        self.local = local
    }

    var now: Date { local.now.addingTimeInterval(offset.withLock { $0 }) }

    func sleep(for duration: Duration) async throws { try await local.sleep(for: duration) }

    /// This machine's own time.
    var localNow: Date { local.now }

    /// Learns from a response's `Date` field (RFC 9110, section 6.6.1), which has whole seconds. A response without
    /// it changes nothing.
    func learn(from response: IncomingResponse, sentAt sent: Date) {
        guard let text = response.head.headerFields.value(of: .date), let date = Date(httpDate: text) else { return }
        let received = local.now
        let isPlausible = date > sent.addingTimeInterval(-2) && date < received.addingTimeInterval(2)
        offset.withLock { $0 = isPlausible ? 0 : date.timeIntervalSince(received) }
    }
}

extension ProviderClock {
    /// Validates what this provider signed by this machine's clock and, if that says that the time is wrong, by the
    /// provider's. Only one of the two can be wrong, and the signer could have signed any other time.
    func onEitherClock<Result>(_ validate: (Date) throws(OAuthError) -> Result) throws(OAuthError) -> Result {
        let (local, provider) = (localNow, now)
        do throws(OAuthError) {
            return try validate(local)
        } catch {
            guard error.isOfTime, provider != local else { throw error }
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
    fileprivate var isOfTime: Bool {
        [.issuedInFuture, .expiredToken, .notYetValid, .authenticationTooOld].contains(kind)
    }
}

extension Date {
    private static let months = "JanFebMarAprMayJunJulAugSepOctNovDec"

    /// A date in the form that senders must use, e.g. `Sun, 06 Nov 1994 08:49:37 GMT` (RFC 9110, section 5.6.7).
    init?(httpDate text: String) {
        let bytes = Array(text.utf8)
        guard bytes.count == 29, bytes[25...].elementsEqual(" GMT".utf8) else { return nil }
        func number(_ places: Range<Int>) -> Int32? { Int32(String(decoding: bytes[places], as: UTF8.self)) }
        let month = (0..<12).first { month in
            Self.months.utf8.dropFirst(3 * month).prefix(3).elementsEqual(bytes[8..<11])
        }
        guard let month, let day = number(5..<7), let year = number(12..<16), (1970...9999).contains(year),
            let hour = number(17..<19), let minute = number(20..<22), let second = number(23..<25)
        else { return nil }
        var parts = tm()
        parts.tm_year = year - 1900
        parts.tm_mon = Int32(month)
        (parts.tm_mday, parts.tm_hour, parts.tm_min, parts.tm_sec) = (day, hour, minute, second)
        self.init(timeIntervalSince1970: TimeInterval(timegm(&parts)))
    }
}
