import CarnetDescriptors
import CarnetFoundation

struct TwoAuthenticationMethods: LintRule {
    let explanation = DiagnosticExplanation(
        "C023", name: "two-authentication-methods", severity: .warning,
        summary: "A request sends the client's secret in the Authorization header and in a parameter.",
        rationale: """
            A client must not use more than one authentication method in a request, and servers may refuse such a \
            request. Few providers demand both. If this one does, write a note about the key with the reason.
            """,
        references: ["RFC 6749, section 2.3"],
        bad: """
            client: { authentication: [client_secret_basic] }
            token: { parameters: { client_id: '{client.id}', client_secret: ⟦'{client.secret}'⟧ } }

            client: { authentication: [client_secret_post] }
            token: { headers: { Authorization: ⟦"Basic {base64(join(':', client.id, client.secret))}"⟧ } }
            """,
        good: """
            client: { authentication: [client_secret_basic] }
            token: { parameters: { client_id: '{client.id}' } }

            client: { authentication: [client_secret_post] }
            token:
              omit: [client_secret]
              headers: { Authorization: "Basic {base64(join(':', client.id, client.secret))}" }

            client: { authentication: [client_secret_post] }
            revocation: { authentication: none, headers: { Authorization: 'Client {client.secret}' } }

            client: { authentication: [client_secret_basic] }
            token: { parameters: { client_secret: '{client.secret}' } }
            notes: [{ about: token.parameters.client_secret, because: 'their server refuses a request without it' }]
            """)

    let isReminder = true

    func check(_ context: LintContext) -> [Diagnostic] {
        let methods = context.descriptor.client.methods.filter(\.usesSecret)
        return context.requests.flatMap { request -> [Diagnostic] in
            guard let kind = request.kind, kind.authenticatesClient else { return [] }
            let own = context.descriptor.authentication(in: kind).map { [$0] } ?? methods
            guard own.count == 1, let method = own.first else { return [] }
            let headers = request.headers.filter { $0.key.lowercased() == Self.header && $0.holdsSecret }
            let twice: [YAMLEntry] =
                switch method {
                case .clientSecretBasic:
                    headers.isEmpty ? request.added.filter { $0.holdsSecret && !$0.isOtherCredential } : []
                case .clientSecretPost: request.omittedNames.contains("client_secret") ? [] : headers
                default: []
                }
            return twice.map { entry in
                finding(
                    "the client's secret is sent twice", in: context, at: entry.value.span,
                    help: "remove it: \(method.rawValue) sends the secret")
            }
        }
    }

    private static let header = "authorization"
}

extension YAMLEntry {
    private static let (id, secret) = (TemplateReference(.client, "id"), TemplateReference(.client, "secret"))

    private var template: Template? {
        value.scalar.flatMap { $0.text.holds(UInt8(ascii: "{")) ? try? Template($0.text, in: .anywhere) : nil }
    }

    /// Whether the value shows the client's secret, plainly or in an encoding.
    fileprivate var holdsSecret: Bool {
        template.map { $0.references.contains(Self.secret) && $0.shows() } ?? false
    }

    /// Whether the client's id is its secret, or the secret its id.
    var isOtherCredential: Bool {
        let references = ["client_id", "client_secret"].contains(key) ? template?.references ?? [] : []
        return references == [key == "client_id" ? Self.secret : Self.id]
    }
}

extension ProviderDescriptor {
    /// The method of a request that has one of its own.
    func authentication(in kind: RequestKind) -> ClientAuthenticationMethod? {
        switch kind {
        case .refresh: self.refresh.authentication
        case .revocation: self.revocation.authentication
        case .introspection: self.introspection.authentication
        default: nil
        }
    }
}
