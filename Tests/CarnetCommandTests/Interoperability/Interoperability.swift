/// What a client can do with a server, in the order of the page.
enum Exchange: String, CaseIterable, Sendable {
    case discovery = "discovery"
    case code = "authorization code with PKCE"
    case userinfo = "userinfo"
    case refresh = "refresh"
    case rotation = "a used refresh token is refused"
    case pushed = "pushed authorization request (RFC 9126)"
    case dpop = "tokens bound to a key (RFC 9449)"
    case device = "device authorization (RFC 8628)"
    case introspection = "introspection (RFC 7662)"
    case revocation = "revocation (RFC 7009)"
    case registration = "dynamic registration (RFC 7591)"
    case registered = "sign-in as the client that registered itself"
    case management = "managing the registration (RFC 7592)"
    case backChannelLogout = "back-channel logout"
    case endSession = "RP-initiated logout"
}

/// What came of one exchange with one server.
enum Outcome: Sendable, CustomStringConvertible {
    /// It was made; with what is worth telling of it.
    case passed(String? = nil)
    /// The server does not have it.
    case lacking(String)
    /// The server has it and refuses what the standard lets a client send.
    case refused(String)

    var description: String {
        switch self {
        case .passed(let remark): "passed" + (remark.map { ": \($0)" } ?? "")
        case .lacking(let what): "not there: \(what)"
        case .refused(let reason): "refused: \(reason)"
        }
    }
}

/// An oddity that was met on the way, by its number in the list of deviations that Carnet is held against.
enum Deviation: String, CaseIterable, Sendable {
    case rawBasicOnly = "INT-01"
    case encodedBasicOnly = "INT-02"
    case ignoresPKCE = "INT-04"
    case errorWithoutIssuer = "INT-06"
    case unannouncedIssuer = "INT-07"
    case ownErrorCode = "INT-08"
    case badRequestForBadToken = "INT-12"
    case fractionalTimes = "INT-14"
    case consentForOfflineAccess = "INT-15"
    case registeredWith200 = "INT-16"
    case unsignedAnnounced = "INT-18"
    case replayKeepsTokens = "INT-21"
    case logoutTokenWithoutEnd = "BCL-03"
    case methodAsList = "DCR-03"

    var meaning: String {
        switch self {
        case .rawBasicOnly: "takes id and secret in the Basic header only as they are, not percent-encoded"
        case .encodedBasicOnly: "takes id and secret in the Basic header only percent-encoded"
        case .ignoresPKCE: "gives tokens for a wrong code verifier"
        case .errorWithoutIssuer: "announces the issuer in callbacks (RFC 9207), and leaves it out of an error"
        case .unannouncedIssuer: "names the issuer in a callback without having announced it"
        case .ownErrorCode: "answers a used code with an error code or a status of its own"
        case .badRequestForBadToken: "answers 400, not 401, to an access token that is none"
        case .fractionalTimes: "tells the end of a token in fractions of a second"
        case .consentForOfflineAccess: "gives no refresh token unless the user is asked for consent anew"
        case .registeredWith200: "answers a registration with 200, not 201"
        case .unsignedAnnounced: "announces ID tokens that are not signed"
        case .replayKeepsTokens: "a code that is used twice leaves the first access token in force"
        case .logoutTokenWithoutEnd: "sends a logout token that has no end"
        case .methodAsList: "gives a client's method of authentication as a list when the registration is read"
        }
    }

    /// What makes a client pass all the same.
    var rule: String {
        switch self {
        case .rawBasicOnly: "`client.basic_encoding: raw`"
        case .encodedBasicOnly: "the default"
        case .ignoresPKCE: "the nonce of the ID token still stops a stolen code"
        case .errorWithoutIssuer: "an error is told without being believed"
        case .unannouncedIssuer: "an issuer that is there is compared"
        case .ownErrorCode: "no error needs a JSON body or a known code"
        case .badRequestForBadToken: "a refusal is an error of its status"
        case .fractionalTimes: "a time is any number"
        case .consentForOfflineAccess: "`authorization.offline_parameters: { prompt: consent }`"
        case .registeredWith200: "either is taken"
        case .unsignedAnnounced: "no descriptor can accept `none`"
        case .replayKeepsTokens: "a code is sent once"
        case .logoutTokenWithoutEnd: "`logout.missing_exp`"
        case .methodAsList: "a list of one is that one"
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
            "# Servers that others wrote",
            "",
            "Carnet is held against four authorization servers, each by a YAML file alone. This page is made by the tests: a cell",
            "says `passed` because the exchange was made, its answer judged and its tokens used.",
            "",
            "    CARNET_UPDATE_DOCS=1 swift test --filter InteroperabilityTests",
            "",
            "They come from PyPI and Debian in the versions that `Tests/Peers/requirements-*.txt` names, and run on loopback:",
            servers.map { "\($0.title)" }.joined(separator: ", ") + ".",
            "",
            "| exchange | " + servers.map(\.rawValue).joined(separator: " | ") + " |",
            "|---|" + servers.map { _ in "---|" }.joined(),
        ]
        for exchange in Exchange.allCases {
            let cells = reports.map { $0.report.outcomes[exchange]?.description ?? "not tried" }
            lines.append("| \(exchange.rawValue) | " + cells.joined(separator: " | ") + " |")
        }
        lines += [
            "", "## Deviations that were met", "",
            "Each was seen in the same run: a request was made that tells a server with it from one without.", "",
            "| | the server | seen at | what lets a client pass |", "|---|---|---|---|",
        ]
        for deviation in Deviation.allCases {
            let met = reports.filter { $0.report.deviations.contains(deviation) }.map(\.server.rawValue)
            guard !met.isEmpty else { continue }
            let cells = [deviation.rawValue, deviation.meaning, met.joined(separator: ", "), deviation.rule]
            lines.append("| " + cells.joined(separator: " | ") + " |")
        }
        lines += ["", "## The descriptors", "", "What each says beyond `carnet`, `id`, `name` and `issuer`:", ""]
        for (server, _) in reports {
            lines.append("`\(server.rawValue)`")
            lines.append("")
            lines += server.lines.split(separator: "\n").map { "    \($0)" }
            lines.append("")
        }
        return lines.joined(separator: "\n")
    }
}

extension Peer.Server {
    var title: String {
        switch self {
        case .canaille: "canaille 0.3.6 (Python, Authlib)"
        case .glewlwyd: "glewlwyd 2.7.5 (C)"
        case .idpyoidc: "idpyoidc 5.0.0 (Python)"
        case .oidcProviderMock: "oidc-provider-mock 0.3.4 (Python)"
        }
    }
}
