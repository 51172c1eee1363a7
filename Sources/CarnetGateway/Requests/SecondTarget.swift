package import HTTPTypes

/// A resource that a request reads or writes besides the one of its target. See `Docs/decisions/gateway.md`.
package enum SecondTarget: Hashable, Sendable {
    /// The value of `Destination`.
    case destination(String)
    /// The body names it, or a header in a form of its own.
    case hidden

    /// Methods whose bodies name other resources: RFC 3253, RFC 4437, RFC 5323, RFC 5842, and RFC 2068, section 19.6.1.
    private static let methods: Set = [
        "BASELINE-CONTROL", "BIND", "LINK", "MERGE", "MKREDIRECTREF", "REBIND", "REPORT", "SEARCH", "UNLINK", "UPDATE",
        "UPDATEREDIRECTREF", "VERSION-CONTROL",
    ]

    /// Headers by which stores of objects copy or move another object here.
    private static let sources = [
        "X-Copy-From", "X-Amz-Copy-Source", "X-Amz-Rename-Source", "X-Goog-Copy-Source", "X-Ms-Copy-Source",
        "X-Ms-Rename-Source", "X-Oss-Copy-Source", "X-Cos-Copy-Source", "X-Obs-Copy-Source",
    ]

    /// The headers that a proxy must send with its question.
    package static let headers = ["Destination"] + sources

    init?(of method: String, _ fields: HTTPFields) {
        let copies = Self.sources.contains { HTTPField.Name($0).map(fields.contains) ?? false }
        if method == "COPY" || method == "MOVE", !copies {
            let values = HTTPField.Name("Destination").map { fields[values: $0] } ?? []
            self = values.count == 1 && !values[0].isEmpty ? .destination(values[0]) : .hidden
        } else if copies || method == "COPY" || method == "MOVE" || Self.methods.contains(method) {
            self = .hidden
        } else {
            return nil
        }
    }
}
