import CarnetDescriptors
import CarnetFoundation
import CarnetProtocol
import CarnetTestSupport

/// `WWW-Authenticate` of a resource that refuses.
struct ChallengeTarget: FuzzTarget {
    private let request: PreparedRequest
    private let mutator: ByteMutator

    init(corpus: [[UInt8]]) throws {
        let acme = try FuzzProvider()
        request = try ResourceRequest.make(
            try WebURL("https://api.acme.example/x"),
            tokens: TokenSet(
                accessToken: Secret(FuzzProvider.secrets[0]), tokenType: "Bearer", scopes: [],
                issuedAt: FuzzProvider.now),
            at: acme.provider)
        let seeds = [
            #"Bearer realm="x", error="invalid_token", error_description="s3cret-refresh-token ended", scope="a b""#,
            #"Bearer error="insufficient_user_authentication", acr_values="a b", max_age="60""#,
            #"DPoP error="use_dpop_nonce", algs="ES256", Basic realm="\"x\", y=z""#, "Bearer error=insufficient_scope",
        ]
        mutator = ByteMutator(
            seeds: seeds.map { Array($0.utf8) } + corpus.map { Array($0.dropFirst()) },
            words: [
                "Bearer ", "DPoP ", "error=", "scope=", "max_age=", "acr_values=", "=\"", "\\\"", ", ",
                "s3cret-refresh-token",
            ])
    }

    /// The first byte chooses the status.
    func input(_ random: inout SplitMix64) -> [UInt8] {
        [UInt8(truncatingIfNeeded: random.next())] + mutator.input(&random)
    }

    func check(_ bytes: [UInt8], index: Int) throws(InputCheck.Violation) {
        let status = [401, 403, 400, 500][Int(bytes.first ?? 0) % 4]
        let challenge = String(decoding: bytes.dropFirst(), as: UTF8.self)
        let response = FuzzProvider.response([], status: status, type: "text/plain", challenge: challenge)
        do throws(OAuthError) {
            try ResourceRequest.validate(response, to: request)
        } catch {
            try FuzzProvider.check(error)
            if let stepUp = error.stepUp {
                try require(stepUp.acrValues.count <= 16, "\(stepUp.acrValues.count) classes of authentication")
                try require((stepUp.maxAge ?? 0) >= 0, "an age of \(stepUp.maxAge ?? 0)")
            }
            return
        }
        throw InputCheck.Violation(description: "the status \(status) passes")
    }
}
