package import HTTPTypes

/// A resource that a request reads or writes besides the one of its target. See `Docs/decisions/gateway.md`.
package enum SecondTarget: Hashable, Sendable {
    /// All below the path of the target.
    case below
    /// The value of `Destination`, and all below both paths.
    case destination(String)
    /// The body names it, or a header in a form of its own. So does a method of which nothing is known.
    case hidden

    /// Methods that act on their target alone.
    private static let single: Set = [
        "CONNECT", "GET", "HEAD", "MKCALENDAR", "MKCOL", "OPTIONS", "PATCH", "POST", "PROPPATCH", "PUT", "QUERY",
        "TRACE",
    ]

    /// Methods that act on all below their target too (RFC 4918, sections 9.1, 9.6, 9.10 and 9.11; RFC 3744, section 8.1).
    private static let deep: Set = ["ACL", "DELETE", "LOCK", "PROPFIND", "UNLOCK"]

    /// Headers by which stores of objects copy or move another object here.
    private static let sources = [
        "X-Copy-From", "X-Amz-Copy-Source", "X-Amz-Rename-Source", "X-Goog-Copy-Source", "X-Ms-Copy-Source",
        "X-Ms-Rename-Source", "X-Oss-Copy-Source", "X-Cos-Copy-Source", "X-Obs-Copy-Source",
    ]

    /// The headers that a proxy must send with its question.
    package static let headers = ["Destination"] + sources

    init?(of method: String, _ fields: HTTPFields) {
        if Self.sources.contains(where: { HTTPField.Name($0).map(fields.contains) ?? false }) {
            self = .hidden
        } else if method == "COPY" || method == "MOVE" {
            let values = HTTPField.Name("Destination").map { fields[values: $0] } ?? []
            self = values.count == 1 && !values[0].isEmpty ? .destination(values[0]) : .hidden
        } else if !Self.single.contains(method) {
            self = Self.deep.contains(method) ? .below : .hidden
        } else {
            return nil
        }
    }

    /// What the method has besides its target.
    var reach: String { self == .below ? "an effect on all below its path" : "a second target" }
}
