import CarnetDescriptors
import CarnetFoundation
import CarnetLint

/// Asks the author on a terminal for what a draft would guess. An empty line leaves the guess.
struct DraftQuestions {
    /// Shows a question and returns the line that the author types; `nil` at the end of the input.
    let ask: (String) async throws -> String?
    /// Shows why the question is asked again.
    let say: (String) -> Void

    /// The issuer, if the provider has one.
    func issuer() async throws -> String? {
        try await answer("Issuer of OpenID Connect, or of the OAuth metadata (empty: there is none): ", read: Self.url)
            .map(DescriptorDraft.issuer(ofMetadata:))
    }

    /// - Parameter draft: What is known from the metadata, if there is any.
    func facts(for draft: DescriptorDraft, hasIssuer: Bool) async throws -> DescriptorDraft.Facts {
        var facts = DescriptorDraft.Facts()
        say("An empty line leaves a guess. For a page or a profile, none says that the provider has none.")
        facts.name = try await answer("Name to show to users: ") { .success($0) }
        if !hasIssuer || draft.missingEndpoints.contains("authorization_endpoint") {
            facts.authorization = try await answer("URL of the authorization page: ", read: Self.urlOrNone)
            facts.hasPage = facts.authorization != ""
            if !facts.hasPage { (facts.authorization, facts.hasClientCredentials) = (nil, true) }
        }
        if !hasIssuer || draft.missingEndpoints.contains("token_endpoint") {
            facts.token = try await answer("URL of the token endpoint: ", read: Self.url)
        }
        if draft.lacksProfile, facts.hasPage {
            facts.userinfo = try await answer("URL that returns the user's profile: ", read: Self.urlOrNone)
            if facts.userinfo == "" {
                (facts.userinfo, facts.profileGap) = (nil, "the provider has no URL that returns a profile")
            } else if !hasIssuer || facts.userinfo != nil {
                facts.subject = try await answer("Pointer to the user's id in the profile, such as /id: ") { text in
                    JSONPointer(text).map { .success($0) }
                        ?? .failure(Refusal("a pointer starts with /, and behind ~ stands 0 or 1"))
                }
            }
        }
        guard !hasIssuer else { return facts }
        let methods = ClientAuthenticationMethod.allCases.map(\.rawValue).joined(separator: ", ")
        facts.authentication = try await answer("Client authentication, such as client_secret_post: ") { text in
            let words = Self.words(of: text)
            let known = words.compactMap(ClientAuthenticationMethod.init(rawValue:))
            return known.count == words.count ? .success(known) : .failure(Refusal("one or more of \(methods)"))
        }
        facts.scopes = try await answer("Scopes to request, separated by spaces: ") { text in
            let words = Self.words(of: text)
            return words.contains("openid")
                ? .failure(Refusal("openid needs the issuer: leave it out, or start again with --issuer URL"))
                : .success(words)
        }
        return facts
    }

    private struct Refusal: Error {
        let reason: String

        init(_ reason: String) { self.reason = reason }
    }

    private static func words(of text: String) -> [String] {
        text.split { $0 == " " || $0 == "," }.map(String.init)
    }

    /// - Returns: An empty text for none.
    private static func urlOrNone(_ text: String) -> Result<String, Refusal> {
        ["none", "-"].contains(text) ? .success("") : url(text)
    }

    private static func url(_ text: String) -> Result<String, Refusal> {
        do throws(WebURLError) {
            try WebURL.check(text)
            return .success(text)
        } catch {
            return .failure(Refusal("write the complete URL, such as https://id.example.com: \(error.reason)"))
        }
    }

    /// - Returns: `nil` for an empty line.
    /// - Throws: `CancellationError` at the end of the input: nobody has said that the rest may be guessed.
    private func answer<Value>(
        _ question: String, read: (String) -> Result<Value, Refusal>
    ) async throws -> Value? {
        while let line = try await ask(question) {
            let text = String(line.trimming(\.isWhitespace))
            if text.isEmpty { return nil }
            switch read(text) {
            case .success(let value): return value
            case .failure(let refusal): say(refusal.reason)
            }
        }
        throw CancellationError()
    }
}
