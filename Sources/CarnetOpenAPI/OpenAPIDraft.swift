import CarnetDescriptors
import CarnetFoundation
import CarnetLint
import CarnetProtocol

/// The draft of a descriptor with what a security scheme says about its authorization server.
struct OpenAPIDraft {
    private(set) var text = ""
    private var facts = DescriptorDraft.Facts()
    private var issuer: String?
    private let document: OpenAPIDocument
    private var findings: ImportFindings { document.findings }
    private let servers: [DraftURL]
    /// The first server of paths and operations, by the places of the lists: many can have the same, by references.
    private var ownServers: [SourceSpan: DraftURL?] = [:]
    /// The scheme that counts, with others of its server.
    private let schemes: [OpenAPIScheme]
    private let endpoints: [(key: String, operation: OpenAPIOperation)]

    init(
        id: String, title: String?, _ document: OpenAPIDocument, _ requirements: OpenAPIRequirements,
        _ operations: OpenAPIOperations, _ resources: [OpenAPIImport.Resource]
    ) {
        self.document = document
        servers = DraftURL.servers(document)
        schemes = requirements.draftSchemes
        endpoints = Array(OpenAPIProfile.endpoints(among: operations).prefix(50))
        facts.name = title?.oneLine(limit: 60)
        let docs = document.root.entry("externalDocs")?.value.text("url")
        facts.docs = docs.flatMap { (try? WebURL.check($0)) == nil ? nil : $0 }
        if let server = servers.first {
            // The URLs of a map have the path.
            facts.baseURL = ServerBase(server.text)?.origin.flatMap { use(server, $0) }
            facts.remarks["base_url"] = server.remark(besides: servers.dropFirst())
            if let problem = server.problem { remark("The server is \(server.text): \(problem)") }
        }
        let headers = OpenAPIHeaders(document, operations, keys: requirements.keys(operations))
        for (name, value, rules) in headers.headers {
            facts.headers.append((name, rules.map { "{\(add(name.inputName, $0))}" } ?? value))
        }
        for name in headers.managed { remark("The key in the header \(name) is left out: Carnet sets it itself.") }
        readProfile(requirements, operations)
        let scopes = resources.flatMap { $0.need.alternatives.joined() }
        if let scheme = schemes.first { read(scheme, scheme.rank < 3 ? scopes : [], id) }
        text = DescriptorDraft(id: id, issuer: issuer, facts: facts)?.text ?? ""
    }

    private mutating func remark(_ text: String) {
        facts.remark = [facts.remark, text.oneLine(limit: 200)].compactMap(\.self).joined(separator: "\n# ")
    }

    /// - Parameter others: Names that stand for other inputs in the same text.
    /// - Returns: The name of the input, which no input with other rules has.
    private mutating func add(_ input: String, _ rules: String, besides others: [String] = []) -> String {
        var name = input
        while let known = facts.inputs.first(where: { $0.name.isSameBytes(as: name) }) {
            // A variable that is a whole host can also be in a path.
            let same = [known.rules, known.rules.replacing("type: hostname, ", with: "")]
            if same.contains(where: { $0.isSameBytes(as: rules) }) { return name }
            repeat { name += "_2" } while others.contains(name)
        }
        facts.inputs.append((name, rules))
        return name
    }

    /// - Returns: `nil` if a descriptor cannot have the URL.
    private mutating func use(_ url: DraftURL?, _ part: String? = nil) -> String? {
        guard let url, url.problem == nil else { return nil }
        var text = part ?? url.text
        for input in url.inputs where text.contains("{\(input.name)}") {
            let name = add(input.name, input.rules, besides: url.inputs.map(\.name))
            text = text.replacing("{\(input.name)}", with: "{\(name)}")
        }
        return text
    }

    /// The URL of an operation at the first of its servers.
    private mutating func url(of operation: OpenAPIOperation) -> DraftURL? {
        guard let list = operation.servers else { return servers.first?.appending(operation.path) }
        let own = ownServers[list.span] ?? DraftURL.servers(document, list).first
        ownServers[list.span] = .some(own)
        return (own ?? servers.first)?.appending(operation.path)
    }

