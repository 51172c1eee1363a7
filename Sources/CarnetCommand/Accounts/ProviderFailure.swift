import Carnet
import CarnetDescriptors
import CarnetFoundation
import CarnetLint
import CarnetProtocol

/// Adds to an error of the libraries what only the command line knows: the place of the descriptor key, the redirect
/// URI to register, and how a missing value is given.
struct ProviderFailure {
    let entry: ProviderRegistry.Entry
    var redirectURI: String?
    /// The options that a named command needs, such as ` --sandbox ADDRESS`.
    var givenOptions = ""
    /// How the registration is written where it is not options and the clients file.
    var writing: Writing?

    struct Writing {
        /// File and line of the registration.
        let place: String
        let input: @Sendable (String) -> [String]
        let secret: String
    }

    func explaining<Result>(_ body: () async throws -> Result) async throws -> Result {
        do {
            return try await body()
        } catch let error as OAuthError where error.kind != .cancelled || error.server != nil {
            throw explain(error)
        } catch let error as ResolutionError {
            var failure = Failure(error) { writing?.input($0) ?? Registrations.waysToGive($0, of: entry.descriptor) }
            if let writing {
                failure.summary = "\(writing.place): \(failure.summary)"
            } else {
                failure.details = failure.details.map(placed)
            }
            throw failure
        }
    }

    func explain(_ error: OAuthError) -> Failure {
        let resource = KnownResources.url(of: entry, registeredWith: redirectURI)
        let login = "run carnet login \(resource?.shellWord ?? entry.descriptor.id.rawValue)"
        var failure = Failure(error, OAuthError.Words(signIn: login + givenOptions, redirectURI: redirectURI))
        if let writing { failure.summary = "\(writing.place): \(failure.summary)" }
        if let url = KnownResources.url(of: entry) {
            // Nobody wrote the descriptor of a found server.
            failure.details.removeAll { $0.name == "descriptor_key" }
            failure.next = failure.next.map { next in
                Self.namesKey(next)
                    ? "\(next); write such keys into a descriptor of your own, with resource: \(url)" : next
            }
        } else {
            failure.details = failure.details.map(placed)
        }
        failure.details.insert(Failure.Detail(name: "provider", text: entry.descriptor.id.rawValue), at: 0)
        if let redirectURI, Self.stepsOfSignIn.contains(error.step) {
            failure.details.append(Failure.Detail(name: "redirect_uri", text: redirectURI))
        }
        if let stepUp = error.stepUp {
            // The resource chose these strings, and people copy the command.
            let options =
                stepUp.acrValues.map { " --acr \($0.shellWord)" } + (stepUp.maxAge.map { [" --max-age \($0)"] } ?? [])
            failure.next = [login + options.joined() + givenOptions]
        }
        if error.disposition == .signInAgain, error.step != .callback, failure.next.isEmpty {
            failure.next.append(login + givenOptions)
        }
        // Nobody wrote the registration of a found server by hand: Carnet made it, and the server may have forgotten it.
        if resource != nil, [.serverError, .unexpectedStatus].contains(error.kind),
            error.disposition != .tryLater
                || error.isOfForgottenClient, Self.stepsOfSignIn.union([.refresh]).contains(error.step)
        {
            let again = "\(login) --register-again"
            if error.isOfForgottenClient {
                failure.next = [again]
            } else if ["invalid_request", "unauthorized_client", nil].contains(error.server?.code),
                (400..<500).contains(error.status ?? 400)
            {
                failure.next.append("if the server no longer knows the client, \(again)")
            }
        }
        if error.kind == .missingClientSecret, let way = writing?.secret { failure.next = [way] }
        return failure
    }

    /// - Parameter error: A rejection of a token that was issued just now.
    func rejectedAtOnce(_ error: OAuthError) -> Failure {
        var failure = explain(error)
        failure.next = [
            "the server rejects what its own authorization server has just issued, so another sign-in would not help: "
                + "report it to the server's operator"
        ]
        return failure
    }

    private static let stepsOfSignIn: Set<OAuthError.Step> = [.configuration, .authorization, .callback, .tokenRequest]

    /// Whether a next step needs a descriptor, and does not say yet how it begins.
    private static func namesKey(_ next: String) -> Bool {
        let words = next.split(separator: " ").filter { !$0.contains("://") }.flatMap { word in
            word.split { !$0.isLetter && $0 != "." && $0 != "_" }
        }
        let isNamed = words.contains { word in
            ["issuer_match", "discovery_url", "id_token"].contains(word)
                || sections.contains { word.hasPrefix("\($0).") }
        }
        return (isNamed || next.contains("descriptor")) && !next.contains("beside resource")
    }

    private static let sections = [
        "api", "authorization", "callback", "client", "device", "discovery", "endpoints", "id_token", "profile",
        "refresh", "revocation", "scopes", "token",
    ]

    /// Says where in the file a descriptor key is.
    func placed(_ detail: Failure.Detail) -> Failure.Detail {
        guard detail.name == "descriptor_key" else { return detail }
        let path = detail.text.split(separator: ".").map(String.init)
        guard entry.document.root?.node(at: path) != nil else { return detail }
        let (file, span) = entry.document.place(of: path)
        var detail = detail
        detail.remark = "\(file):\(span.start.line):\(span.start.column)"
        return detail
    }
}
