import Carnet
import CarnetSandbox
import CarnetTesting
import Foundation
import HTTPTypes
import Testing

private let url = "POST https://odd.example/token"
private let grant = "grant_type=authorization_code&code=4%2F%2B%26%3D%2541%20*"
private let rest = "&redirect_uri=\(redirect)&code_verifier=*"

extension Quirk {
    /// Signs in with a descriptor's keys, and compares the token request.
    private static func proof(
        _ keys: String, secret: String? = nil, _ request: String
    ) -> @Sendable () async throws -> Void {
        {
            let fixture = try SignInFixture(odd: keys, secret: secret)
            #expect(try await fixture.signIn().tokens().accessToken.isEmpty == false)
            #expect(await fixture.wire(.token) == [request])
        }
    }

    static let tokenRequest = [
        Quirk(
            "the body is JSON", key: "`token.body: json`", neededBy: "21: Notion, Clover, TikTok Ads",
            proof: proof(
                "token: { body: json }",
                url + "\n" + #"{"grant_type":"authorization_code","code":"4/+&=%41 *","#
                    + #""redirect_uri":"http://127.0.0.1:49152/callback","code_verifier":"*","client_id":"client"}"#
            )
        ),
        Quirk(
            "the parameters are in the query of a GET", key: "`token.method: GET`", neededBy: "1: WeChat, QQ, Untappd",
            proof: proof("token: { method: GET }", "GET https://odd.example/token?\(grant)\(rest)&client_id=client")
        ),
        Quirk(
            "the parameters are in the query of a POST", key: "`token.body: query`",
            neededBy: "Airbyte's list",
            proof: proof("token: { body: query }", "\(url)?\(grant)\(rest)&client_id=client")
        ),
        Quirk(
            "one parameter is in the query of a POST", key: "`token.query_parameters`",
            neededBy: "3, among them the former endpoints of Figma and Facebook",
            proof: proof(
                "token: { query_parameters: [redirect_uri] }",
                "\(url)?redirect_uri=\(redirect)\n\(grant)&code_verifier=*&client_id=client"
            )
        ),
        Quirk(
            "additional parameters", key: "`token.parameters`", neededBy: "6: Withings, Zendesk, Shopify",
            proof: proof(
                "token: { parameters: { action: requesttoken } }",
                "\(url)\n\(grant)\(rest)&client_id=client&action=requesttoken"
            )
        ),
        Quirk(
            "a parameter is sent once for each element of a list", key: "`token.encode: repeated`",
            neededBy: "servers that read a list of a form",
            proof: proof(
                "token: { parameters: { audience: [a, b c] }, encode: { audience: repeated } }",
                "\(url)\n\(grant)\(rest)&client_id=client&audience=a&audience=b%20c"
            )
        ),
        Quirk(
            "standard parameters have non-standard names", key: "`token.rename`", neededBy: "3: TikTok, WeChat, Deezer",
            proof: proof(
                "token: { rename: { client_id: app_id, client_secret: secret, code: auth_code } }\n"
                    + "client: { authentication: [client_secret_post] }",
                secret: "s e",
                "\(url)\n" + grant.replacing("&code=", with: "&auth_code=") + "\(rest)&app_id=client&secret=s%20e"
            )
        ),
        Quirk(
            "standard parameters are omitted", key: "`token.omit`", neededBy: "2: World ID (redirect_uri)",
            proof: proof("token: { omit: [redirect_uri] }", "\(url)\n\(grant)&code_verifier=*&client_id=client")
        ),
        Quirk(
            "the grant type has another name", key: "`token.grant_type`",
            neededBy: "TikTok Shop (authorized_code)",
            proof: proof(
                "token: { grant_type: authorized_code }",
                url + "\ngrant_type=authorized_code&" + grant.dropFirst("grant_type=authorization_code&".count) + rest
                    + "&client_id=client"
            )
        ),
        Quirk(
            "the grant type of a refresh has another name", key: "`refresh.grant_type`",
            neededBy: "Instagram (ig_refresh_token), Threads"
        ) {
            let fixture = try SignInFixture(odd: "refresh: { grant_type: th_refresh_token, using: access_token }")
            try await fixture.signIn().refresh()
            let body = try #require(await fixture.requests(to: .token).last?.bodyText)
            #expect(body.hasPrefix("grant_type=th_refresh_token&refresh_token="))
        },
        Quirk("additional headers", key: "`token.headers`", neededBy: "2: Trovo") {
            let fixture = try SignInFixture(odd: "token: { headers: { X-API-Key: k, Accept: text/json } }")
            _ = try await fixture.signIn()
            let headers = try #require(await fixture.requests(to: .token).first).headers
            #expect(HTTPField.Name("X-API-Key").flatMap { headers[$0] } == "k")
            #expect(headers[.accept] == "text/json")
        },
        Quirk(
            "the client secret is in the body", key: "`client.authentication`",
            neededBy: "the catalogue's default: 300",
            proof: proof(
                "client: { authentication: [client_secret_post] }", secret: "s",
                "\(url)\n\(grant)\(rest)&client_id=client&client_secret=s"
            )
        ),
        Quirk(
            "id and secret are not encoded in the Basic header", key: "`client.basic_encoding: raw`",
            neededBy: "Epic Games"
        ) {
            for (encoding, header) in [("raw", "Y2xpZW50OmEvYg=="), ("percent", "Y2xpZW50OmElMkZi")] {
                let fixture = try SignInFixture(odd: "client: { basic_encoding: \(encoding) }", secret: "a/b")
                _ = try await fixture.signIn()
                #expect(await fixture.requests(to: .token).first?.headers[.authorization] == "Basic \(header)")
            }
        },
    ]
}
