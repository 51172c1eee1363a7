import CarnetDescriptors
import CarnetFoundation

/// The headers that Carnet sets itself, in lower case.
package enum ManagedHeaders {
    package static let names: Set<String> = [
        "authorization", "proxy-authorization", "content-type", "content-length", "transfer-encoding", "connection",
        "host", "dpop", "cookie", "expect", "te", "trailer", "upgrade",
    ]
}

struct BadHeader: SingleValueRule {
    let explanation = DiagnosticExplanation(
        "C008", name: "bad-header", summary: "A header has an invalid name or value, or Carnet sets it itself.",
        rationale: """
            Carnet sets 'Content-Type', 'DPoP' and the headers of the connection itself. It does not send a second value, so a \
            comment cannot suppress this rule. 'Authorization' replaces the header of the client or the token, so its \
            value must be made from one of them, or from a captured value that is marked as secret. 'Content-Type' in 'api' describes the bodies that a host sends, and a \
            request without a body may have one. A line break in a value would start another header. Names of headers have no case.
            """,
        references: ["RFC 9110, section 5.1", "RFC 9110, section 5.5", "RFC 6749, section 2.3"],
        bad: [
            "token: { headers: { ⟦Authorization⟧: Basic, Accept: application/json } }",
            "token: { headers: { ⟦content-type⟧: application/json } }",
            "token: { headers: { ⟦Authorization⟧: 'Client {request.client_id}' } }",
            "profile: { headers: { ⟦'X Version'⟧: '2' } }",
            "token: { headers: { ⟦DPoP⟧: none } }",
            "connection: { on_connect: [{ url: 'https://id.acme.example/hello', method: POST, body: json, headers: { ⟦Content-Type⟧: application/json } }] }",
            "api: { token_in: { header: ⟦Authorization⟧ } }",
            "api: { token_in: { header: X-Acme-Token }, headers: { ⟦x-acme-token⟧: none } }",
            #"api: { headers: { X-Version: ⟦"2\r\nHost: evil.example"⟧ } }"#,
            """
            api: { headers: { Accept: application/json, ⟦accept⟧: text/plain } }
            profile: { headers: { X-Version: '1', ⟦x-version⟧: '2' } }
            """,
        ],
        good: [
            "profile: { headers: { Accept: application/vnd.acme+json, X-Acme-Version: '2026-01-01' } }",
            "token: { headers: { Authorization: \"Basic {base64(join(':', client.secret, ''))}\" } }",
            "api: { headers: { Content-Type: application/json } }",
            """
            exchange:
              last:
                url: https://id.acme.example/session
                capture: { session: { from: /session, secret: true } }
                sample: { access_token: redacted, token_type: Bearer, session: redacted }
            api: { headers: { Authorization: 'Session {step.session}' } }
            """,
            "profile: { headers: { Content-Type: application/json } }",
        ])

    /// The engine never sends such a header, whatever a comment says.
    let isSuppressible = false

    func check(_ context: LintContext) -> [Diagnostic] {
        let places = context.places
        let ofResources = places.resources.all.flatMap { $0.headers.entries }
        let headers =
            headersOfRequests(context) + places.api.headers.entries.map { ($0, .calls) }
            + ofResources.map { ($0, .resource) }
        let ofTokens =
            [
                places.api.tokenIn.header, places.profile.tokenIn.header, places.revocation.tokenIn.header,
            ].compactMap { $0 } + places.profile.requests.all.compactMap(\.tokenIn.header)
        guard !headers.isEmpty || !ofTokens.isEmpty else { return [] }
        let misnamed = ofTokens.compactMap { node -> Diagnostic? in
            guard let name = node.scalar?.text, !Self.isToken(name) || ManagedHeaders.names.contains(name.lowercased())
            else { return nil }
            return finding(
                "\"\(name)\" cannot be the header of the access token", in: context, at: node.span,
                help: "name the provider's own header; 'token_in: authorization' is the Authorization header")
        }
        let names = Set(ofTokens.compactMap { $0.scalar?.text.lowercased() })
        let repeated = context.root.repeatedHeaders.map { entry in
            finding(
                "\"\(entry.key)\" is there in another case, which is the same header", in: context, at: entry.keySpan,
                help: "keep one of them")
        }
        return misnamed + repeated
            + headers.compactMap { header, owner in
                // Null sets nothing: another rule says whether it removes anything.
                if header.value.scalar?.isNull == true { return nil }
                let name = header.key.lowercased()
                if name == "authorization", owner != .resource, isSecret(header.value, context) { return nil }
                if name == "content-type", owner != .request { return nil }
                if names.contains(name) {
                    return finding(
                        "Carnet puts the access token into \"\(header.key)\"", in: context, at: header.keySpan)
                }
                if !Self.isToken(header.key) {
                    return finding("\"\(header.key)\" cannot be the name of a header", in: context, at: header.keySpan)
                }
                if ManagedHeaders.names.contains(name) {
                    let help =
                        switch name {
                        case "content-type": "use 'body' to choose the encoding"
                        case "authorization" where owner != .resource:
                            "make it from the client's secret, a token or a captured value with 'secret: true': 'Basic {base64(join(':', client.secret, ''))}'"
                        default: "remove it"
                        }
                    return finding("Carnet sets \"\(header.key)\" itself", in: context, at: header.keySpan, help: help)
                }
                let text = header.value.scalar?.text.unicodeScalars
                if text?.contains(where: { $0.value < 0x20 && $0 != "\t" || $0.value == 0x7F }) ?? false {
                    let message = "the value of \"\(header.key)\" has a line break or another control character"
                    return finding(message, in: context, at: header.value.span)
                }
                return nil
            }
    }

