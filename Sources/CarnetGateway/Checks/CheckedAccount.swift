package import CarnetDescriptors
import CarnetFoundation

/// A sender that somebody made up to check decisions.
package struct CheckedAccount: Sendable {
    var provider: ProviderID?
    var isProgram = false
    var issuer: String?
    var subject: String?
    var name: String?
    var email: String?
    var isEmailVerified: Bool?
    var groups: [String] = []
    var clientID: String?
    var scopes: [String] = []
    var claims = JSONObject()

    /// The identity in a gateway with these rules. Without a provider, the first of the file states it.
    package func identity(in gateway: Gateway) -> GatewayIdentity {
        let rules = gateway.rules
        let first = isProgram ? rules.bearer.first?.provider : rules.providers.first?.id
        let provider = self.provider ?? first ?? ProviderID(rawValue: "")
        var claims = claims
        if !groups.isEmpty, let place = rules.provider(provider)?.groups {
            claims.set(.array(groups.map(JSONValue.string)), as: place)
        }
        let tenants = gateway.tenants[provider]
        return GatewayIdentity(
            kind: isProgram ? .program : .person, provider: provider,
            issuer: issuer ?? tenants?.filled { _, claim in claims[claim]?.string }, subject: subject, name: name,
            email: email, isEmailVerified: isEmailVerified, clientID: clientID, scopes: Set(scopes), claims: claims,
            tenants: tenants)
    }
}

extension CheckedAccount: GatewaySection {
    init(at node: YAMLNode) {}

    static let keys: [Key<Self>] = [
        Key("provider", text: .provider, \.provider, "the provider; default: the first of the gateway file"),
        Key("program", \.isProgram, "whether it is a program with an access token; default: false"),
        Key("issuer", text: .string, \.issuer, "the issuer"),
        Key("subject", text: .string, \.subject, "the provider's id of the account"),
        Key("name", text: .string, \.name, "the name of the person"),
        Key("email", text: .string, \.email, "the e-mail address"),
        Key(
            "email_verified", \.isEmailVerified,
            "whether the provider states that the address is verified; default: it does not say"),
        Key("groups", oneOrMore: .string, \.groups, "a group, or a list; they are put where the provider has them"),
        Key("client_id", text: .string, \.clientID, "the client that a program's token was issued to"),
        Key("scopes", oneOrMore: .scope, \.scopes, "a granted scope, or a list, with all that they imply"),
        Key("claims", .map(of: .json), "other claims") { node, account, decoder in
            guard case .object(let claims) = JSONValue(node) else {
                decoder.reportWrongType(node, expected: .map(of: .json))
                return
            }
            account.claims = claims
        },
    ]

    static func elsewhere(_ name: String) -> String? {
        switch name {
        case "group": "it is groups"
        case "scope": "it is scopes"
        case "claim": "it is claims"
        case "token": "it is program: true"
        default: nil
        }
    }

    /// - Throws: `GatewayFileMistake` if the file has a mistake.
    package init(_ file: SourceFile) throws(GatewayFileMistake) {
        let document = YAMLReader().read(file)
        var decoder = DescriptorDecoder(file: file.path)
        let account = document.root.flatMap { CheckedAccount($0, &decoder) }
        let found = (document.diagnostics + decoder.diagnostics).sorted()
        guard found.isEmpty, let account else { throw GatewayFileMistake(file: file, diagnostics: found) }
        self = account
    }

    /// An account of `key=value`; a key that is repeated makes a list, and `claims.NAME` is a claim.
    ///
    /// - Throws: `GatewayFileMistake` with the first mistake.
    package init(values: [String]) throws(GatewayFileMistake) {
        var (entries, claims): ([YAMLEntry], [YAMLEntry]) = ([], [])
        for text in values {
            guard let equals = text.utf8.firstIndex(of: UInt8(ascii: "=")), equals > text.startIndex else {
                throw GatewayFileMistake(reason: "\"\(text)\" is neither a file nor KEY=VALUE")
            }
            let key = String(text[..<equals])
            let written = text[equals...].dropFirst()
            if Self.lists.contains(key), written.utf8.contains(UInt8(ascii: ",")) {
                let parts = written.split(separator: ",").map { part in
                    "\(key)=" + String(part).trimming { "[] ".utf8.contains($0.asciiValue ?? 0) }
                }
                throw GatewayFileMistake(
                    reason: "--as: \(text) would be one value with a comma; write \(parts.joined(separator: " "))")
            }
            let value = YAMLNode(.scalar(YAMLScalar(String(written), isPlain: true)), span: .fileStart)
            if key.hasPrefix("claims.") {
                Self.add(String(key.dropFirst("claims.".count)), value, to: &claims)
            } else {
                Self.add(key, value, to: &entries)
            }
        }
        if !claims.isEmpty {
            entries.append(
                YAMLEntry(key: "claims", keySpan: .fileStart, value: YAMLNode(.mapping(claims), span: .fileStart)))
        }
        var decoder = DescriptorDecoder(file: "--as")
        let account = CheckedAccount(YAMLNode(.mapping(entries), span: .fileStart), &decoder)
        guard decoder.diagnostics.isEmpty, let account else {
            let mistake = decoder.diagnostics.first
            throw GatewayFileMistake(
                reason: "--as: " + [mistake?.message, mistake?.help].compactMap { $0 }.joined(separator: "; "))
        }
        self = account
    }

    /// The keys that may be repeated.
    private static let lists = ["groups", "scopes"]

    private static func add(_ key: String, _ value: YAMLNode, to entries: inout [YAMLEntry]) {
        guard let index = entries.firstIndex(where: { $0.key == key }) else {
            entries.append(YAMLEntry(key: key, keySpan: .fileStart, value: value))
            return
        }
        let earlier = entries[index].value
        entries[index].value = YAMLNode(.sequence((earlier.elements ?? [earlier]) + [value]), span: .fileStart)
    }
}

/// A file for checks that cannot be read, or values on the command line.
package struct GatewayFileMistake: Error {
    package var file: SourceFile?
    package var diagnostics: [Diagnostic] = []
    package var reason = ""
}

extension JSONObject {
    /// Sets a claim by its name, or by a JSON Pointer through objects.
    fileprivate mutating func set(_ value: JSONValue, as name: String) {
        guard name.utf8.first == UInt8(ascii: "/"), let pointer = JSONPointer(name) else {
            self[name] = value
            return
        }
        set(value, at: pointer.tokens[...])
    }

    private mutating func set(_ value: JSONValue, at tokens: ArraySlice<String>) {
        guard let first = tokens.first else { return }
        guard tokens.count > 1 else {
            self[first] = value
            return
        }
        var inner = self[first]?.object ?? JSONObject()
        inner.set(value, at: tokens.dropFirst())
        self[first] = .object(inner)
    }
}
