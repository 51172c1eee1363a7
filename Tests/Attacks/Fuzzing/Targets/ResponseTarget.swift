import CarnetDescriptors
import CarnetFoundation
import CarnetProtocol
import CarnetTestSupport
import CarnetTesting
import Foundation

/// Responses of the token endpoint and all the others that speak JSON. The first byte chooses the status, the type and the rules.
struct ResponseTarget: FuzzTarget {
    private static let statuses = [200, 201, 204, 302, 400, 401, 403, 429, 500, 503]
    private static let types = [
        "application/json", "text/html", "application/x-www-form-urlencoded", "text/javascript", "",
        "application/json;x",
    ]

    private let providers: [FuzzProvider]
    private let requests: [PreparedRequest]
    private let pushed: AuthorizationRequest
    private let mutator: JSONMutator

    init(corpus: [[UInt8]]) throws {
        providers = [
            try FuzzProvider(),
            try FuzzProvider(
                """
                token:
                  response:
                    format: form
                    default_token_type: bearer
                    default_expires_in: 3600

                """),
            try FuzzProvider(
                """
                token:
                  response:
                    root: /data
                    fields: { access_token: [/token, /access_token] }
                    errors: { error: /err }
                    capture: { site: { from: /site, example: blue } }

                """),
        ]
        requests = try providers.map { try $0.request() }
        pushed = try AuthorizationRequest(
            to: providers[0].provider.discovered, as: providers[0].registration, random: SeededRandomSource(seed: 1),
            now: FuzzProvider.now)
        let token = try providers[0].signed(Array(FuzzProvider.header.utf8), Array(FuzzProvider.claims.utf8))
        let bodies = [
            #"{"access_token":"a","refresh_token":"r","id_token":"\#(token)","token_type":"Bearer","expires_in":3600,"scope":"a b"}"#,
            #"{"data":{"token":"a","token_type":"bearer","expires_in":"3600"},"site":"red"}"#,
            "access_token=a&token_type=bearer&expires_in=3600&scope=a%20b",
            #"callback({"access_token":"a"});"#,
            #"{"error":"invalid_grant","error_description":"s3cret-refresh-token was used","error_uri":"https://a.example"}"#,
            #"{"sub":"user-1","name":"Ada","email":"ada@example.com","email_verified":true,"address":{"country":"x"}}"#,
            #"{"issuer":"https://id.acme.example","token_endpoint":"https://id.acme.example/token","jwks_uri":"x"}"#,
            #"{"active":true,"iss":"https://id.acme.example","exp":1800003600,"aud":["a"],"cnf":{"jkt":"x"}}"#,
            #"{"device_code":"d","user_code":"WDJB-MJHT","verification_uri":"https://id.acme.example/d","expires_in":600}"#,
            #"{"client_id":"c","client_secret_expires_at":"0","redirect_uris":["https://app.example/callback"]}"#,
            #"{"request_uri":"urn:example:1","expires_in":60}"#,
            "<html><title>no</title></html>",
        ]
        mutator = JSONMutator(
            seeds: bodies.map { Array($0.utf8) } + corpus.map { Array($0.dropFirst()) },
            words: [
                "access_token", "refresh_token", "id_token", "token_type", "expires_in", "scope", "error",
                "error_description", "error_uri", "invalid_grant", "sub", "data", "site", "issuer", "jwks_uri",
                "s3cret-refresh-token", "s3cret-client", "authorization_details",
                "active", "exp", "nbf", "aud", "device_code", "user_code", "verification_uri", "interval", "client_id",
                "client_secret", "redirect_uris", "registration_client_uri", "request_uri",
            ])
    }

    func input(_ random: inout SplitMix64) -> [UInt8] {
        [UInt8(truncatingIfNeeded: random.once(in: 2) ? 0 : random.next())] + mutator.input(&random)
    }

    func check(_ bytes: [UInt8], index: Int) throws(InputCheck.Violation) {
        let choice = Int(bytes.first ?? 0)
        let body = Array(bytes.dropFirst())
        let which = choice % 3
        let reply = FuzzProvider.response(
            body, status: Self.statuses[choice / 3 % 10], type: Self.types[choice / 30 % Self.types.count])
        let (provider, request) = (providers[which].provider, requests[which])
        try checkJSON(body)
        var given: TokenResponse?
        try validated { () throws(OAuthError) in
            given = try TokenResponse(validating: reply, to: request, from: provider)
        }
        let kept = TokenResponse.refreshToken(in: reply, to: request, from: provider)
        if var given {
            try require((200..<300).contains(reply.status), "tokens out of the status \(reply.status)")
            try require(kept == given.refreshToken, "the refresh token is read in two ways")
            let token = given.accessToken.reveal()
            try require(!token.isEmpty && token.utf8.allSatisfy { (0x21...0x7E).contains($0) }, "no token: \(token)")
            let set = TokenSet(given, requested: [], now: FuzzProvider.now)
            _ = set.isExpiring(within: 60, at: FuzzProvider.now)
            try validated { () throws(OAuthError) in
                try given.decryptIDToken(
                    for: providers[which].registration, from: provider, requested: ["openid"])
            }
        }
        do throws(OAuthError) {
            let resolved = providers[which].resolved
            _ = resolved.merging(try ProviderMetadata(validating: reply, for: resolved))
        } catch {
            // Nothing secret was asked with.
            try requirePrintable("\(error)")
        }
        try checkOthers(reply, to: request, from: provider)
        try validated { () throws(OAuthError) in
            _ = try Profile(validating: reply, to: request, from: provider, subject: "user-1")
        }
    }

    /// The endpoints that are asked less often.
    private func checkOthers(
        _ reply: IncomingResponse, to request: PreparedRequest, from provider: FilledProvider
    ) throws(InputCheck.Violation) {
        var introspection: Introspection?
        try validated { () throws(OAuthError) in
            introspection = try Introspection(validating: reply, to: request, from: provider, now: FuzzProvider.now)
        }
        if introspection?.isActive == true {
            try require(introspection?.claims["active"]?.bool == true, "a token is active by nobody's word")
        }
        var device: DeviceAuthorization?
        try validated { () throws(OAuthError) in
            device = try DeviceAuthorization(
                validating: reply, to: request, scopes: [], from: provider, now: FuzzProvider.now)
        }
        if let device { try requirePrintable(device.userCode) }
        try validated { () throws(OAuthError) in _ = try DevicePoll(validating: reply, to: request, from: provider) }
        try validated { () throws(OAuthError) in
            let client = try RegisteredClient(
                validating: reply, to: request, for: ClientMetadata(redirectURIs: ["https://app.example/callback"]))
            _ = "\(client)"
        }
        try validated { () throws(OAuthError) in
            _ = try pushed.referring(to: reply, request: request, at: provider.discovered, now: FuzzProvider.now)
        }
        try validated { () throws(OAuthError) in try RevocationResponse.validate(reply, to: request, from: provider) }
    }

    private func validated(_ body: () throws(OAuthError) -> Void) throws(InputCheck.Violation) {
        do throws(OAuthError) { try body() } catch { try FuzzProvider.check(error) }
    }

    /// What is read can be written and read again.
    private func checkJSON(_ bytes: [UInt8]) throws(InputCheck.Violation) {
        guard let value = try? JSONValue(parsing: bytes) else { return }
        let again = try? JSONValue(parsing: Array(value.jsonText().utf8))
        try require(again == value, "JSON is read otherwise when it is written again")
    }
}
