import CarnetDescriptors
import CarnetProtocol

/// Reads the tree of a clients file, reporting every mistake at its place.
struct ClientsFileReader {
    let file: String
    private(set) var diagnostics: [Diagnostic] = []

    init(file: String) {
        self.file = file
    }

    /// The findings of the descriptor language that can be made here too, by their codes.
    private enum Rule: String {
        case unknownKey = "K001"
        case wrongType = "K002"
        case valueNotAllowed = "K004"
    }

    private static let keys = [
        "client_id", "client_secret", "client_secret_env", "client_secret_file", "client_key_file", "client_key_env",
        "client_key_id", "client_certificate_file", "client_certificate_key_file", "dpop_key_file",
        "decryption_key_file", "redirect_uri", "post_logout_redirect_uri", "inputs", "environment", "scopes",
        "registration_client_uri", "registration_access_token", "origins",
    ]

    mutating func entries(_ root: YAMLNode?) -> [ClientsFileEntry] {
        guard let root else { return [] }
        guard let providers = root.entries else {
            report(.wrongType, "found \(root.kind)", at: root, help: "expected provider ids, each with a mapping")
            return []
        }
        return providers.map { entry($0) }
    }

    private mutating func entry(_ provider: YAMLEntry) -> ClientsFileEntry {
        var entry = ClientsFileEntry(id: provider.key)
        guard let members = provider.value.entries else {
            report(
                .wrongType,
                "found \(provider.value.kind)",
                at: provider.value,
                help: "expected a mapping with the keys " + Self.keys.joined(separator: ", ")
            )
            return entry
        }
        for member in members { read(member, into: &entry) }
        return entry
    }

    private mutating func read(_ member: YAMLEntry, into entry: inout ClientsFileEntry) {
        switch member.key {
        case "client_id": entry.source.clientID = text(member.value)
        case "environment": entry.source.environment = text(member.value)
        case "redirect_uri": entry.source.redirectURI = text(member.value)
        case "post_logout_redirect_uri": entry.source.postLogoutRedirectURI = text(member.value)
        case "client_secret": setSecret(text(member.value).map { .inline(Secret($0)) }, member, &entry)
        case "client_secret_env": setSecret(text(member.value).map { .variable($0) }, member, &entry)
        case "client_secret_file": setSecret(text(member.value).map { .file($0) }, member, &entry)
        case "client_key_file": setKey(text(member.value).map { .file($0) }, member, &entry)
        case "client_key_env": setKey(text(member.value).map { .variable($0) }, member, &entry)
        case "registration_client_uri": entry.managementURI = text(member.value)
        case "registration_access_token": entry.managementToken = text(member.value).map { Secret($0) }
        case "client_key_id": entry.keyID = text(member.value)
        case "client_certificate_file": entry.certificate = text(member.value).map { .file($0) }
        case "client_certificate_key_file": entry.certificateKey = text(member.value).map { .file($0) }
        case "dpop_key_file": entry.dpopKey = text(member.value).map { .file($0) }
        case "decryption_key_file": entry.decryptionKey = text(member.value).map { .file($0) }
        case "inputs":
            guard let inputs = member.value.entries else {
                report(.wrongType, "found \(member.value.kind)", at: member.value, help: "expected a mapping")
                return
            }
            for input in inputs { entry.source.inputs[input.key] = text(input.value) }
        case "scopes": entry.source.scopes = scopes(member.value)
        case "origins": entry.source.origins = origins(member.value)
        default:
            let nearest = nearestName(to: member.key, in: Self.keys)
            report(
                .unknownKey,
                "unknown key \"\(member.key)\"",
                at: YAMLNode(.mapping([]), span: member.keySpan),
                help: nearest.map { "did you mean \"\($0)\"?" } ?? "allowed here: " + Self.keys.joined(separator: ", ")
            )
        }
    }

    private mutating func setSecret(
        _ place: ClientsFileEntry.SecretPlace?,
        _ member: YAMLEntry,
        _ entry: inout ClientsFileEntry
    ) {
        if entry.secret != nil {
            report(
                .valueNotAllowed,
                "the client secret is set twice",
                at: YAMLNode(.mapping([]), span: member.keySpan),
                help: "keep one of client_secret, client_secret_env and client_secret_file"
            )
        }
        entry.secret = place
    }

    private mutating func setKey(_ place: KeyPlace?, _ member: YAMLEntry, _ entry: inout ClientsFileEntry) {
        if entry.key != nil {
            report(
                .valueNotAllowed,
                "the client's key is set twice",
                at: YAMLNode(.mapping([]), span: member.keySpan),
                help: "keep one of client_key_file and client_key_env"
            )
        }
        entry.key = place
    }

    /// Origins, or hosts such as `*.acme.example` where a descriptor trusts all below a domain.
    private mutating func origins(_ node: YAMLNode) -> [String] {
        (node.elements ?? [node]).compactMap { element in
            guard let text = text(element) else { return nil }
            if HostPattern(text) != nil { return text }
            do throws(WebURLError) {
                return try WebURL(text).origin
            } catch {
                report(
                    .valueNotAllowed, error.reason, at: element,
                    help: "write scheme, host and port of the server, such as https://id.acme.example")
                return nil
            }
        }
    }

    private mutating func scopes(_ node: YAMLNode) -> [String]? {
        if let elements = node.elements { return elements.compactMap { text($0) } }
        return text(node)?.split(separator: " ").map(String.init)
    }

    /// A scalar as it is written: a client id of digits is an id, not a number.
    private mutating func text(_ node: YAMLNode) -> String? {
        guard let scalar = node.scalar, !scalar.isNull, !scalar.text.isEmpty else {
            report(.wrongType, "found \(node.kind)", at: node, help: "expected a string")
            return nil
        }
        return scalar.text
    }

    private mutating func report(_ rule: Rule, _ message: String, at node: YAMLNode, help: String) {
        diagnostics.append(
            Diagnostic(code: rule.rawValue, message: message, file: file, span: node.span, help: help)
        )
    }
}

extension YAMLNode {
    /// What the value is, without the value: it may be a secret at the wrong place.
    fileprivate var kind: String {
        switch content {
        case .mapping: "a mapping"
        case .sequence: "a list"
        case .scalar(let scalar): scalar.isNull || scalar.text.isEmpty ? "nothing" : "a string"
        }
    }
}