    /// Whose headers they are.
    private enum Owner {
        case request, bodiless, calls, resource
    }

    private func headersOfRequests(_ context: LintContext) -> [(YAMLEntry, Owner)] {
        let (descriptor, places) = (context.descriptor, context.places)
        let token = descriptor.token.request
        var headers: [(YAMLEntry, Owner)] = []
        func add(_ entries: [YAMLEntry], hasBody: Bool) {
            headers += entries.map { ($0, hasBody ? .request : .bodiless) }
        }
        for request in context.requests where !request.headers.isEmpty {
            let hasBody = request.kind.flatMap { kind in
                descriptor.rules(of: kind)?.hasBody(
                    or: kind.method, inheriting: kind.inheritsToken ? token : nil,
                    addsParameters: kind != .profile || descriptor.sendsTokenInBody)
            }
            add(request.headers, hasBody: hasBody ?? true)
        }
        for (rules, place) in zip(descriptor.profile.requests, places.profile.requests.all) {
            let hasBody = rules.request.hasBody(or: .get, addsParameters: descriptor.sendsTokenInBody)
            add(place.request.headers.entries, hasBody: hasBody)
        }
        for step in places.exchange.named() {
            let hasBody = descriptor.exchange[step.name]?.request.hasBody(or: .post) ?? true
            add(step.value.request.headers.entries, hasBody: hasBody)
        }
        for call in context.calls {
            let hasForm = call.rules.encoding == .form && !call.rules.parameters.isEmpty
            add(call.place.headers.entries, hasBody: hasForm || call.rules.encoding == .json)
        }
        return headers
    }

    /// Whether a value is made from a secret of the client, a token, or a secret input.
    private func isSecret(_ value: YAMLNode, _ context: LintContext) -> Bool {
        guard let text = value.scalar?.text, let template = try? Template(text, in: .anywhere) else { return false }
        let marked = context.descriptor.markedSecrets
        return template.expressions.contains { $0.isSecret(marked.contains) }
            || template.inputNames.contains { context.descriptor.inputs[$0]?.isSecret ?? false }
    }

    /// RFC 9110, section 5.6.2.
    static func isToken(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy { ASCII.isAlphanumeric($0) || "!#$%&'*+-.^_`|~".utf8.contains($0) }
    }
}

extension YAMLNode {
    /// The headers of a section whose names differ from an earlier one's only by case.
    fileprivate var repeatedHeaders: [YAMLEntry] {
        let sections = (entries ?? []).filter { !["samples", "sample", "tables"].contains($0.key) }
        let own = sections.filter { $0.key == "headers" }.flatMap { section in
            var seen = Set<String>()
            return (section.value.entries ?? []).filter { !seen.insert($0.key.lowercased()).inserted }
        }
        return own + (sections.map(\.value) + (elements ?? [])).flatMap(\.repeatedHeaders)
    }
}

extension RequestRules {
    /// Whether the request has a body, whose content type Carnet sets. An empty form is none.
    ///
    /// - Parameter addsParameters: Whether Carnet adds parameters to those of the descriptor.
    fileprivate func hasBody(
        or standard: RequestMethod, inheriting other: RequestRules? = nil, addsParameters: Bool = false
    ) -> Bool {
        let method = method ?? other?.method ?? standard
        let body = body ?? other?.body ?? (method == .delete ? .query : .form)
        guard method != .get, body != .query else { return false }
        return addsParameters || body == .json || parameters.names.contains { !queryParameters.contains($0) }
    }
}

extension ProviderDescriptor {
    /// Whether the access token is a parameter of the body in requests of the profile.
    fileprivate var sendsTokenInBody: Bool {
        if case .body? = self.profile.tokenIn.placement(else: self.api.tokenIn) { true } else { false }
    }
}