    private mutating func readProfile(_ requirements: OpenAPIRequirements, _ operations: OpenAPIOperations) {
        var requirements = requirements
        var gap = OpenAPIProfile.absent(among: operations).map { "\($0) has no operation in this document" }
        for operation in OpenAPIProfile.candidates(among: operations) {
            let (need, found) = (requirements.need(of: operation), url(of: operation))
            let name = "\(operation.method) \(operation.path)"
            let gaps = [
                (operation.node == nil, "\(name) is in another document"),
                (!OpenAPIProfile.isOfUser(operation, document), "nothing says that \(name) returns the user"),
                (need.isOpen, "\(name) needs no token"),
                (need.isClosed, "no token of \(schemes.first?.name ?? "a scheme") is enough for \(name)"),
                (found == nil, "the document does not say at which host \(name) is"),
            ]
            let problem = found?.problem.map { "\(name) is at \(found?.text ?? ""): \($0)" }
            gap = gap ?? gaps.first { $0.0 }?.1 ?? problem
            guard !gaps.contains(where: \.0), let url = use(found) else { continue }
            let (allOf, anyOf, _) = need.requirement
            facts.profile = DescriptorDraft.Profile(
                request: name, url: url,
                scopes: (allOf + anyOf.prefix(1)).filter { ScopeRules.isToken($0) && !$0.contains("{") },
                claims: OpenAPIProfile.claims(of: operation, in: document))
            return
        }
        facts.profileGap = gap?.oneLine(limit: 200) ?? "the document has no operation such as GET /me"
    }

    // MARK: The authorization server

    private mutating func read(_ scheme: OpenAPIScheme, _ scopes: [String], _ id: String) {
        let flows = schemes.flatMap(\.flows).sorted { $0.rank < $1.rank }
        facts.hasClientCredentials = flows.contains(where: \.isOfClient)
        facts.hasPage = flows.isEmpty || flows.contains(where: \.hasPage)
        let isDiscovered = readIssuer()
        // In a descriptor, braces would name an input.
        let listed = schemes.flatMap(\.scopes)
        var known: Set<ByteKey> = []
        facts.catalog = (listed.isEmpty ? scopes.map { ($0, nil) } : listed).filter {
            ScopeRules.isToken($0.0) && !$0.0.contains("{") && known.insert(ByteKey($0.0)).inserted
        }
        let isOpenID = (listed.map(\.id) + scopes).contains("openid")
        facts.isPlain = !isDiscovered && !isOpenID
        // The issuer that openid needs is not known, and a scope that the scheme does not list is probably misspelled.
        facts.profile?.scopes.removeAll { scope in
            scope == "openid" || !known.isEmpty && !known.contains(ByteKey(scope))
        }
        func endpoint(_ key: String, _ name: String, isForPage: Bool = true) -> String? {
            guard let flow = flows.first(where: { $0.node.text(name) != nil }), let written = flow.node.text(name)
            else { return nil }
            let url = DraftURL(written, below: servers.first)
            let isGuess = isForPage && facts.hasPage && !flow.hasCode
            facts.remarks[key] = isGuess ? "guessed: of the flow \(flow.name.quoted)" : url.remark
            if let known = use(url) { return known }
            facts.remarks[key] = "the document has \(written): \(url.problem ?? "")".oneLine(limit: 300)
            findings.warn(
                scheme.span, "the descriptor cannot have the \(name): \(url.problem ?? "")",
                help: "write the complete URL into the descriptor, such as https://id.example.com/oauth")
            return nil
        }
        facts.authorization = endpoint("authorization", "authorizationUrl")
        facts.token = endpoint("token", "tokenUrl")
        facts.refresh = endpoint("refresh", "refreshUrl", isForPage: false).flatMap { $0 == facts.token ? nil : $0 }
        facts.deviceAuthorization = endpoint("device_authorization", "deviceAuthorizationUrl", isForPage: false)
        guard issuer == nil else { return }
        for (key, operation) in endpoints where key != "issuer" && facts.remarks[key] == nil {
            let found = url(of: operation)
            guard key != "device_authorization" || facts.deviceAuthorization == nil, isOwn(found), let url = use(found)
            else { continue }
            facts.remarks[key] = "guessed: \(operation.method) \(operation.path)"
            facts.endpoints.append((key, url))
        }
        report(scheme, flows)
        let hint = endpoints.first { $0.key == "issuer" }?.operation.path
        let signs = [isOpenID ? "scopes have openid" : nil, hint.map { "operations have \($0)" }].compactMap(\.self)
        guard let sign = signs.isEmpty ? nil : signs.joined(separator: " and the ") else { return }
        remark("The \(sign): write the issuer of the provider's metadata, with scopes.default: [openid].")
        findings.inform(
            scheme.span, "the \(sign), and the document does not say the issuer",
            help: "run carnet new \(id) --issuer URL, or write issuer: URL into the descriptor")
    }

