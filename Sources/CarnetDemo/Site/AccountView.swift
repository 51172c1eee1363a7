import Carnet
import CarnetFoundation
import CarnetProtocol
import CarnetWeb

/// What the page of an account shows.
struct AccountView {
    enum Tab: String, CaseIterable {
        case profile, payload, header, resources

        var label: String {
            switch self {
            case .profile: "Profile"
            case .payload: "Token payload"
            case .header: "Token header"
            case .resources: "Resources"
            }
        }
    }

    /// A claim as people read it.
    struct Row {
        let name: String
        let value: String
        var time: String?

        init(_ name: String, _ value: JSONValue) {
            self.name = name
            self.value = value.scalarText ?? value.jsonText()
        }
    }

    let visit: DemoSite.Visit
    let provider: String
    let tab: Tab
    let tokens: TokenSet
    let profile: ProfileView?
    let resources: [ResourceAccess]
    let response: ResourceResponse?

    /// Only a JWT has parts that can be shown.
    var tabs: [Tab] { JWTSegments(tokens.accessToken) == nil ? [.profile, .resources] : Tab.allCases }

    /// A part of the access token; `nil` if the token is opaque.
    private var tokenPart: JSONValue? { JWTSegments(tokens.accessToken)?.json(tab == .header ? 0 : 1) }

    var tokenRows: [Row]? {
        tokenPart?.object?.members.map { member in
            var row = Row(member.name, member.value)
            if Self.times.contains(member.name), let seconds = member.value.integer, Self.years.contains(seconds) {
                row.time = Date(timeIntervalSince1970: TimeInterval(seconds)).formatted(.iso8601)
            }
            return row
        }
    }

    /// The claims that are seconds since 1970 (RFC 7519, section 2; OpenID Connect Core, section 2).
    private static let times = ["iat", "nbf", "exp", "auth_time"]
    /// The seconds of the years with four digits.
    private static let years = 0..<253_402_300_800

    var tokenText: String? { tokenPart?.jsonText(.indented) }

    /// The scopes of a sign-in that asks for what is granted and what is missing.
    var wanted: [String] {
        let missing = resources.flatMap(\.missing)
        guard !missing.isEmpty else { return [] }
        var scopes = tokens.scopes
        for scope in missing where !scopes.contains(scope) { scopes.append(scope) }
        return scopes
    }
}

/// A profile, or why there is none.
struct ProfileView {
    let rows: [AccountView.Row]
    let failure: String?
    let picture: DemoPicture?

    init(of session: Session, over transport: any Transport) async {
        do {
            let profile = try await session.profile()
            rows = profile.claims.map { AccountView.Row(Self.label(of: $0.name), $0.value) }
            failure = profile.failures.isEmpty ? nil : profile.failures.map(\.description).joined(separator: "\n")
            picture = await DemoPicture(profile.picture, over: transport)
        } catch {
            (rows, picture) = ([], nil)
            failure = (error as? OAuthError)?.description ?? "the profile is unavailable"
        }
    }

    /// The name of a claim as people read it.
    private static func label(of name: String) -> String {
        let words = name.replacing("_", with: " ")
        return words.prefix(1).uppercased() + words.dropFirst()
    }
}
