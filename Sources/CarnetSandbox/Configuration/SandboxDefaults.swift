package import CarnetFoundation

/// The default sources of time and randomness.
package enum SandboxDefaults {
    @Sendable package static func now() -> Date { Date() }

    /// Waits in real time.
    @Sendable package static func sleep(_ duration: Duration) async throws { try await Task.sleep(for: duration) }

    @Sendable package static func randomBytes(_ count: Int) -> [UInt8] {
        var generator = SystemRandomNumberGenerator()
        return (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
    }
}

/// Time and randomness of one sandbox.
struct Seams: Sendable {
    let now: @Sendable () -> Date
    let randomBytes: @Sendable (Int) -> [UInt8]

    /// 256 random bits in base64url.
    func randomText() -> String { Base64URL.encode(randomBytes(32)) }
}

extension Date {
    var secondsSince1970: Int { Int(timeIntervalSince1970.rounded(.down)) }
}
