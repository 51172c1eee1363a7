package import CarnetFoundation
import HTTPTypes

/// When a server asked for the next request (RFC 9110, section 10.2.3).
package struct RetryAfter: Hashable, Sendable {
    /// The pause from the response on, in seconds: more than zero, at most `longest`.
    package let seconds: TimeInterval
    /// The end of the pause by this machine's clock.
    package let date: Date

    /// The longest pause that a server can ask for, in seconds. After it, one request asks again: a wrong value must
    /// not stop an account for days.
    package static let longest: TimeInterval = 3600

    package init(seconds: TimeInterval, from now: Date) {
        self.seconds = min(seconds, Self.longest)
        date = now.addingTimeInterval(self.seconds)
    }

    /// - Parameter now: When the response came, by this machine's clock.
    /// - Returns: `nil` without a readable field, and for a time that has passed.
    package init?(of response: IncomingResponse, at now: Date) {
        let fields = response.head.headerFields
        guard let text = fields.value(of: .retryAfter), let seconds = Self.seconds(text, fields, now), seconds > 0
        else { return nil }
        self.init(seconds: seconds, from: now)
    }

    private static func seconds(_ text: String, _ fields: HTTPFields, _ now: Date) -> TimeInterval? {
        guard !text.utf8.allSatisfy(ASCII.isDigit) else {
            // A number that no integer can hold is longer than any limit.
            return text.isEmpty ? nil : Int(text).map { TimeInterval($0) } ?? longest
        }
        guard let end = Date(httpDate: text, now: now) else { return nil }
        // The server counts by its own clock, which the same response shows.
        let sent = fields.value(of: .date).flatMap { Date(httpDate: $0, now: now) } ?? now
        return end.timeIntervalSince(sent)
    }

    /// What to do, for a message.
    package var hint: String {
        let seconds = Int(seconds.rounded(.up))
        return "try again in \(seconds == 1 ? "1 second" : "\(seconds) seconds"), as the server asks"
    }
}
