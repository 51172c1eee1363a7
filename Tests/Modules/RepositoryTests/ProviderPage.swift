import CarnetDescriptors
import CarnetFoundation
import CarnetSimulation

/// The page of a provider, made from its descriptor and from the requests of its test client.
struct ProviderPage {
    let descriptor: ProviderDescriptor
    /// The kept requests; see `CatalogueTests`.
    let requests: String
    /// A copy of the provider's metadata, if there is one.
    let metadata: JSONValue?

    private var id: String { descriptor.id.rawValue }

    /// What all pages share is only in the index: see `ProviderPageTests.index`.
    var text: String {
        [
            "# \(descriptor.name)\n\n`\(id)`, one of the [providers](README.md).\n", status, facts, registration,
            inputs,
            environments, scopes, resources, oddities,
        ].compactMap { $0 }.joined(separator: "\n")
    }

    private var status: String? {
        guard let remark = descriptor.status.remark, let reason = descriptor.status.reason else { return nil }
        let verb = descriptor.status.word == "closed" ? "is " : ""
        let link = descriptor.status.link.map { " ([source](\($0)))" } ?? ""
        return "**\(descriptor.name) \(verb)\(remark).** \(Self.cell(reason))\(link)\n"
    }

    // MARK: Facts

    var pkce: String { descriptor.authorization.pkce.isRequired ? "S256" : "off" }
    var refreshes: Bool { requests.contains("\n## refresh\n") }
    var revocation: String { requests.contains("\n## revocation\n") ? announced(.revocation, "yes", else: "no") : "no" }
    var profile: String {
        if requests.contains("\n## profile\n") { return announced(.userinfo, "request", else: "ID token") }
        switch descriptor.profile.source {
        case .tokenResponse: return "token response"
        case .idToken: return "ID token"
        case .userinfo, nil: return descriptor.issuer == nil ? "none" : "ID token"
        }
    }
    /// The test client's metadata are the sandbox's and have each endpoint. The provider's own decide, if a copy is there.
    private func announced(_ endpoint: EndpointName, _ present: String, else absent: String) -> String {
        guard descriptor.endpoints[endpoint] == nil else { return present }
        guard let metadata else { return "as announced" }
        return metadata[endpoint.metadataName] == nil ? absent : present
    }

    private var refresh: String {
        guard refreshes else { return "no" }
        switch descriptor.refresh.rotation {
        case .unknown: return "yes, rotation not known"
        case .keepOld: return "yes, new refresh tokens replace old ones"
        case .alwaysNew: return "yes, with one-time tokens"
        case .none: return "yes, with one lasting token"
        }
    }

    /// Whether no documentation of the provider's own could be read.
    var isFromCatalogues: Bool { descriptor.verified?.how.lowercased().hasPrefix("catalogues") ?? true }

    private var facts: String {
        var rows = [
            ("PKCE", pkce),
            (
                "Client authentication",
                descriptor.client.methods.map { "`\($0.rawValue)`" }.joined(separator: ", ")
            ),
            ("Refresh", refresh), ("Revocation", revocation), ("Profile", profile),
        ]
        if let parent = descriptor.parent { rows.append(("Extends", "[\(parent)](\(parent).md)")) }
        if let docs = descriptor.docs { rows.append(("Documentation", "<\(docs)>")) }
        if let verified = descriptor.verified {
            let link = verified.link.map { " ([source](\($0)))" } ?? ""
            let name = isFromCatalogues ? "**Not verified**" : "Verified"
            rows.append((name, "\(verified.date): \(Self.cell(verified.how))\(link)"))
        }
        rows.append(("Command", "`\(loginCommand)`"))
        rows.append(("Requests", "[of a test client](../../Tests/Modules/CarnetCommandTests/Catalogue/\(id).txt)"))
        return Self.table(["Fact", "Value"], rows.map { [$0.0, $0.1] })
    }

    // MARK: Registration

    private var registration: String? {
        let rules = descriptor.register
        var items: [String] = []
        if let url = rules.url { items.append("Console: <\(url)>") }
        if let name = rules.id { items.append("Client id: \(Self.cell(name))") }
        if let name = rules.secret { items.append("Client secret: \(Self.cell(name))") }
        items += rules.notes.map(Self.cell)
        if !descriptor.redirects.isEmpty {
            items.append("Redirect URIs: " + descriptor.redirects.map { "`\($0)`" }.joined(separator: ", "))
        }
        guard !items.isEmpty else { return nil }
        return "## Registration\n\n" + items.map { "- \($0)\n" }.joined()
    }

    private var inputs: String? {
        let inputs = descriptor.inputs.items
        guard !inputs.isEmpty else { return nil }
        return "## Inputs\n\n" + Self.table(of: inputs)
    }

    private static func table(of inputs: [Named<InputRules>]) -> String {
        let rows = inputs.map { input in
            let rules = input.value
            let value =
                rules.defaultValue.map { "default `\($0)`" } ?? (rules.isOptional ? "optional" : "required")
            let allowed = rules.allowed.map { "`\($0)`" }.joined(separator: ", ")
            let example = rules.example.map { "`\($0)`" } ?? ""
            return ["`\(input.name)`", cell(rules.title ?? ""), value, allowed.isEmpty ? example : allowed]
        }
        return table(["Input", "Meaning", "Value", "Example or allowed values"], rows)
    }

