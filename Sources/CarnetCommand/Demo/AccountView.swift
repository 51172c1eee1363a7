import Carnet
import CarnetWeb

/// What the page of an account shows.
struct AccountView {
    enum Tab: String, CaseIterable {
        case profile, payload, header, resources

        var label: String { rawValue.prefix(1).uppercased() + rawValue.dropFirst() }
    }

    let account: WebAccount
    let provider: String
    let tab: Tab
    let tokens: TokenSet
    let profile: ProfileView?
    let resources: [ResourceAccess]
    let answer: ResourceAnswer?

    /// The rows of a part of the access token; `nil` if the token is opaque.
    var tokenRows: [[String: Any]]? {
        guard let segments = JWTSegments(tokens.accessToken),
            let object = segments.json(tab == .header ? 0 : 1)?.object
        else { return nil }
        return object.members.map { ["name": $0.name, "value": $0.value.scalarText ?? $0.value.jsonText()] }
    }

    var resourceRows: [[String: Any]] {
        resources.enumerated().map { number, access in
            [
                "number": number, "title": access.resource.title, "url": access.resource.url.text,
                "method": access.resource.method.rawValue, "open": access.isOpen,
                "missing": access.missing.joined(separator: " "),
            ]
        }
    }

    /// The scopes of a sign-in that asks for what is granted and what is missing.
    var wanted: [[String: Any]] {
        let missing = resources.flatMap(\.missing)
        guard !missing.isEmpty else { return [] }
        var scopes = tokens.scopes
        for scope in missing where !scopes.contains(scope) { scopes.append(scope) }
        return scopes.map { ["scope": $0] }
    }
}

/// A profile, or why there is none.
struct ProfileView {
    let rows: [[String: Any]]
    let failure: String?

    init(of session: Session) async {
        do {
            let profile = try await session.profile()
            rows = profile.claims.map { ["name": $0.name, "value": $0.value.scalarText ?? $0.value.jsonText()] }
            failure = profile.failures.isEmpty ? nil : profile.failures.map(\.description).joined(separator: "\n")
        } catch {
            rows = []
            failure = (error as? OAuthError)?.description ?? "the profile could not be had"
        }
    }
}
