import CarnetDescriptors
import CarnetFoundation
import CarnetLint
import CarnetSimulation
import Foundation
import Testing

/// The linter against the engine: for random descriptors of `RandomDescriptor`, what lint calls an error fails or goes wrong
/// in the engine against the sandbox, and what lint passes signs in there.
///
/// `CARNET_LINT_SEEDS=20000` in the environment tries as many descriptors.
@Suite("What lint says of random descriptors")
struct LintAgreementTests {
    private static let count =
        ProcessInfo.processInfo.environment["CARNET_LINT_SEEDS"].flatMap { UInt64($0) } ?? 300

    /// Rules about what the sandbox cannot show, with the reason.
    private static let unseen = [
        "C051": "the sandbox does what a DELETE says; a real server may delete",
        "E006": "the sandbox issues ID tokens for any issuer that a descriptor names",
        "E040": "the sandbox issues ID tokens for any issuer that a descriptor names",
        "R003": "the sandbox writes the granted scopes into a sample",
        "T003": "the sandbox completes a sample with the claims that the descriptor maps",
        "T004": "the sandbox completes a sample with the fields that the descriptor names",
        "T008": "the sandbox states the lifetime of its tokens, and sends no refresh token with some of them",
    ]

    private struct Verdict: Sendable {
        let random: RandomDescriptor
        let errors: [Diagnostic]
        let failure: String?

        /// The code of all errors; `nil` if there are several.
        var onlyCode: String? {
            let codes = Set(errors.map(\.code))
            return codes.count == 1 ? codes.first : nil
        }
    }

    /// What lint and the engine make of a descriptor; `nil` if the schema does not accept it.
    private static func verdict(_ seed: UInt64) async -> Verdict? {
        let random = RandomDescriptor(seed: seed)
        let file = SourceFile(path: "odd.yaml", text: random.text)
        guard let descriptor = DescriptorDocument(file).descriptor else { return nil }
        let sections = Set(random.root.object?.members.map(\.name) ?? [])
        var failure = await DescriptorTrial(descriptor, sections: sections).failure
        for name in descriptor.environmentNames where failure == nil {
            guard let variant = try? descriptor.variant(name) else { return nil }
            failure = await DescriptorTrial(variant, sections: sections).failure
        }
        // Without a list, a client also authenticates in the body, where metadata says so.
        if failure == nil, random.root["client"]?["authentication"] == nil {
            var root = random.root
            root.set(["client_secret_post"], at: JSONPointer(tokens: ["client", "authentication"]))
            let document = DescriptorDocument(SourceFile(path: "odd.yaml", text: root.jsonText()))
            guard let descriptor = document.descriptor else { return nil }
            failure = await DescriptorTrial(descriptor, sections: sections).failure
        }
        return Verdict(random: random, errors: errors(in: random.text), failure: failure)
    }

