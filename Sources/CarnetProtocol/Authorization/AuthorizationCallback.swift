import CarnetDescriptors
import CarnetFoundation

/// The authorization response as it arrived with the user's browser. Nothing in it is trusted yet.
public struct AuthorizationCallback: Sendable {
    /// The redirect URI part: everything before `?` and `#`.
    package let location: String
    /// The query, or the form body of a POST, still encoded.
    let encodedParameters: String
    /// The fragment. Only an application that receives the whole URL gets it.
    let encodedFragment: String
    /// Whether it came by POST.
    let isPosted: Bool

    /// A callback by GET.
    ///
    /// - Parameter url: The whole callback URL.
    public init(url: String) {
        (location, encodedParameters, encodedFragment) = url.withBytes { bytes in
            func text(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }
            let end = bytes.place(of: UInt8(ascii: "#")) ?? bytes.count
            let mark = bytes.place(of: UInt8(ascii: "?")) ?? end
            let question = min(mark, end)
            return (
                text(0..<question), text(min(question + 1, end)..<end), text(min(end + 1, bytes.count)..<bytes.count)
            )
        }
        isPosted = false
    }

    /// A callback by POST (OAuth 2.0 Form Post Response Mode). It is rejected unless the descriptor has
    /// `authorization.response_mode: form_post`.
    ///
    /// - Parameters:
    ///   - url: The URL that was posted to.
    ///   - form: The body, `application/x-www-form-urlencoded`.
    public init(postedTo url: String, form: String) {
        let address = AuthorizationCallback(url: url)
        location = address.location
        encodedFragment = address.encodedFragment
        encodedParameters = [address.encodedParameters, form].filter { !$0.isEmpty }.joined(separator: "&")
        isPosted = true
    }
}

extension AuthorizationCallback: Redacted {
    package var summary: String { "\(location)?[redacted]" }
}

extension AuthorizationCallback {
    /// The decoded parameters; `nil` if they are malformed. A description in another encoding than UTF-8 hides nothing else: it
    /// is for people, and decides nothing.
    var pairs: [(name: String, value: String)]? {
        if let pairs = PercentEncoding.decodeForm(encodedParameters) { return pairs }
        let name = "error_description"
        let others = encodedParameters.split(separator: "&").filter { !$0.hasPrefix("\(name)=") }
        return PercentEncoding.decodeForm(others.joined(separator: "&")).map {
            $0 + [(name, "(the description is not UTF-8)")]
        }
    }

    /// Whether it has a parameter of an authorization response.
    package var isResponse: Bool { names.contains { ["code", "state"].contains($0) || $0.hasPrefix("error") } }

    /// Whether a parameter is an error for this callback: some servers send an empty one beside the code.
    static func isError(_ value: String?, besides code: String?) -> Bool {
        value.map { !$0.isEmpty || code == nil } ?? false
    }

    /// Whether it reports an error instead of a code.
    package var hasError: Bool {
        func value(_ name: String) -> String? { pairs?.first { $0.name.isSameBytes(as: name) }?.value }
        return Self.isError(value("error"), besides: value("code"))
    }

    /// What a callback that belongs to no sign-in says, for the terminal or the log: its error, or the names of its
    /// parameters. Anybody can send one, so it decides nothing. Values that no standard calls an error are not shown.
    package var report: String {
        let remedy =
            hasState || !names.contains("code") ? "" : " (for a provider that never returns it: authorization.state)"
        let state =
            names.count { $0 == "state" } > 1
            ? "that has state twice" : hasState ? "with another state" : "without a state"
        return "a callback \(state) arrived\(contents)\(remedy)"
    }

    private var names: [Substring] { encodedParameters.split(separator: "&").map { $0.prefix { $0 != "=" } } }

    private var hasState: Bool {
        encodedParameters.split(separator: "&").contains { $0.hasPrefix("state=") && $0 != "state=" }
    }

    /// The same of a request that is no callback.
    ///
    /// - Parameter difference: What it has instead.
    package func report(_ difference: String) -> String { "a callback arrived \(difference)\(contents)" }

    private var contents: String {
        let pairs = encodedParameters.utf8.split(separator: UInt8(ascii: "&")).prefix(50).compactMap { pair in
            let text = String(Substring(pair))
            // A value in another encoding than UTF-8 hides no other value.
            return PercentEncoding.decodeForm(text)?.first
                ?? (name: String(text.prefix { $0 != "=" }), value: "(a value that is not UTF-8)")
        }
        // Each server names them alike.
        let words = ["description", "message", "reason", "msg"]
        func isReason(_ name: String) -> Bool { words.contains { name.lowercased().contains($0) } }
        func value(where isMeant: (String) -> Bool) -> String? {
            pairs.first { isMeant($0.name) && !$0.value.isEmpty }?.value
        }
        func isCode(_ name: String) -> Bool {
            let name = name.lowercased()
            return name.hasPrefix("error") && name != "error_uri" && !isReason(name)
        }
        let code = (value { $0 == "error" } ?? value(where: isCode))?.quotable(limit: 80)
        let reason = value(where: isReason).map { "\"\($0.quotable(limit: 300))\"" }
        let error = [code, reason].compactMap { $0 }
        guard error.isEmpty else { return ": \(error.joined(separator: ", "))" }
        let names = pairs.prefix(10).map { $0.name.quotable(limit: 40) }.joined(separator: ", ")
        guard names.isEmpty else { return ", with the parameters \(names)" }
        let place = encodedFragment.isEmpty ? "perhaps it had them" : "it has them"
        return ", with no parameters: \(place) after #, so register the client for the code flow (response_type=code)"
    }
}