    /// Whether an operation is at a host of the flows, or below their domain: no other gets a token because a path says so.
    private func isOwn(_ url: DraftURL?) -> Bool {
        /// The last two labels, unless they may be a public suffix, such as co.uk.
        func domain(_ host: String) -> String {
            let labels = host.split(separator: ".")
            return labels.count > 2 && labels[labels.count - 2].utf8.count > 3
                ? labels.suffix(2).joined(separator: ".") : host
        }
        let hosts = schemes[0].hosts.map { domain($0.text) }
        return hosts.isEmpty
            || url.flatMap { ServerBase($0.text)?.host }.map { hosts.containsBytes(of: domain($0)) } == true
    }

    /// Reads the issuer from a scheme, or an operation of its host; returns whether the metadata is that of OpenID Connect.
    private mutating func readIssuer() -> Bool {
        var found = schemes.compactMap { scheme in
            scheme.metadata.map {
                (DraftURL($0, below: servers.first), "the scheme \(scheme.name)", Optional(scheme.span))
            }
        }
        for (key, operation) in endpoints where key == "issuer" {
            let url = url(of: operation)
            if let url, isOwn(url) { found.append((url, "\(operation.method) \(operation.path)", nil)) }
        }
        for (url, source, span) in found {
            let issuer = DescriptorDraft.issuer(ofMetadata: url.text)
            if !issuer.isSameBytes(as: url.text), !issuer.contains("?"), let known = use(url) {
                self.issuer = DescriptorDraft.issuer(ofMetadata: known)
                facts.remarks["issuer"] =
                    span == schemes[0].span ? url.remark : "guessed: \(source)".oneLine(limit: 200)
                return url.text.contains("/openid-configuration")
            }
            guard let span else { continue }
            findings.warn(
                span, "the URL is not that of an issuer's metadata: the descriptor's endpoints are guesses",
                help: "it ends with /.well-known/openid-configuration")
        }
        return false
    }

    private mutating func report(_ scheme: OpenAPIScheme, _ flows: [OpenAPIScheme.Flow]) {
        var message = "the scheme has no authorization code flow: the descriptor has guesses for it"
        if scheme.kind != .oauth2 || flows.isEmpty {
            message = "the scheme does not say who issues the tokens: the descriptor's endpoints are guesses"
        } else if let other = flows.first(where: { !$0.isKnown }) {
            let nearest = nearestName(to: other.name, in: OpenAPIScheme.Flow.names).map { ", unless it is \($0)" } ?? ""
            message = "\(other.name.quoted) is no flow of OpenAPI\(nearest): what it names is a guess"
        } else if !facts.hasPage {
            message = "the scheme has no page to sign in at: the descriptor has none"
            if !facts.hasClientCredentials, facts.deviceAuthorization == nil {
                facts.hasClientCredentials = true
                facts.remarks["client_credentials"] = "guessed: Carnet does not use the flow \(flows[0].name.quoted)"
            }
        } else if let code = flows.first(where: \.hasCode) {
            guard let missing = ["authorizationUrl", "tokenUrl"].first(where: { code.node.text($0) == nil }) else {
                return
            }
            message = "the authorization code flow has no \(missing): the descriptor has a guess"
        }
        findings.inform(scheme.span, message)
    }
}
