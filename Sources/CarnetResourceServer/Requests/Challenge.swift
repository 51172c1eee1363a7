import CarnetFoundation
import HTTPTypes

/// The parameters of a `WWW-Authenticate` field (RFC 6750, section 3; RFC 9728, section 5.1).
struct Challenge {
    private var parameters: [(name: String, value: String)] = []

    mutating func add(_ name: String, _ value: String?) {
        guard let value else { return }
        parameters.append((name, value))
    }

    /// - Parameter scheme: `Bearer` or `DPoP`.
    func field(_ scheme: String) -> String {
        parameters.isEmpty
            ? scheme
            : scheme + " " + parameters.map { "\($0.name)=\"\(Self.quoted($0.value))\"" }.joined(separator: ", ")
    }

    /// Only the characters that RFC 6750, section 3 allows in a description, so that no value can end the quotes.
    private static func quoted(_ value: String) -> String {
        let allowed = value.utf8.map { (0x20...0x7E).contains($0) && $0 != 0x22 && $0 != 0x5C ? $0 : 0x27 }
        return String(decoding: allowed, as: UTF8.self)
    }
}
