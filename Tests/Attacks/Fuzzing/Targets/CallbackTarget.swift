import Carnet
import CarnetDescriptors
import CarnetProtocol
import CarnetTestSupport
import CarnetTesting
import Foundation

/// Callbacks by query, by form and signed: only one that has this sign-in's state, address and issuer brings a code.
struct CallbackTarget: FuzzTarget {
    private let providers: [FuzzProvider]
    private let pending: [PendingAuthorization]
    private let verification: ResponseVerification
    /// The callback that the provider signed.
    private let signed: String
    private let mutator: ByteMutator

    init(corpus: [[UInt8]]) throws {
        providers = [
            try FuzzProvider(), try FuzzProvider("authorization: { response_mode: form_post }\n"),
            try FuzzProvider("authorization: { response_mode: jwt }\ncallback: { jwt: [ES256] }\n"),
        ]
        pending = try providers.map { acme in
            try AuthorizationRequest(
                to: acme.provider.discovered, as: acme.registration, random: SeededRandomSource(seed: 1),
                now: FuzzProvider.now
            ).pending
        }
        let state = pending[0].id.reveal()
        verification = try providers[0].verification
        let claims = FuzzProvider.claims.replacing("}", with: #","code":"abc","state":"\#(state)"}"#)
        signed = try providers[0].signed(Array(FuzzProvider.header.utf8), Array(claims.utf8))
        let seeds = [
            "https://app.example/callback?response=\(signed)",
            "https://app.example/callback?code=abc&state=\(state)",
            "https://app.example/callback?code=abc&state=\(state)&iss=https%3A%2F%2Fid.acme.example#_=_",
            "https://app.example/callback?error=access_denied&error_description=no&state=\(state)",
            "https://app.example/callback\ncode=abc&state=\(state)",
        ]
        mutator = ByteMutator(
            seeds: seeds.map { Array($0.utf8) } + corpus,
            words: [
                "code=", "state=", "&state=\(state)", "iss=", "error=", "access_token=x", "id_token=x", "\n", "&code=b",
                "response=", signed,
                "https://app.example", "https://id.acme.example", "HTTPS://APP.example:443/callback",
            ])
    }

    /// A URL, or two lines: a URL, and the form that was posted to it.
    func input(_ random: inout SplitMix64) -> [UInt8] { mutator.input(&random) }

    func check(_ bytes: [UInt8], index: Int) throws(InputCheck.Violation) {
        let text = String(decoding: bytes, as: UTF8.self)
        let lines = text.split(separator: "\n", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        let isPosted = lines.count == 2
        let callback =
            isPosted ? AuthorizationCallback(postedTo: lines[0], form: lines[1]) : AuthorizationCallback(url: text)
        for (acme, pending) in zip(providers, pending) {
            let validated: ValidatedCallback
            do throws(OAuthError) {
                validated = try pending.validate(
                    callback, from: acme.provider.discovered, now: FuzzProvider.now, verifyingBy: verification)
            } catch {
                try FuzzProvider.check(error)
                try require(!"\(error)".contains(pending.id.reveal()), "an error tells the state")
                continue
            }
            if pending.hasSignedResponse(at: acme.provider) {
                let decoded = text.removingPercentEncoding ?? text
                try require(decoded.contains(signed), "a callback is believed that nobody signed")
            } else {
                try require(pending.matches(callback), "a callback of another sign-in passes")
            }
            let isPostExpected = acme.provider.authorization.responseMode == .formPost
            try require(!isPosted || isPostExpected, "a form passes that was not asked for")
            let own = ["https://app.example/callback", "https://app.example:443/callback"]
            try require(own.contains(callback.location.lowercased()), "a callback to \(callback.location) passes")
            let request = try? TokenRequest.authorizationCode(
                validated,
                in: RequestContext(
                    at: acme.provider, as: acme.registration, random: SystemRandomSource(), now: FuzzProvider.now))
            let form = request.flatMap { PercentEncoding.decodeForm(String(decoding: $0.outgoing.body, as: UTF8.self)) }
            let codes = form?.filter { $0.name == "code" }.map(\.value) ?? []
            try require(codes.count == 1 && codes[0].isEmpty == false, "a callback passes without a code")
        }
    }
}
