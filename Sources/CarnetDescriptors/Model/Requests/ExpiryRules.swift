package import CarnetFoundation

/// How a token response states when the access token ends, where it is not the lifetime in seconds of RFC 6749,
/// section 5.1.
package struct ExpiryRules: DescriptorSection, Sendable {
    package internal(set) var kind = ExpiryKind.seconds
    package internal(set) var zeroMeans = ZeroLifetime.now

    static let shorthand: String? = "kind"

    static let keys: [Key<Self>] = [
        Key("kind", \.kind, "the meaning of the value: a lifetime in a unit, or the time of expiry"),
        Key("zero_means", \.zeroMeans, "the meaning of zero: the token has expired, or never expires"),
    ]
}

package enum ExpiryKind: String, DescriptorChoice, Sendable {
    case seconds
    case minutes
    case milliseconds
    /// The expiry in seconds since 1970.
    case epoch
    case epochMilliseconds = "epoch_milliseconds"
    /// The expiry as a date with time and zone (ISO 8601; RFC 3339).
    case iso8601

    /// How many seconds one of the unit is; `nil` for a date as text.
    package var unit: Double? {
        switch self {
        case .seconds, .epoch: 1
        case .minutes: 60
        case .milliseconds, .epochMilliseconds: 0.001
        case .iso8601: nil
        }
    }

    /// Whether the value is a point in time and not a lifetime.
    package var isAbsolute: Bool { [.epoch, .epochMilliseconds, .iso8601].contains(self) }
}

package enum ZeroLifetime: String, DescriptorChoice, Sendable {
    case now, never
}

/// When an access token ends, as far as a response says it.
package enum TokenExpiry: Hashable, Sendable {
    /// After so many seconds.
    case after(Double)
    case at(Date)
    case never
}

extension ExpiryRules {
    /// The expiry that a response states.
    package enum Reading: Hashable, Sendable {
        case expiry(TokenExpiry)
        /// A number that cannot be an expiry.
        case unknown
        /// Neither a number nor a date.
        case wrongType
    }

    /// Reads a number, a string that is one, or a date. A hundred years is the most that is believed, so that more
    /// counts as that; a negative number says nothing.
    package func reading(of value: JSONValue) -> Reading {
        guard let unit = kind.unit else { return Self.date(value).map { .expiry(.at($0)) } ?? .wrongType }
        let number = value.double ?? value.string.flatMap { try? JSONValue(parsing: $0) }.flatMap(\.double)
        guard let number else { return .wrongType }
        if number == 0, zeroMeans == .never { return .expiry(.never) }
        guard number >= 0 else { return .unknown }
        let seconds = min(number * unit, kind.isAbsolute ? Self.lastMoment : Self.longestLifetime)
        return .expiry(kind.isAbsolute ? .at(Date(timeIntervalSince1970: seconds)) : .after(seconds))
    }

    /// Whether another kind than the descriptor's reads a value: a date as text.
    package func isDate(_ value: JSONValue) -> Bool { kind != .iso8601 && Self.date(value) != nil }

    private static func date(_ value: JSONValue) -> Date? {
        guard let text = value.string, text.utf8.count <= longestDate else { return nil }
        return (try? Date(text, strategy: Date.ISO8601FormatStyle(includingFractionalSeconds: true)))
            ?? (try? Date(text, strategy: Date.ISO8601FormatStyle()))
    }

    private static let longestDate = 64
    private static let longestLifetime = 3_155_760_000.0
    /// The year 9999; a lifetime in milliseconds that is taken for seconds is beyond it sooner than a date is.
    private static let lastMoment = 253_402_300_799.0
}
