import CarnetFoundation
import CarnetLint
import HTTPTypes

/// What a proxy's configuration is made of.
package struct ProxySetup: Sendable {
    /// Where the proxy finds the gateway.
    package enum Gateway: Sendable {
        /// `ADDRESS:PORT`.
        case address(String)
        case socket(String)
    }

    /// How the proxy has https.
    package enum TLS: Sendable {
        /// It obtains a certificate for each host.
        case automatic
        /// One certificate for all hosts; no key if it is in the certificate's file.
        case certificate(String, key: String?)
    }

    package struct Host: Sendable {
        /// In lower case, or `*.` and a domain.
        package let name: String
        /// The longest path first; none if the host has the gateway's pages alone.
        package var programs: [Program]

        /// The part behind `*.`; `nil` for a host of its own.
        package var domain: String? { name.hasPrefix("*.") ? String(name.dropFirst(2)) : nil }
        /// Whether requests for any path go to a program.
        var isWhole: Bool { programs.contains { $0.path == "/" } }
    }

    package struct Program: Sendable {
        /// A number of its own, for names in the configuration.
        let number: Int
        /// With a slash at both ends.
        let path: String
        /// `ADDRESS:PORT`.
        package let address: String
        /// Whether the operator has to write the address.
        package let isGuess: Bool
    }

    /// Of the proxy's files, without a slash at the end.
    package let folder: String
    package let gateway: Gateway
    /// The port at which the proxy takes requests.
    let port: Int
    /// `nil` for plain HTTP.
    package let tls: TLS?
    /// Whether TLS ends in front of the proxy: people use https, and the proxy sees http.
    let isBehindTLS: Bool
    /// The port in the URLs that browsers show; `nil` for that of the scheme.
    let publicPort: Int?
    /// Names before those with `*.`, and longer ones first.
    package let hosts: [Host]
    /// The headers that a decision sets for the program, each once.
    let headers: [String]
    /// Those that no client sends: the gateway reads the client's `Authorization` and `Cookie`, and returns what goes on.
    var clientHeaders: [String] { headers.filter { !["authorization", "cookie"].contains($0.lowercased()) } }
    /// How many connections the gateway accepts.
    let connections: Int
    /// How many of them stay open.
    var keptConnections: Int { connections / 8 }
    /// How long a program may take to respond, in seconds; `nil` for what the proxy does by itself.
    let timeout: Int?
    /// The environment variable that has the secret; `nil` without one.
    package let secretVariable: String?
    /// Whether programs send access tokens, and so look for the metadata of the resource (RFC 9728).
    let acceptsTokens: Bool

    /// The headers of a client that go on in no spelling, but for those that identify the sender.
    let removed: [String]

    /// Those that have none of the beginnings.
    var removedBesideBeginnings: [String] {
        removed.filter { name in
            !RemovedHeaders.beginnings.contains { name.lowercased().hasPrefix($0.lowercased()) }
        }
    }

    /// Whether plain HTTP at port 80 leads to https.
    var redirects: Bool { tls != nil && port == 443 }

    static let metadataPath = "/.well-known/oauth-protected-resource"

    /// The programs of all hosts.
    var programs: [Program] { hosts.flatMap(\.programs) }

    /// Words in lines of at most 120 characters.
    func wrapped(_ words: [String], indent: String = "", separator: String = " ") -> String {
        var lines: [String] = []
        for word in words {
            if let last = lines.last, last.utf8.count + separator.utf8.count + word.utf8.count <= 120 {
                lines[lines.count - 1] = last + separator + word
            } else {
                lines.append(indent + word)
            }
        }
        return lines.joined(separator: separator.trimming(\.isWhitespace) + "\n")
    }

    /// Lines of a configuration, each from one value.
    func lines<Value>(_ values: [Value], indent: String = "", _ line: (Value) -> String) -> String {
        values.map { indent + line($0) }.joined(separator: "\n")
    }
}

extension ProxySetup {
    /// - Parameters:
    ///   - rules: Of the gateway file at `path`.
    ///   - programs: What `--program` says.
    ///   - connections: How many the gateway accepts.
    ///   - port: Where the proxy takes requests; by default the port of the origin, or 8080 if TLS ends before the proxy.
    /// - Throws: `WritingError` for what no proxy can express.
    package init(
        _ rules: GatewayRules, of path: String, in folder: String, gateway: Gateway, tls: TLS?, port: Int?,
        programs: [ProgramPlace], connections: Int, timeout: Int?
    ) throws {
        guard rules.proxy.dialect == .forwarded else {
            throw WritingError(
                "\(path): proxy.dialect is original, and these configurations send X-Forwarded-*",
                next: ["remove proxy.dialect"])
        }
        self.folder = folder
        self.connections = connections
        self.timeout = timeout
        self.gateway = gateway
        self.tls = tls
        let own = rules.origin.scheme == "http" ? 80 : 443
        isBehindTLS = tls == nil && own == 443
        self.port = port ?? (isBehindTLS ? 8080 : rules.origin.port ?? own)
        publicPort = rules.origin.port
        hosts = try Self.hosts(rules, path, programs)
        // The client's cookies without the gateway's own: with those, the program could be the person.
        let headers = try Self.headers(rules, path) + ["Cookie"]
        self.headers = headers
        removed = (RemovedHeaders.names + rules.proxy.removed.map(\.rawName)).filter { name in
            !headers.contains { $0.lowercased() == name.lowercased() }
        }
        secretVariable = rules.proxy.secret.map { place in
            if case .environment(let name) = place { name } else { "CARNET_PROXY_SECRET" }
        }
        acceptsTokens = rules.routes.contains { $0.acceptsTokens }
    }

