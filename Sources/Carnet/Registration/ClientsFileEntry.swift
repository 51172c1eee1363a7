package import CarnetDescriptors
import CarnetFoundation
import CarnetProtocol

/// The registration of one provider, as written.
package struct ClientsFileEntry {
    enum SecretPlace {
        case inline(Secret)
        case elsewhere(KeyPlace)
    }

    let id: String
    var source = ClientSource()
    var secret: SecretPlace?
    var key: KeyPlace?
    var keyID: String?
    var certificate: KeyPlace?
    var certificateKey: KeyPlace?
    var dpopKey: KeyPlace?
    var decryptionKey: KeyPlace?
    /// Where and with what the registration is managed (RFC 7592, section 3).
    var managementURI: String?
    var managementToken: Secret?
    /// The keys whose values are probably not what was meant.
    var oddities: [(key: String, value: String)] = []
    var lines: [(key: String, line: Int)] = []

    var secretPlace: KeyPlace? { if case .elsewhere(let place) = secret { place } else { nil } }

    /// Where secret, keys and certificates are, if not here.
    var places: [KeyPlace] {
        [secretPlace, key, certificate, certificateKey, dpopKey, decryptionKey].compactMap { $0 }
    }
}

extension ClientsFileEntry {
    private static let keys: [Key<Self>] = [
        text("client_id", "the id that the provider gave the client (RFC 6749, section 2.2)") {
            $0.source.clientID = $1
        },
        text("client_secret", "the client secret; only the owner may read the file then") {
            $0.secret = .inline(Secret($1))
        },
        text("client_secret_env", "the environment variable with the client secret") {
            $0.secret = .elsewhere(.variable($1))
        },
        text("client_secret_file", "the file with the client secret") { $0.secret = .elsewhere(.file($1)) },
        text("client_key_file", "the file with the client's signing key: PEM, a JWK or a JWK set") {
            $0.key = .file($1)
        },
        text("client_key_env", "the environment variable with the client's signing key") { $0.key = .variable($1) },
        text("client_key_id", "the `kid` of a signing key that states none") { $0.keyID = $1 },
        text("client_certificate_file", "the file with the client's certificate (RFC 8705)") {
            $0.certificate = .file($1)
        },
        text("client_certificate_key_file", "the file with the certificate's key, if it is in another file") {
            $0.certificateKey = .file($1)
        },
        text("dpop_key_file", "the file with the key of DPoP proofs (RFC 9449)") { $0.dpopKey = .file($1) },
        text("decryption_key_file", "the file with the keys that decrypt ID tokens") { $0.decryptionKey = .file($1) },
        text("redirect_uri", "the redirect URI; default: http://127.0.0.1/callback") { $0.source.redirectURI = $1 },
        text("post_logout_redirect_uri", "where the provider sends the browser after a sign-out") {
            $0.source.postLogoutRedirectURI = $1
        },
        Key("inputs", .map(of: text), "the values of the descriptor's inputs, by name") { node, entry, decoder in
            guard let inputs = node.entries else { return decoder.reportWrongType(node, expected: .map(of: text)) }
            for input in inputs {
                entry.source.inputs[input.key] = read(input.value, &decoder)
                entry.noteOddity(entry.source.inputs[input.key], at: "inputs.\(input.key)")
            }
        },
        text("environment", "the environment of the provider that is used") { $0.source.environment = $1 },
        Key("scopes", .either([text, .list(of: text)]), "the scopes of a sign-in: a list, or one string with spaces") {
            node, entry, decoder in
            entry.source.scopes =
                node.elements?.compactMap { read($0, &decoder) }
                ?? read(node, &decoder)?.split(separator: " ").map(String.init)
        },
        text("registration_client_uri", "where the registration is managed (RFC 7592, section 3)") {
            $0.managementURI = $1
        },
        text("registration_access_token", "the token that manages the registration (RFC 7592, section 3)") {
            $0.managementToken = Secret($1)
        },
        Key("origins", .either([text, .list(of: text)]), "the origins that may receive the client's credentials") {
            node, entry, decoder in
            entry.source.origins = (node.elements ?? [node]).compactMap { origin($0, &decoder) }
        },
    ]

