import Carnet

/// A redirect URI that a program on this machine can listen on (RFC 8252, 7.3).
struct LoopbackRedirect {
    /// `127.0.0.1`, `[::1]` or `localhost`, as in the URI.
    let host: String
    /// `nil` if the URI has none.
    let port: Int?
    /// The path and query, as in the URI.
    let target: String
    /// Whether the callback may be a POST of a form.
    var takesForms = false

    /// - Throws: `UserAgentError`, `cannotListen`.
    init(_ uri: String) throws {
        let scheme = "http://"
        guard uri.lowercased().hasPrefix(scheme), uri.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            throw Self.refusal(uri)
        }
        let rest = uri.dropFirst(scheme.count)
        let authority = rest.prefix { !"/?#".contains($0) }
        guard
            let host = ["127.0.0.1", "[::1]", "localhost"].first(where: { authority.lowercased().hasPrefix($0) }),
            !rest.contains("#")
        else { throw Self.refusal(uri) }
        let suffix = authority.dropFirst(host.count)
        guard suffix.isEmpty || suffix.hasPrefix(":") else { throw Self.refusal(uri) }
        let digits = suffix.dropFirst()
        port = digits.allSatisfy(\.isNumber) ? Int(digits) : nil
        guard suffix.isEmpty || (1...65_535).contains(port ?? 0) else {
            throw UserAgentError(
                .cannotListen, "the redirect URI \(uri) has no port between 1 and 65535 after the colon")
        }
        self.host = host
        target = String(rest.dropFirst(authority.count))
    }

    private static func refusal(_ uri: String) -> UserAgentError {
        UserAgentError(
            .cannotListen,
            "the redirect URI \(uri) is not a loopback URI: it must be http://127.0.0.1, http://[::1] or "
                + "http://localhost, with or without a port, and with no fragment"
        )
    }

    /// Whether to listen on ::1 and not on 127.0.0.1, for each address. A browser may use either for `localhost`.
    var families: [Bool] {
        switch host {
        case "127.0.0.1": [false]
        case "[::1]": [true]
        default: [false, true]
        }
    }

    var path: String {
        let path = target.prefix { $0 != "?" }
        return path.isEmpty ? "/" : String(path)
    }

    func uri(port: Int) -> String { "http://\(host):\(port)\(target)" }

    /// The valid values of `Host`. Another one comes from DNS rebinding.
    func hostHeaders(port: Int) -> Set<String> { port == 80 ? [host, "\(host):80"] : ["\(host):\(port)"] }
}