    private static func headers(_ rules: GatewayRules, _ path: String) throws -> [String] {
        var headers: [String] = []
        for (name, line) in rules.programHeaders.map({ ($0.name.rawName, $0.line) }) {
            guard !RemovedHeaders.reserves(name) else {
                throw WritingError(
                    "\(path)\(line.map { ":\($0)" } ?? ""): a proxy needs the header \(name) for itself",
                    next: ["choose another name, such as X-Auth-User"])
            }
            if !headers.contains(where: { $0.lowercased() == name.lowercased() }) { headers.append(name) }
        }
        return headers
    }

    private static func hosts(_ rules: GatewayRules, _ path: String, _ places: [ProgramPlace]) throws -> [Host] {
        let origin = HostName(rules.origin.host).text
        guard !origin.utf8.contains(UInt8(ascii: ":")) else {
            throw WritingError(
                "\(path): the origin has an IPv6 address", next: ["write a name, such as http://localhost:8080"])
        }
        var names = rules.routes.flatMap(\.hosts)
        // A route without a host decides about the origin, and so does one for names above it.
        let hasProgram = rules.routes.contains { route in
            route.hosts.isEmpty
                || route.hosts.contains { $0 == origin || $0.hasPrefix("*.") && origin.hasSuffix($0.dropFirst(1)) }
        }
        names.append(origin)
        names = Set(names).sorted { first, second in
            let (firstIsDomain, secondIsDomain) = (first.hasPrefix("*."), second.hasPrefix("*."))
            if firstIsDomain != secondIsDomain { return secondIsDomain }
            return firstIsDomain && first.utf8.count != second.utf8.count
                ? first.utf8.count > second.utf8.count : first < second
        }
        if let wrong = places.first(where: { !names.contains($0.host) }) {
            throw WritingError(
                unknown: wrong.host, "host", in: names,
                next: "--program takes a host of the file: \(names.joined(separator: ", "))")
        }
        for (index, place) in places.enumerated() {
            guard !places[..<index].contains(where: { $0.host == place.host && $0.path == place.path }) else {
                throw WritingError(
                    "--program names \(place.host)\(place.path) twice", next: ["name each place once"])
            }
        }
        var number = 0
        // No guess is the program of another place: a route for anyone there would open it.
        var taken = Set(places.compactMap(\.address))
        func guess() -> String {
            let ports = (9_000 + number)...
            let address = ports.lazy.map { "127.0.0.1:\($0)" }.first { !taken.contains($0) } ?? ""
            taken.insert(address)
            return address
        }
        return names.map { name in
            var own = places.filter { $0.host == name }
            if own.isEmpty, name != origin || hasProgram {
                own = [ProgramPlace(host: name, path: "/", address: nil)]
            }
            let programs = own.sorted { ($0.path.utf8.count, $1.path) > ($1.path.utf8.count, $0.path) }.map { place in
                number += 1
                return Program(
                    number: number, path: place.path, address: place.address ?? guess(), isGuess: place.address == nil)
            }
            return Host(name: name, programs: programs)
        }
    }
}

/// Where the program of a host, or of a path of it, is: the value of `--program`.
package struct ProgramPlace: Sendable {
    let host: String
    let path: String
    /// `nil` for one that the operator has to write.
    let address: String?
}

extension ProgramPlace {
    /// - Parameter text: `HOST=URL`, or `HOST/PATH/=URL`.
    /// - Throws: `WritingError`.
    package init(_ text: String) throws {
        let parts = text.split(separator: "=", maxSplits: 1).map(String.init)
        let place = parts.first ?? ""
        let slash = place.firstIndex(of: "/") ?? place.endIndex
        let path = slash == place.endIndex ? "/" : String(place[slash...])
        var target = parts.count == 2 ? parts[1] : ""
        if target.hasPrefix("http://") { target.removeFirst("http://".count) }
        if target.hasSuffix("/") { target.removeLast() }
        guard let address = Self.address(target), path.hasSuffix("/"), Self.isPlain(path) else {
            throw WritingError(
                "--program \(text) is not a host and the URL of its program",
                next: [
                    "write: --program wiki.apps.example=http://127.0.0.1:9001",
                    "or for one path: --program apps.example/notes/=http://127.0.0.1:9002",
                ])
        }
        self.init(host: place[..<slash].lowercased(), path: path, address: address)
    }

    /// A name or an IPv4 address with a port.
    package static func address(_ text: String) -> String? {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2, let port = Int(parts[1]), (1...65_535).contains(port), !parts[0].isEmpty,
            isPlain(String(parts[0])), !parts[0].contains("/")
        else { return nil }
        return "\(parts[0]):\(port)"
    }

    /// Whether no proxy's language gives a character of a path a meaning of its own.
    package static func isPlain(_ text: String) -> Bool {
        text.utf8.allSatisfy { ASCII.isAlphanumeric($0) || "-._~/".utf8.contains($0) }
    }
}
