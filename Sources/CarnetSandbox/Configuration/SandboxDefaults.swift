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

    /// Random text in the form of a sample: a beginning such as `xoxb-` stays, and letters stay letters. A value that was
    /// taken out of the sample has no form.
    func randomText(like sample: String?) -> String {
        guard let sample, sample.utf8.count <= 1024, !sample.lowercased().contains("redacted"),
            !sample.hasPrefix("["), !sample.hasPrefix("<")
        else { return randomText() }
        var runs: [(isWord: Bool, bytes: [UInt8])] = []
        for byte in sample.utf8 {
            let isWord = ASCII.isAlphanumeric(byte)
            if runs.last?.isWord == isWord {
                runs[runs.count - 1].bytes.append(byte)
            } else {
                runs.append((isWord, [byte]))
            }
        }
        let words = runs.indices.filter { runs[$0].isWord }
        guard let first = words.first, let last = words.last else { return randomText() }
        // A placeholder, such as `x`.
        if first == last, runs[first].bytes.count < 8 { return randomText() }
        let changed = words.filter { $0 != first || first == last }
        // Two tokens must differ, however short the sample is.
        let missing = 24 - changed.reduce(0) { $0 + runs[$1].bytes.count }
        if missing > 0, let end = runs[last].bytes.last { runs[last].bytes += [UInt8](repeating: end, count: missing) }
        for index in changed {
            let random = randomBytes(runs[index].bytes.count)
            runs[index].bytes = zip(runs[index].bytes, random).map { byte, random in
                switch byte {
                case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt8(ascii: "0") + random % 10
                case UInt8(ascii: "a")...UInt8(ascii: "z"): UInt8(ascii: "a") + random % 26
                default: UInt8(ascii: "A") + random % 26
                }
            }
        }
        return String(decoding: runs.flatMap(\.bytes), as: UTF8.self)
    }
}

extension Date {
    var secondsSince1970: Int { Int(timeIntervalSince1970.rounded(.down)) }
}
