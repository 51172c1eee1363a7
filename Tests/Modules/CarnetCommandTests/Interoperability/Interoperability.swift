/// What a client can do with a server, in the order of the page.
enum Exchange: String, CaseIterable, Sendable {
    case discovery = "discovery"
    case code = "authorization code with PKCE"
    case secret = "five lines of YAML, with the secret `s3cr+t/for%41&=:swift`"
    case userinfo = "userinfo"
    case refresh = "refresh"
    case rotation = "a used refresh token is rejected"
    case pushed = "pushed authorization request (RFC 9126)"
    case dpop = "tokens bound to a key (RFC 9449)"
    case device = "device authorization (RFC 8628)"
    case introspection = "introspection (RFC 7662)"
    case revocation = "revocation (RFC 7009)"
    case registration = "dynamic registration (RFC 7591)"
    case registered = "sign-in with the registered client"
    case management = "managing the registration (RFC 7592)"
    case backChannelLogout = "back-channel logout"
    case endSession = "RP-initiated logout"
}

/// What came of one exchange with one server.
enum Outcome: Sendable {
    /// It was made; with what is worth telling of it.
    case passed(String? = nil)
    /// The server does not have it.
    case lacking(String)
    /// The server has it and refuses what the standard lets a client send.
    case refused(String)

    var isPassed: Bool {
        if case .passed = self { true } else { false }
    }

    var remark: String? {
        switch self {
        case .passed(let remark): remark
        case .lacking(let what): "not supported, \(what)"
        case .refused(let reason): "rejected, \(reason)"
        }
    }
}

/// An oddity that was met on the way, by its number in the list of deviations that Carnet is held against.
enum Deviation: String, CaseIterable, Sendable {
    case rawBasicOnly = "INT-01"
    case encodedBasicOnly = "INT-02"
    case noColonInBasic = "INT-03"
    case ignoresPKCE = "INT-04"
    case errorWithoutIssuer = "INT-06"
    case unannouncedIssuer = "INT-07"
    case ownErrorCode = "INT-08"
    case pageForSilentSignIn = "INT-09"
    case challengeWithoutScheme = "INT-11"
    case badRequestForBadToken = "INT-12"
    case fractionalTimes = "INT-14"
    case consentForOfflineAccess = "INT-15"
    case registeredWith200 = "INT-16"
    case unsignedAnnounced = "INT-18"
    case endpointsElsewhere = "INT-19"
    case deviceWithoutIDToken = "INT-20"
    case replayKeepsTokens = "INT-21"
    case logoutTokenWithoutEnd = "BCL-03"
    case methodAsList = "DCR-03"
    case unannouncedPKCE = "DISC-21"

    var meaning: String {
        switch self {
        case .rawBasicOnly: "accepts client id and secret in the Basic header only without percent-encoding"
        case .encodedBasicOnly: "accepts client id and secret in the Basic header only with percent-encoding"
        case .noColonInBasic: "does not accept a secret with a colon in the Basic header, in either encoding"
        case .ignoresPKCE: "returns tokens for a wrong code verifier"
        case .errorWithoutIssuer: "announces the issuer in callbacks (RFC 9207), and omits it in error responses"
        case .unannouncedIssuer: "sends the issuer in a callback without announcing it"
        case .ownErrorCode: "returns a non-standard error code or status for a used code"
        case .pageForSilentSignIn: "shows a page for `prompt=none` instead of returning `login_required`"
        case .challengeWithoutScheme: "omits the scheme in `WWW-Authenticate`"
        case .badRequestForBadToken: "returns 400 instead of 401 for an invalid access token"
        case .fractionalTimes: "returns the expiry in fractions of a second"
        case .consentForOfflineAccess: "returns a refresh token only after new consent"
        case .registeredWith200: "returns 200 instead of 201 for a registration"
        case .unsignedAnnounced: "announces ID tokens that are not signed"
        case .endpointsElsewhere: "announces its OAuth endpoints only in the RFC 8414 document"
        case .deviceWithoutIDToken: "returns no ID token to a device"
        case .replayKeepsTokens: "keeps the first access token valid after a second use of the code"
        case .logoutTokenWithoutEnd: "sends a logout token without an expiry"
        case .methodAsList: "returns the method of client authentication as a list when the registration is read"
        case .unannouncedPKCE: "supports PKCE and does not announce it"
        }
    }

