import Carnet
import CarnetFoundation
import CarnetProtocol
import CarnetResourceServer
import CarnetTestSupport
import CarnetTesting
import Foundation
import HTTPTypes
import Testing

/// Access tokens as the providers' own documents show them, at the descriptors of the catalogue.
@Suite("Access tokens of shipped providers")
struct ProviderTokenTests {
    private static let tenant = "72f988bf-86f1-41af-91ab-2d7cd011db47"
    private static let api = "6e74172b-be56-4843-9ff4-e66a39bb12e3"

    /// A descriptor with its registration, and its issuer's key set.
    private struct Shipped: Sendable {
        var files: [String]
        var id: String
        var inputs: [String: String]
        var environment: String?
        var keys: String

        static let okta = Shipped(
            files: ["okta"], id: "okta", inputs: ["domain": "acme.okta.com"],
            keys: "https://acme.okta.com/oauth2/default/v1/keys")
        static let entra = Shipped(
            files: ["microsoft", "entra"], id: "entra", inputs: ["tenant": ProviderTokenTests.tenant],
            keys: "https://login.microsoftonline.com/\(ProviderTokenTests.tenant)/discovery/v2.0/keys")
        static let cognito = Shipped(
            files: ["cognito"], id: "cognito",
            inputs: ["domain": "auth.acme.example", "region": "eu-west-1", "user_pool": "eu-west-1_A"],
            environment: "updated_issuer",
            keys: "https://issuer-cognito-idp.eu-west-1.amazonaws.com/eu-west-1_A/.well-known/jwks.json")

        func server(_ audiences: [String]) throws -> ResourceServer {
            var registry = ProviderRegistry()
            registry.add(
                try files.map {
                    let file = try Repository.file("providers/\($0).yaml")
                    return SourceFile(path: file.path, text: file.text)
                })
            let keys = keys
            let set = (["keys": [try SigningKey.rsa.jwk(["kid": "0"])]] as JSONValue).jsonText()
            let transport = ScriptedTransport { request in
                guard "https://\(request.head.authority ?? "")\(request.head.path ?? "")" == keys else {
                    throw TransportError(.connection, "nobody is here")
                }
                return .json(set)
            }
            let client = try OAuthClient(
                registry.descriptor(ProviderID(rawValue: id)),
                registration: ClientRegistration(
                    clientID: "the-api", redirectURI: "https://api.acme.example/none", inputs: inputs,
                    environment: environment),
                transport: transport, clock: ManualClock())
            return try ResourceServer(Door.resource, accepting: [TokenIssuer(client, audiences: audiences)])
        }
    }

    private static func decide(
        _ shipped: Shipped, _ audience: String, _ claims: [String: JSONValue], without names: [String] = [],
        type: JSONValue? = nil
    ) async throws -> AccessDecision {
        var claims = claims.reduce(into: JSONObject()) { $0[$1.key] = $1.value }
        claims["iat"] = .number("\(Door.now)")
        claims["exp"] = .number("\(Door.now + 3600)")
        for name in names { claims[name] = nil }
        var header: [String: JSONValue] = [:]
        if let type { header["typ"] = type }
        let token = try SigningKey.rsa.token(.object(claims), algorithm: "RS256", keyID: "0", header: header)
        return try await shipped.server([audience]).decide(Door.bearing(token))
    }

