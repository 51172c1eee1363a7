import Carnet

/// A redirect URI that a program on this machine can listen on (RFC 8252, 7.3).
struct LoopbackRedirect {
    /// `127.0.0.1`, `[::1]` or `localhost`, as the URI has it.
    let host: String
    /// `nil` if the URI leaves it open.
    let port: Int?
    /// The path and query, as the URI has them.
    let target: String
    /// Whether the callback may be the form of a POST.
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
        if suffix.isEmpty {
            port = nil
        } else {
            guard
                suffix.hasPrefix(":"), suffix.dropFirst().allSatisfy(\.isNumber),
                let number = Int(suffix.dropFirst()), (1...65_535).contains(number)
            else { throw Self.refusal(uri) }
            port = number
        }
        self.host = host
        target = String(rest.dropFirst(authority.count))
    }

    private static func refusal(_ uri: String) -> UserAgentError {
        UserAgentError(
            .cannotListen,
            "the redirect URI \(uri) cannot be listened on: it has to be http://127.0.0.1, http://[::1] or "
                + "http://localhost, with or without a port, and with no fragment"
        )
    }

    /// The addresses to listen on, never those of a network. A browser may take `localhost` for either.
    var addresses: [String] {
        switch host {
        case "127.0.0.1": ["127.0.0.1"]
        case "[::1]": ["::1"]
        default: ["127.0.0.1", "::1"]
        }
    }

    /// The path of a callback.
    var path: String {
        let path = target.prefix { $0 != "?" }
        return path.isEmpty ? "/" : String(path)
    }

    func uri(port: Int) -> String { "http://\(host):\(port)\(target)" }

    /// What a browser may send as `Host`; anything else comes through a name that was rebound to loopback.
    func hostHeaders(port: Int) -> Set<String> {
        port == 80 ? [host, "\(host):80"] : ["\(host):\(port)"]
    }
}