    /// What makes a client pass all the same.
    var rule: String {
        switch self {
        case .rawBasicOnly:
            "after `invalid_client` or `unauthorized_client`, Carnet sends the other encoding once; after another "
                + "error, `client.basic_encoding: raw`"
        case .encodedBasicOnly: "Carnet percent-encodes first"
        case .noColonInBasic: "Carnet then sends them in the body, as the server announces"
        case .ignoresPKCE: "the nonce of the ID token still stops a stolen code"
        case .errorWithoutIssuer: "an error response fails the sign-in; Carnet trusts nothing in it"
        case .unannouncedIssuer: "Carnet compares the issuer if the callback has one"
        case .ownErrorCode: "Carnet needs neither a JSON body nor a known error code"
        case .pageForSilentSignIn: "a silent sign-in ends after its lifetime"
        case .challengeWithoutScheme: "Carnet also reads the parameters without a scheme"
        case .badRequestForBadToken: "Carnet reports the error response with its status"
        case .fractionalTimes: "Carnet accepts fractions"
        case .consentForOfflineAccess: "`authorization.offline_parameters: { prompt: consent }`"
        case .registeredWith200: "Carnet accepts both"
        case .unsignedAnnounced: "no descriptor can accept `none`"
        case .endpointsElsewhere: "`endpoints` names the endpoints"
        case .deviceWithoutIDToken: "a device sign-in needs no ID token"
        case .replayKeepsTokens: "Carnet sends a code once"
        case .logoutTokenWithoutEnd: "`logout.missing_exp`"
        case .methodAsList: "a list with one element counts as the element"
        case .unannouncedPKCE: "Carnet always sends PKCE"
        }
    }
}

/// Everything that came of one server.
struct PeerReport: Sendable {
    var outcomes: [Exchange: Outcome] = [:]
    var deviations: Set<Deviation> = []
}

/// The page that the reports make.
struct InteroperabilityPage {
    let reports: [(server: Peer.Server, report: PeerReport)]

    var text: String {
        let servers = reports.map(\.server)
        var lines = [
            "# Interoperability",
            "",
            "For readers who want to know which servers Carnet was tested with. The tests sign in at \(servers.count) authorization servers,",
            "each described only by YAML, and write this page. `passed` means that Carnet sent the request, validated the response",
            "and used the tokens. To repeat the tests:",
            "",
            "    CARNET_UPDATE_DOCS=1 swift test --filter InteroperabilityTests",
            "",
            "The servers come from PyPI and Debian, in the versions of `Tests/Peers/requirements-*.txt`, and run on loopback:",
            servers.map { "\($0.title)" }.joined(separator: ", ") + ".",
            "",
            "| exchange | passed | not passed |", "|---|---|---|",
        ]
        for exchange in Exchange.allCases {
            lines.append(
                "| \(exchange.rawValue) | \(cell(exchange, passed: true)) | \(cell(exchange, passed: false)) |")
        }
        lines += [
            "", "## Observed deviations", "",
            "The same tests observed each of these deviations, with a request that only deviating servers respond to differently.",
            "",
            "| | the server | observed at | how Carnet handles it |", "|---|---|---|---|",
        ]
        for deviation in Deviation.allCases {
            let met = reports.filter { $0.report.deviations.contains(deviation) }.map(\.server.rawValue)
            guard !met.isEmpty else { continue }
            let cells = [deviation.rawValue, deviation.meaning, met.joined(separator: ", "), deviation.rule]
            lines.append("| " + cells.joined(separator: " | ") + " |")
        }
        lines += [
            "", "## The descriptors", "",
            "Each descriptor has `carnet`, `id`, `name`, `issuer` and these keys. `ISSUER` stands for the issuer:", "",
        ]
        for (server, _) in reports {
            lines.append("`\(server.rawValue)`")
            lines.append("")
            lines += server.lines.split(separator: "\n").map { "    \($0)" }
            lines.append("")
        }
        return lines.joined(separator: "\n")
    }

    /// The servers with what came of the exchange, those with the same result together.
    private func cell(_ exchange: Exchange, passed: Bool) -> String {
        var groups: [(remark: String, servers: [String])] = []
        for (server, report) in reports {
            let outcome = report.outcomes[exchange]
            guard (outcome?.isPassed == true) == passed else { continue }
            let remark = outcome?.remark ?? (passed ? "" : "not tried")
            if let index = groups.firstIndex(where: { $0.remark == remark }) {
                groups[index].servers.append(server.rawValue)
            } else {
                groups.append((remark, [server.rawValue]))
            }
        }
        return groups.map { group in
            let names = group.servers.count == reports.count ? "all" : group.servers.joined(separator: ", ")
            return group.remark.isEmpty ? names : "\(names): \(group.remark)"
        }
        .joined(separator: "; ")
    }
}

extension Peer.Server {
    var title: String {
        switch self {
        case .canaille: "canaille 0.3.6 (Python, Authlib)"
        case .djangoAllauth: "django-allauth 65.21.1 (Python, oauthlib)"
        case .djangoOAuthToolkit: "django-oauth-toolkit 3.4.1 (Python, oauthlib)"
        case .djangoOIDCProvider: "django-oidc-provider 0.9.0 (Python)"
        case .glewlwyd: "glewlwyd 2.7.5 (C)"
        case .idpyoidc: "idpyoidc 5.0.0 (Python)"
        case .oidcProviderMock: "oidc-provider-mock 0.3.4 (Python)"
        }
    }
}
