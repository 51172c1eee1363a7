import CarnetDescriptors
import CarnetProtocol
import CarnetTestSupport

/// Key sets, and tokens checked with what they hold.
struct KeySetTarget: FuzzTarget {
    private let acme: FuzzProvider
    private let expectations: IDTokenExpectations
    private let token: Secret
    private let mutator: JSONMutator

    init(corpus: [[UInt8]]) throws {
        let acme = try FuzzProvider()
        self.acme = acme
        expectations = try IDTokenExpectations(
            from: acme.provider.discovered, as: acme.registration, nonce: .ofRefresh, accessToken: Secret("access"))
        token = Secret(try acme.signed(Array(FuzzProvider.header.utf8), Array(FuzzProvider.claims.utf8)))
        let modulus = String(repeating: "t7a_", count: 86)
        let others = [
            #"{"keys":[{"kty":"RSA","n":"\#(modulus)","e":"AQAB","kid":"1"},{"kty":"oct","k":"czNjcmV0"}]}"#,
            #"{"keys":[{"kty":"OKP","crv":"Ed25519","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo","kid":"1"}]}"#,
        ]
        mutator = JSONMutator(
            seeds: ([acme.keySet] + others).map { Array($0.utf8) } + corpus,
            words: [
                "keys", "kty", "RSA", "EC", "OKP", "oct", "crv", "P-256", "P-384", "P-521", "Ed25519", "X25519", "x",
                "y", "n",
                "e", "d", "kid", "use", "sig", "enc", "alg", "key_ops", "verify", "AQAB", "AQ", "AAAA",
            ])
    }

    func input(_ random: inout SplitMix64) -> [UInt8] { mutator.input(&random) }

    func check(_ bytes: [UInt8], index: Int) throws(InputCheck.Violation) {
        let keys: JSONWebKeySet
        do throws(OAuthError) {
            keys = try JSONWebKeySet(validating: FuzzProvider.response(bytes))
        } catch {
            try require(error.step == .keys, "the step is \(error.step)")
            // Nothing secret was asked with.
            return try requirePrintable("\(error)")
        }
        do throws(OAuthError) {
            _ = try IDToken(validating: token, with: keys, expecting: expectations, now: FuzzProvider.now)
        } catch {
            try FuzzProvider.check(error)
            try require([.keyNotFound, .badSignature].contains(error.kind), "\(error)")
        }
    }
}
