import CarnetDescriptors
import CarnetFoundation
import CarnetSimulation

/// The page of a provider, made from its descriptor and from the requests of its test client.
struct ProviderPage {
    let descriptor: ProviderDescriptor
    /// The kept requests; see `CatalogueTests`.
    let requests: String

    private var id: String { descriptor.id.rawValue }

    var text: String {
        [
            "# \(descriptor.name)\n\nFor developers who add \(descriptor.name) to an application. This page is generated from "
                + "the descriptor `providers/\(id).yaml`.\n",
            status, facts, registration, inputs, environments, scopes, resources, oddities, program,
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
    var revokes: Bool { requests.contains("\n## revocation\n") }
    var profile: String {
        if requests.contains("\n## profile\n") { return "request" }
        switch descriptor.profile.source {
        case .tokenResponse: return "token response"
        case .idToken: return "ID token"
        case .userinfo, nil: return descriptor.issuer == nil ? "none" : "ID token"
        }
    }
    private var profileSource: String {
        switch profile {
        case "request": "a request with the access token"
        case "none": "none: the descriptor has no profile"
        default: "the \(profile)"
        }
    }
    /// Whether no documentation of the provider's own could be read.
    var isFromCatalogues: Bool { descriptor.verified?.how.lowercased().hasPrefix("catalogues") ?? true }

    private var facts: String {
        var rows = [
            ("Id", "`\(id)`"), ("PKCE", pkce),
            (
                "Client authentication",
                descriptor.client.methods.map { "`\($0.rawValue)`" }.joined(separator: ", ")
            ),
            ("Refresh tokens", refreshes ? "yes" : "no"), ("Token revocation", revokes ? "yes" : "no"),
            ("Source of the profile", profileSource),
        ]
        if let parent = descriptor.parent { rows.append(("Extends", "[\(parent)](\(parent).md)")) }
        if let docs = descriptor.docs { rows.append(("Documentation", "<\(docs)>")) }
        if let verified = descriptor.verified {
            let link = verified.link.map { " ([source](\($0)))" } ?? ""
            rows.append(("Verified", "\(verified.date): \(Self.cell(verified.how))\(link)"))
        }
        let warning =
            isFromCatalogues
            ? "\nNobody has compared this descriptor with the provider's own documentation. Its facts come from other "
                + "libraries: check them before you rely on them.\n" : ""
        return Self.table(["Fact", "Value"], rows.map { [$0.0, $0.1] }) + warning
    }

    // MARK: Registration

    private var registration: String {
        let (name, rules) = (descriptor.name, descriptor.register)
        var text = "## Register the application\n\n"
        text +=
            descriptor.docs.map {
                "The [documentation](\($0)) of \(name) describes how to register an application.\n\n"
            }
            ?? ""
        var rows = [
            ["Page of the console", rules.url.map { "<\($0)>" } ?? "not known"],
            ["Its name for the client id", rules.id.map(Self.cell) ?? "not known"],
        ]
        if descriptor.client.methods.contains(where: \.usesSecret) {
            rows.append(["Its name for the client secret", rules.secret.map(Self.cell) ?? "not known"])
        }
        text += Self.table(["Registration", "At \(Self.cell(name))"], rows) + "\n"
        if !rules.notes.isEmpty { text += rules.notes.map { "- \(Self.cell($0))\n" }.joined() + "\n" }
        if descriptor.redirects.isEmpty {
            text +=
                "Which forms of redirect URI \(name) accepts is not known. Enter the redirect URI exactly as the application "
                + "sends it. Carnet uses these:\n\n"
            text += "- for a web site, `https://YOUR-HOST/sign-in/\(id)/callback`, or the path that you chose\n"
            text +=
                "- for a program on the user's own computer, such as `carnet login \(id)`, `http://127.0.0.1/callback`\n"
        } else {
            text += "\(name) accepts redirect URIs of these forms:\n\n"
            text += descriptor.redirects.map { "- `\($0)`\n" }.joined()
        }
        return text
    }

    private var inputs: String? {
        let inputs = descriptor.inputs.items
        guard !inputs.isEmpty else { return nil }
        return
            "## Inputs\n\nValues that differ between applications. Pass them in `ClientRegistration.inputs`, or to `carnet` as "
            + "`--input NAME=VALUE`.\n\n" + Self.table(of: inputs)
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
            return own.isEmpty ? nil : "\nThe environment `\(name)` has more inputs:\n\n" + Self.table(of: own)
        }
        return
            "## Environments\n\nOther servers of \(descriptor.name): \(names). To use one, pass its name in "
            + "`ClientRegistration.environment`, or to `carnet` as `--environment NAME`.\n" + inputs.joined()
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
        return text + "\n"
            + Self.table(["Scope", "Allows"], rules.catalog.map { ["`\($0.id)`", Self.cell($0.title ?? "")] })
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
        return "## Resources\n\nRequests that are possible with the access token:\n\n"
            + Self.table(["Resource", "Request", "Required scopes"], rows)
    }

    // MARK: Oddities

    private var oddities: String? {
        guard !descriptor.notes.isEmpty else { return nil }
        let rows = descriptor.notes.map { note in
            ["`\(note.about)`", Self.cell(note.because), note.link.map { "[source](\($0))" } ?? ""]
        }
        return
            "## Notes on the descriptor\n\nWhere \(descriptor.name) differs from the standard or from other sources, and the key that "
            + "handles it:\n\n" + Self.table(["Key", "Why", "Evidence"], rows)
    }

    // MARK: Program

    private var program: String {
        """
        ## Use it

        To see every request of a sign-in, without an account, run `carnet try \(id)`. To sign in at the real provider with the
        [command `carnet`](../linting.md#install-the-command), run:

        ```console
        $ \(loginCommand)
        ```
        \(loginRemark)
        In a program that imports `CarnetCatalog` and `CarnetHTTP`:

        ```swift
        \(client)```

        [All requests of a test client](../../Tests/Modules/CarnetCommandTests/Catalogue/\(id).txt) ·
        [all providers](README.md) · [keys of a descriptor](../descriptor-reference.md)

        """
    }

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

    private var loginRemark: String {
        let (environment, chosen) = commandTarget
        if let environment {
            return
                "\nThe command receives the callback on this computer, which \(descriptor.name) accepts in the environment "
                + "`\(environment)` only.\n"
        }
        guard !Self.acceptsLoopback(chosen) else { return "" }
        return
            "\n\(descriptor.name) accepts no redirect URI on this computer. Register the URI of the command, and paste the URL that the "
            + "browser shows after the sign-in.\n"
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

    /// The function that makes a client. Pages differ in its name and in texts.
    private var client: String {
        let words = descriptor.id.rawValue.split(separator: "-").map { $0.prefix(1).uppercased() + $0.dropFirst() }
        var arguments = ["clientID: \"YOUR CLIENT ID\""]
        let methods = descriptor.client.methods
        if methods.contains(where: \.usesSecret) {
            arguments.append("credentials: .secret(Secret(\"YOUR CLIENT SECRET\"))")
        } else if methods.contains(where: \.usesKey) {
            arguments.append("credentials: .signingKey(signingKey)")
        }
        arguments.append("redirectURI: \"\(redirectURI)\"")
        let values = descriptor.inputs.items.filter { $0.value.defaultValue == nil && !$0.value.isOptional }
        if !values.isEmpty {
            let examples = descriptor.simulatedInputs().values
            let pairs = values.map { "\"\($0.name)\": \"\(Self.escaped(examples[$0.name] ?? ""))\"" }
            arguments.append("inputs: [\(pairs.joined(separator: ", "))]")
        }
        let parameter = arguments.contains("credentials: .signingKey(signingKey)") ? "signingKey: ClientKey" : ""
        return """
            func make\(words.joined())Client(\(parameter)) throws -> OAuthClient {
                try OAuthClient(
                    ProviderRegistry.builtIn.descriptor("\(id)"),
                    registration: ClientRegistration(
                        \(arguments.joined(separator: ",\n            "))
                    ),
                    transport: AsyncHTTPTransport()
                )
            }

            """
    }

    private var redirectURI: String {
        let uri = "https://app.example/sign-in/\(id)/callback"
        let forms = descriptor.redirects
        guard !forms.isEmpty, !forms.contains(where: { $0.matches(uri) }) else { return uri }
        return SimulatedRedirectURI.fitting(forms) ?? uri
    }

    private static func escaped(_ text: String) -> String {
        text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
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