    /// The keys that say the same in several ways, of which a file uses one.
    package static let alternatives = [
        (value: "the client secret", keys: ["client_secret", "client_secret_env", "client_secret_file"]),
        (value: "the client's key", keys: ["client_key_file", "client_key_env"]),
    ]

    package static let shape = Shape.section(
        SectionDescription(name: "ClientsFileEntry", keys: keys.map(\.description)))

    static func entries(_ root: YAMLNode?, _ decoder: inout DescriptorDecoder) -> [ClientsFileEntry] {
        guard let root else { return [] }
        guard let providers = root.entries else {
            decoder.reportWrongType(root, expected: .map(of: shape))
            return []
        }
        let names = keys.map(\.description.name)
        if let flat = providers.first(where: { names.contains($0.key) && $0.value.scalar != nil }) {
            decoder.report(
                .unknownKey, "\(flat.key) is a key of a provider, and the first level is provider ids",
                at: flat.keySpan, help: "write ID: { \(flat.key): … }, with the provider's id")
            return []
        }
        return providers.map { provider in
            var entry = ClientsFileEntry(id: provider.key)
            guard let members = provider.value.entries else {
                decoder.reportWrongType(provider.value, expected: shape)
                return entry
            }
            if let first = members.first,
                members.allSatisfy({ $0.value.entries != nil && !names.contains($0.key) })
            {
                decoder.report(
                    .unknownKey, "the first level is provider ids, and \(provider.key) contains further ones",
                    at: provider.keySpan, help: "remove \(provider.key), so that \(first.key) is at the first level")
                return entry
            }
            entry.lines = members.map { ($0.key, $0.keySpan.start.line) }
            keys.read(members, into: &entry, &decoder)
            for (value, keys) in alternatives {
                for member in members.filter({ keys.contains($0.key) }).dropFirst() {
                    decoder.report(
                        .valueNotAllowed, "\(value) is set twice", at: member.keySpan,
                        help: "keep one of \(keys.dropLast().joined(separator: ", ")) and \(keys[keys.count - 1])")
                }
            }
            return entry
        }
    }

    // MARK: - Values

    private static let text = Shape.text("a string", takesScalars: true)

    private static func text(
        _ name: String, _ summary: String, set: @escaping @Sendable (inout Self, String) -> Void
    ) -> Key<Self> {
        Key(name, text, summary) { node, entry, decoder in
            guard let text = read(node, &decoder) else { return }
            entry.noteOddity(text, at: name)
            set(&entry, text)
        }
    }

    private mutating func noteOddity(_ text: String?, at key: String) {
        if let text, text.oddity != nil { oddities.append((key, text)) }
    }

    /// A scalar as it is written: a client id of digits is an id, not a number.
    private static func read(_ node: YAMLNode, _ decoder: inout DescriptorDecoder) -> String? {
        guard let scalar = node.scalar, !scalar.isNull, !scalar.text.isEmpty else {
            decoder.reportWrongType(node, expected: text)
            return nil
        }
        return scalar.text
    }

    /// An origin, or a host such as `*.acme.example` where a descriptor trusts all below a domain.
    private static func origin(_ node: YAMLNode, _ decoder: inout DescriptorDecoder) -> String? {
        guard let text = read(node, &decoder) else { return nil }
        if HostPattern(text) != nil { return text }
        do throws(WebURLError) {
            return try WebURL(text).origin
        } catch {
            decoder.report(
                .valueNotAllowed, error.reason, at: node.span,
                help: "write scheme, host and port of the server, such as https://id.acme.example")
            return nil
        }
    }
}