    @Test("comes true in the engine")
    func agreement() async throws {
        var (passed, refused) = (0, 0)
        var codes = Set<String>()
        var alone: [String: UInt64] = [:]
        for start in stride(from: 0, to: Self.count, by: 50) {
            let verdicts = await withTaskGroup(of: Verdict?.self) { group in
                for seed in start..<min(start + 50, Self.count) { group.addTask { await Self.verdict(seed) } }
                return await group.reduce(into: [Verdict?]()) { $0.append($1) }.compactMap { $0 }
            }
            for verdict in verdicts {
                let (random, errors) = (verdict.random, verdict.errors)
                if errors.isEmpty {
                    passed += 1
                    #expect(verdict.failure == nil, "seed \(random.seed): lint passes \(random.text)")
                } else if !errors.contains(where: { Self.unseen[$0.code] != nil }) {
                    refused += 1
                    codes.formUnion(errors.map(\.code))
                    if let code = verdict.onlyCode { alone[code] = min(alone[code] ?? random.seed, random.seed) }
                    #expect(verdict.failure != nil, "seed \(random.seed): \(errors) in \(random.text)")
                }
            }
        }
        if ProcessInfo.processInfo.environment["CARNET_LINT_SEEDS"] != nil {
            print("\(passed) pass lint, \(refused) do not, \(codes.count) codes: \(codes.sorted())")
            print("first seeds with one code:", alone.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" })
        }
        #expect(passed >= Int(Self.count) / 4 && refused >= Int(Self.count) / 4, "\(passed) passed, \(refused) refused")
        #expect(codes.count >= 30, "\(codes.sorted())")
    }

    /// Of each seed's descriptor, this rule has all errors: without it, lint would pass what fails. `CARNET_LINT_SEEDS` prints
    /// seeds for all codes.
    @Test(
        "notices each rule that is taken away",
        arguments: [("C003", 1533), ("C021", 457), ("K120", 13), ("S007", 841), ("T070", 306)] as [(String, UInt64)])
    func missing(code: String, seed: UInt64) async throws {
        let verdict = try #require(await Self.verdict(seed))
        #expect(verdict.onlyCode == code && verdict.failure != nil, "\(verdict.errors) in \(verdict.random.text)")
    }

    /// What earlier runs found in the sandbox.
    @Test(
        "Valid descriptors work in the sandbox",
        arguments: [
            "token: { headers: { Authorization: \"Basic {base64(join('', client.secret, ':'))}\" } }\nclient_credentials: {}",
            "client: { authentication: [private_key_jwt] }\njwt_bearer: { omit: [grant_type] }",
            "token_exchange: { omit: [grant_type] }", "client_credentials: { omit: [grant_type] }",
            """
            client: { authentication: [private_key_jwt] }
            authorization: { request_object: always }
            endpoints: { authorization: 'https://odd.example/authorize?audience=x' }
            """,
            "id_token: { algorithms: [EdDSA], hs256: their guide says so }",
            "token: { response: { root: /data } }\ntoken_exchange: {}",
            "token_exchange: { response: { root: /data } }",
        ])
    func sandbox(keys: String) async throws {
        let algorithms = keys.contains("id_token") ? "" : "id_token: { algorithms: [ES256] }\n"
        let text = "carnet: 1\nid: odd\nname: Odd\nissuer: https://odd.example\nscopes: { default: [openid, email] }\n"
        #expect(Self.errors(in: text + algorithms + keys).isEmpty)
        let trial = DescriptorTrial(
            try descriptor(text + algorithms + keys),
            sections: Set(keys.split(separator: "\n").compactMap { $0.split(separator: ":").first.map(String.init) }))
        #expect(await trial.failure == nil)
    }

    private static let tenant = "endpoints: { token: 'https://odd.example/token?tenant=x' }"

    @Test(
        "A request has no parameter twice, and an exchanged token is bound to the client's key",
        arguments: [
            ("\(tenant)\ntoken: { parameters: { tenant: y } }", "E005"),
            ("\(tenant)\nclient_credentials: { parameters: { tenant: y } }", "E005"),
            ("\(tenant)\nrefresh: { parameters: { tenant: y } }", "E005"),
            (
                """
                client: { dpop_bound_access_tokens: true }
                exchange:
                  long:
                    url: https://odd.example/exchange
                    parameters: { token: '{token.access_token}' }
                    sample: { access_token: redacted, token_type: Bearer }
                """, "T004"
            ),
        ])
    func refused(keys: String, code: String) async throws {
        let text =
            "carnet: 1\nid: odd\nname: Odd\nissuer: https://odd.example\nscopes: { default: [openid, email] }\n"
            + "id_token: { algorithms: [ES256] }\n"
        #expect(Self.errors(in: text + keys).map(\.code) == [code])
        let trial = DescriptorTrial(try descriptor(text + keys), sections: ["client_credentials"])
        #expect(await trial.failure != nil)
        let other = keys.replacing("?tenant=x", with: "?region=x").replacing("type: Bearer", with: "type: DPoP")
        #expect(Self.errors(in: text + other).isEmpty)
        let works = DescriptorTrial(
            try descriptor(text + other), sections: keys.contains("credentials") ? ["client_credentials"] : [])
        #expect(await works.failure == nil)
    }

    @Test("The metadata's endpoint does not hide that a value for the descriptor's endpoint is missing")
    func lateEndpoint() throws {
        let text = """
            carnet: 1
            id: odd
            name: Odd
            issuer: https://odd.example
            scopes: { default: [openid] }
            callback: { capture: { region: { pattern: '[a-z]+', example: us } } }
            tables: { hosts: { eu: odd-eu.example } }
            endpoints: { token: "https://{map(callback.region, 'hosts')}/token" }
            """
        #expect(Set(Self.errors(in: text).map(\.code)) == ["R002"])
        #expect(Self.errors(in: text.replacing("example: us", with: "example: eu")).isEmpty)
    }

    private static func errors(in text: String) -> [Diagnostic] {
        let linter = Linter(simulator: SampleSimulator())
        let report = linter.lint(files: [SourceFile(path: "odd.yaml", text: text)])
        return report.diagnostics.filter { $0.severity == .error }
    }
}
