import CarnetProtocol
import CarnetTestSupport
import Foundation

/// Searches what a host could see for what nobody may see.
struct Leaks {
    /// What is looked for, by its first eight bytes.
    private var forms: [UInt64: Set<[UInt8]>] = [:]

    private static let beginning = 8

    /// - Parameter secrets: What was issued or sent; looked for as it is, percent-encoded, in base64, and by its first
    ///   eight bytes, which are as good as the whole to whoever guesses the rest from a log of another service.
    init(of secrets: some Collection<String>) {
        for secret in secrets {
            for form in [
                secret, PercentEncoding.encode(secret), Data(secret.utf8).base64EncodedString(),
                base64URL(Data(secret.utf8)), secret.replacingOccurrences(of: "/", with: "\\/"),
            ] { insert(form) }
            // Every JWT begins alike; what is secret of it begins after its last dot.
            let distinct = secret.hasPrefix("eyJ") ? secret.split(separator: ".").last ?? "" : secret[...]
            insert(String(decoding: distinct.utf8.prefix(Self.beginning), as: UTF8.self))
        }
    }

    private mutating func insert(_ form: String) {
        let bytes = Array(form.utf8)
        guard bytes.count >= Self.beginning else { return }
        let beginning = bytes.prefix(Self.beginning).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        forms[beginning, default: []].insert(bytes)
    }

    /// The secrets that a text shows.
    func found(in text: String) -> [String] {
        // By bytes: a combining mark after a secret hides it from a search by characters.
        let bytes = Array(text.utf8)
        var found: Set<[UInt8]> = []
        var window: UInt64 = 0
        for (index, byte) in bytes.enumerated() {
            window = window << 8 | UInt64(byte)
            let start = index + 1 - Self.beginning
            guard start >= 0, let candidates = forms[window] else { continue }
            found.formUnion(candidates.filter { bytes[start...].starts(with: $0) })
        }
        return found.map { String(decoding: $0, as: UTF8.self) }.sorted()
    }
}
