import CarnetDescriptors
import CarnetFoundation
import CarnetProtocol

struct InlineSecret: GatewayRule {
    let explanation = DiagnosticExplanation(
        code: "G010", name: "inline-secret",
        summary: "The file contains a secret.",
        rationale: """
            A gateway file is in version control, and everybody who reviews it reads it. A secret belongs in the environment \
            or in a file that only the gateway can read. Replace a secret that was committed; deleting it is not enough.
            """,
        references: ["RFC 9700, section 2.5"],
        bad: [
            "providers: [{ id: acme, client_secret: ⟦hunter2hunter2⟧ }]\n",
            "proxy: { secret: ⟦hunter2hunter2⟧ }\n",
            "session: { store: ⟦\"postgresql://gateway:hunter2@db.example/gateway\"⟧ }\n",
        ],
        good: [
            "providers: [{ id: acme, client_secret_env: ACME_SECRET }]\nproxy: { secret_file: proxy-secret }\n",
            "session: { store: \"postgresql://db.example/gateway\" }\n",
        ]
    )

    func check(_ context: GatewayContext) -> [GatewayFinding] {
        let rules = context.rules
        var found: [GatewayFinding] = []
        func add(_ place: SecretPlace?, _ key: String, of node: YAMLNode?) {
            guard case .inline = place, let value = node?.entry(key)?.value else { return }
            found.append(
                GatewayFinding(
                    "the file contains a secret", at: value.span,
                    help: "write \(key)_env with the name of an environment variable, or \(key)_file"))
        }
        for provider in rules.providers { add(provider.clientSecret, "client_secret", of: provider.node) }
        add(rules.proxy.secret, "secret", of: rules.proxy.node)
        add(rules.session.key, "key", of: rules.session.node)
        add(rules.identityToken?.key, "key", of: rules.identityToken?.node)
        if case .inline(let store) = rules.session.store, Self.hasPassword(store.reveal()),
            let value = context.node("session", "store")
        {
            found.append(
                GatewayFinding(
                    "the address of the store contains a password", at: value.span,
                    help: "write store_env with the name of an environment variable"))
        }
        return found
    }

    /// Whether a URL has a password (RFC 3986, section 3.2.1), or a parameter with one, which libpq reads.
    private static func hasPassword(_ address: String) -> Bool {
        guard let start = address.firstRange(of: "://")?.upperBound else { return false }
        let rest = address[start...]
        let authority = rest.utf8.prefix { $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "?") }
        if let at = authority.lastIndex(of: UInt8(ascii: "@")) {
            let user = authority[..<at]
            if let colon = user.firstIndex(of: UInt8(ascii: ":")), user.index(after: colon) < user.endIndex {
                return true
            }
        }
        return address.holds("password=")
    }
}