    private var environments: String? {
        guard !descriptor.environmentNames.isEmpty else { return nil }
        let names = descriptor.environmentNames.map { "`\($0)`" }.joined(separator: ", ")
        let inputs = descriptor.environmentNames.compactMap { name in
            let own = ((try? descriptor.variant(name))?.inputs.items ?? []).filter {
                !descriptor.inputs.contains($0.name)
            }
            return own.isEmpty ? nil : "\nInputs of `\(name)`:\n\n" + Self.table(of: own)
        }
        return "## Environments\n\n\(names)\n" + inputs.joined()
    }

    // MARK: Scopes

    private var scopes: String? {
        let rules = descriptor.scopes
        guard !(rules.catalog.isEmpty && rules.defaults.isEmpty && rules.required.isEmpty) else { return nil }
        func list(_ scopes: [String]) -> String { scopes.map { "`\($0)`" }.joined(separator: ", ") }
        var text = "## Scopes\n\n"
        text +=
            rules.defaults.isEmpty
            ? "By default, no scope is requested.\n" : "Requested by default: \(list(rules.defaults)).\n"
        if !rules.required.isEmpty { text += "Always requested: \(list(rules.required)).\n" }
        if !rules.offline.isEmpty { text += "Added for a refresh token: \(list(rules.offline)).\n" }
        guard !rules.catalog.isEmpty else { return text }
        let titled = rules.catalog.filter { $0.title != nil }
        if !titled.isEmpty {
            text += "\n" + Self.table(["Scope", "Allows"], titled.map { ["`\($0.id)`", Self.cell($0.title ?? "")] })
        }
        return titled.count == rules.catalog.count ? text : text + "\n[All scopes](../../providers/\(id).yaml)\n"
    }

    private var resources: String? {
        guard let provider = try? descriptor.resolve(inputs: descriptor.simulatedInputs().values) else { return nil }
        guard !provider.resources.isEmpty else { return nil }
        let rows = provider.resources.map { resource in
            [
                Self.cell(resource.title), "`\(resource.method.rawValue) \(resource.url)`",
                resource.requirement.missing(from: []).map { "`\($0)`" }.joined(separator: ", "),
            ]
        }
        return "## Resources\n\n"
            + Self.table(["Resource", "Request", "Required scopes"], rows)
    }

    // MARK: Oddities

    private var oddities: String? {
        guard !descriptor.notes.isEmpty else { return nil }
        let rows = descriptor.notes.map { note in
            [
                "`\(note.about)`", Self.cell(note.because) + (note.until.map { " Right until \($0)." } ?? ""),
                note.link.map { "[source](\($0))" } ?? "",
            ]
        }
        return "## Notes\n\n" + Self.table(["Key", "Why", "Evidence"], rows)
    }

    // MARK: Command

    private var loginCommand: String {
        let (environment, chosen) = commandTarget
        var words = ["carnet login \(id) --client-id YOUR-CLIENT-ID"]
        if chosen.client.methods.contains(where: \.usesSecret) {
            words.append("--client-secret-env CLIENT_SECRET")
        }
        if let environment { words.append("--environment \(environment)") }
        let examples = chosen.simulatedInputs().values
        for input in chosen.inputs.items where input.value.defaultValue == nil && !input.value.isOptional {
            words.append("--input \(input.name)=\(examples[input.name] ?? "VALUE")")
        }
        if !Self.acceptsLoopback(chosen) { words.append("--redirect-uri \(redirectURI) --paste") }
        return words.joined(separator: " ")
    }

    /// The environment whose redirect URIs a program on the user's computer can receive; `nil` for the descriptor itself.
    private var commandTarget: (environment: String?, descriptor: ProviderDescriptor) {
        guard !Self.acceptsLoopback(descriptor) else { return (nil, descriptor) }
        for name in descriptor.environmentNames {
            if let variant = try? descriptor.variant(name), Self.acceptsLoopback(variant) { return (name, variant) }
        }
        return (nil, descriptor)
    }

    private static func acceptsLoopback(_ descriptor: ProviderDescriptor) -> Bool {
        descriptor.redirects.isEmpty
            || ["http://127.0.0.1/callback", "http://localhost/callback"].contains { uri in
                descriptor.redirects.contains { $0.matches(uri) }
            }
    }

    private var redirectURI: String {
        let uri = "https://app.example/sign-in/\(id)/callback"
        let forms = descriptor.redirects
        guard !forms.isEmpty, !forms.contains(where: { $0.matches(uri) }) else { return uri }
        return SimulatedRedirectURI.fitting(forms) ?? uri
    }

    // MARK: Markdown

    static func table(_ head: [String], _ rows: [[String]]) -> String {
        let lines = [head, head.map { _ in "---" }] + rows
        return lines.map { "| " + $0.joined(separator: " | ") + " |\n" }.joined()
    }

    static func cell(_ text: String) -> String {
        text.replacing("\n", with: " ").replacing("|", with: "\\|").replacing("<", with: "&lt;")
    }
}