    private static func caller(_ decision: AccessDecision, sourceLocation: SourceLocation = #_sourceLocation) -> Caller?
    {
        switch decision {
        case .allowed(let caller): return caller
        case .refused(let refusal):
            Issue.record("refused: \(refusal.reason)", sourceLocation: sourceLocation)
            return nil
        }
    }

    private static func reason(_ decision: AccessDecision, sourceLocation: SourceLocation = #_sourceLocation) -> String
    {
        switch decision {
        case .allowed:
            Issue.record("allowed", sourceLocation: sourceLocation)
            return ""
        case .refused(let refusal): return refusal.reason
        }
    }

    // https://github.com/okta/okta-developer-docs, docs/guides/dpop/main/nonoktaresourceserver/decoded.md, without its cnf.
    private static let oktaToken: [String: JSONValue] = [
        "ver": 1, "jti": "AT.pKoLFoM7X4P4DrJBRvXaJzj9g0-naK1ChGH_oTbStYE",
        "iss": "https://acme.okta.com/oauth2/default",
        "aud": "api://default", "cid": "0oa4dr9kzkykPrLhq0g7", "uid": "00u47ijy7sRLaeSdC0g7", "scp": ["openid"],
        "auth_time": 1_677_521_913, "sub": "user@example.com",
    ]

    @Test("Okta: the client is in cid, the scopes are a list in scp")
    func okta() async throws {
        let token = Self.oktaToken
        let caller = try await Self.caller(Self.decide(.okta, "api://default", token))
        #expect(caller?.clientID == "0oa4dr9kzkykPrLhq0g7" && caller?.scopes == ["openid"])
        #expect(caller?.subject == "user@example.com")
        // A token of the client itself has no user.
        let own = try await Self.caller(Self.decide(.okta, "api://default", token, without: ["uid", "auth_time"]))
        #expect(own != nil)
        // An ID token: docs/guides/validate-id-tokens, whose audience is a client.
        let isID = try await Self.decide(.okta, "api://default", token, without: ["cid", "uid", "scp"])
        #expect(Self.reason(isID).contains("neither the type"))
    }

    @Test("Okta: tokens of the org authorization server are for Okta alone")
    func oktaOrganization() async throws {
        var shipped = Shipped.okta
        (shipped.environment, shipped.keys) = ("org", "https://acme.okta.com/oauth2/v1/keys")
        shipped.inputs["server"] = nil
        var token = Self.oktaToken
        token["iss"] = "https://acme.okta.com"
        #expect(try await Self.reason(Self.decide(shipped, "api://default", token)).contains("neither the type"))
    }

    // The decoded token of version 2.0 in https://github.com/MicrosoftDocs/entra-docs, docs/identity-platform/access-tokens.md.
    private static let entraToken: [String: JSONValue] = [
        "aud": .string(api), "iss": .string("https://login.microsoftonline.com/\(tenant)/v2.0"),
        "nbf": .number("\(Door.now)"), "azp": "6e74172b-be56-4843-9ff4-e66a39bb12e3", "azpacr": "0",
        "name": "Abe Lincoln", "oid": "690222be-ff1a-4d56-abd1-7e4f7d38e474",
        "preferred_username": "abeli@microsoft.com", "rh": "I",
        "scp": "access_as_user", "sub": "HKZpfaHyWadeOouYlitjrI-KffTm222X5rrV3xDqfKQ", "tid": .string(tenant),
        "uti": "fqiBqXLPj0eQa82S-IYFAA", "ver": "2.0",
    ]

    @Test("Entra: the client is in azp, and the scopes are a string in scp")
    func entra() async throws {
        let caller = try await Self.caller(Self.decide(.entra, Self.api, Self.entraToken, type: "JWT"))
        #expect(caller?.clientID == Self.api && caller?.scopes == ["access_as_user"])
        // A program's own token: roles instead of scopes.
        var own = Self.entraToken
        own["roles"] = ["Reports.Read"]
        let program = try await Self.caller(
            Self.decide(.entra, Self.api, own, without: ["scp", "name", "preferred_username"], type: "JWT"))
        #expect(program?.scopes == [] && program?.claims["roles"] == ["Reports.Read"])
    }

    @Test("Entra: an ID token of the API, a token of another tenant and one of version 1.0 are refused")
    func entraRefusals() async throws {
        let token = Self.entraToken
        // docs/identity-platform/id-token-claims-reference.md: an ID token may have roles.
        var idToken = token
        (idToken["roles"], idToken["nonce"]) = (["Reports.Read"], "n")
        let isID = try await Self.decide(.entra, Self.api, idToken, without: ["scp", "azp", "azpacr"], type: "JWT")
        #expect(Self.reason(isID).contains("neither the type"))
        var other = token
        let tenant = "fa15d692-e9c7-4460-a743-29f295222229"
        (other["iss"], other["tid"]) = (.string("https://login.microsoftonline.com/\(tenant)/v2.0"), .string(tenant))
        #expect(try await !Self.reason(Self.decide(.entra, Self.api, other, type: "JWT")).isEmpty)
        var old = token
        (old["iss"], old["ver"]) = (.string("https://sts.windows.net/\(Self.tenant)/"), "1.0")
        #expect(try await !Self.reason(Self.decide(.entra, Self.api, old, type: "JWT")).isEmpty)
    }

    // https://docs.aws.amazon.com/cognito/latest/developerguide/amazon-cognito-user-pools-using-the-access-token.html, with the
    // issuer of API_IssuerConfigurationType.
    @Test("Cognito: a user pool with the updated issuer")
    func cognito() async throws {
        let token: [String: JSONValue] = [
            "sub": "aaaaaaaa-bbbb-cccc-dddd-eeeeeeeeeeee",
            "iss": "https://issuer-cognito-idp.eu-west-1.amazonaws.com/eu-west-1_A", "client_id": "xxxxxxxxxxxxexample",
            "token_use": "access", "scope": "openid phone", "username": "ada",
        ]
        let caller = try await Self.caller(Self.decide(.cognito, "xxxxxxxxxxxxexample", token))
        #expect(caller?.clientID == "xxxxxxxxxxxxexample" && caller?.scopes == ["openid", "phone"])
        var idToken = token
        idToken["token_use"] = "id"
        #expect(try await !Self.reason(Self.decide(.cognito, "xxxxxxxxxxxxexample", idToken)).isEmpty)
    }
}
