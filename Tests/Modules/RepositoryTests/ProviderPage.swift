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
            facts, registration, inputs, environments, scopes, resources, oddities, program,
        ].compactMap { $0 }.joined(separator: "\n")
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
        var text = "## Register the application\n\n"
        text +=
            descriptor.docs.map {
                "Register your application at \(descriptor.name): the [documentation](\($0)) describes how. "
            } ?? "Register your application at \(descriptor.name). "
        if descriptor.redirects.isEmpty {
            text += "Enter its redirect URI exactly as the application sends it:\n\n"
            text += "- for a web site, `https://YOUR-HOST/sign-in/\(id)/callback`, or the path that you chose\n"
            text +=
                "- for a program on the user's own computer, such as `carnet login \(id)`, `http://127.0.0.1/callback`\n"
        } else {
            text += "\(descriptor.name) accepts redirect URIs of these forms:\n\n"
            text += descriptor.redirects.map { "- `\($0)`\n" }.joined()
        }
        return text
    }

    private var inputs: String? {
        let inputs = descriptor.inputs.items
        guard !inputs.isEmpty else { return nil }
        let rows = inputs.map { input in
            let rules = input.value
            let value =
                rules.defaultValue.map { "default `\($0)`" } ?? (rules.isOptional ? "optional" : "required")
            let allowed = rules.allowed.map { "`\($0)`" }.joined(separator: ", ")
            let example = rules.example.map { "`\($0)`" } ?? ""
            return ["`\(input.name)`", Self.cell(rules.title ?? ""), value, allowed.isEmpty ? example : allowed]
        }
        return
            "## Inputs\n\nValues that differ between applications. Pass them in `ClientRegistration.inputs`, or to `carnet` as "
            + "`--input NAME=VALUE`.\n\n"
            + Self.table(["Input", "Meaning", "Value", "Example or allowed values"], rows)
    }

    private var environments: String? {
        guard !descriptor.environmentNames.isEmpty else { return nil }
        let names = descriptor.environmentNames.map { "`\($0)`" }.joined(separator: ", ")
        return
            "## Environments\n\nOther servers of \(descriptor.name): \(names). To use one, pass its name in "
            + "`ClientRegistration.environment`, or to `carnet` as `--environment NAME`.\n"
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

        In a program that imports `CarnetCatalog` and `CarnetHTTP`:

        ```swift
        \(client)```

        [All requests of a test client](../../Tests/Modules/CarnetCommandTests/Catalogue/\(id).txt) ·
        [all providers](README.md) · [keys of a descriptor](../descriptor-reference.md)

        """
    }

    private var loginCommand: String {
        var words = ["carnet login \(id) --client-id YOUR-CLIENT-ID"]
        if descriptor.client.methods.contains(where: \.usesSecret) {
            words.append("--client-secret-env CLIENT_SECRET")
        }
        let examples = descriptor.simulatedInputs().values
        for input in descriptor.inputs.items where input.value.defaultValue == nil && !input.value.isOptional {
            words.append("--input \(input.name)=\(examples[input.name] ?? "VALUE")")
        }
        return words.joined(separator: " ")
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
