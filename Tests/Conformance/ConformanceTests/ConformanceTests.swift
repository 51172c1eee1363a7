import CarnetTestSupport
import ConformanceProvider
import Foundation
import Testing

/// The results of the modules, each of which runs once.
private actor Results {
    static let shared = Results()
    private var running: [String: Task<Run, Never>] = [:]

    func run(_ module: Module) async -> Run {
        let name = "\(module.plan) \(module.testDescription)"
        let task = running[name] ?? Task { await Driver.run(module) }
        running[name] = task
        return await task.value
    }
}

@Suite("The conformance suite")
struct ConformanceTests {
    @Test("Carnet passes a module", arguments: Modules.all)
    func module(_ module: Module) async {
        let run = await Results.shared.run(module)
        #expect(module.problems(of: run) == [])
    }

    @Test("Each module has a name, a variant and a plan of its own, and there are as many as the suite has")
    func names() {
        let names = Modules.all.map { "\($0.plan) \($0.testDescription)" }
        #expect(Set(names).count == names.count)
        #expect(names.count >= 261)
        #expect(Set(Modules.all.map(\.plan)) == Set(Module.Plan.allCases))
    }

    /// Without its deviation, a module of a bad message would pass with any client; without a client that goes on, nobody
    /// knows whether the deviation alone stops Carnet.
    @Test("A client that validates nothing fails the modules with bad messages, and only these", arguments: playable)
    func carelessClient(_ module: Module) {
        let run = CarelessClient.run(module)
        #expect(run.problems == [], "the client comes to the end")
        #expect(run.exchanges.flatMap(\.violations) == [], "and does nothing wrong itself")
        let problems = module.problems(of: run)
        switch module.expectation {
        case .completes, .mayStop: #expect(problems == [])
        case .stops: #expect(problems.contains("reports no error"))
        }
    }

    private static let playable = Modules.all.filter { module in
        if case .site = module.flow { return false }
        return !module.isSilent
    }

    struct BadRequest: Sendable, CustomTestStringConvertible {
        let fault: CarelessClient.Fault
        let variant: String
        let violation: String

        var testDescription: String { "\(fault) [\(variant)]" }
    }

    @Test("The provider notices what a client does wrong", arguments: badRequests)
    func provider(_ bad: BadRequest) throws {
        let module = try #require(
            Modules.all.first { module in
                let isHappy = module.name.hasSuffix("happy-path") || module.name == "oidcc-client-test"
                return isHappy && module.variant.joined(separator: ", ") == bad.variant
            })
        let run = CarelessClient.run(module, fault: bad.fault)
        #expect(run.exchanges.flatMap(\.violations).contains { $0.contains(bad.violation) })
        #expect(module.problems(of: run) != [])
    }

    @Test("Every fault of a client is tried")
    func faults() {
        #expect(Set(Self.badRequests.map(\.fault)) == Set(CarelessClient.Fault.allCases))
    }

    private static let dpop = "private_key_jwt, dpop, openid_connect, unsigned, plain_response"
    private static let signed = "private_key_jwt, dpop, openid_connect, signed_non_repudiation, plain_response"
    private static let mtls = "mtls, mtls, openid_connect, unsigned, plain_response"

    private static let badRequests = [
        BadRequest(fault: .noChallenge, variant: "client_secret_basic", violation: "PKCE"),
        BadRequest(fault: .noChallenge, variant: dpop, violation: "PKCE"),
        BadRequest(fault: .wrongVerifier, variant: "client_secret_basic", violation: "code verifier"),
        BadRequest(fault: .wrongRedirectURI, variant: "client_secret_basic", violation: "redirect_uri"),
        BadRequest(fault: .noState, variant: "client_secret_basic", violation: "state"),
        BadRequest(fault: .noNonce, variant: "client_secret_basic", violation: "nonce"),
        BadRequest(fault: .wrongSecret, variant: "client_secret_basic", violation: "secret is wrong"),
        BadRequest(fault: .wrongSecret, variant: "client_secret_post", violation: "secret is wrong"),
        BadRequest(fault: .wrongSecret, variant: "client_secret_jwt", violation: "signature of the assertion"),
        BadRequest(fault: .repeatedParameter, variant: "client_secret_basic", violation: "repeated"),
        BadRequest(fault: .unsignedRequest, variant: signed, violation: "not signed"),
        BadRequest(fault: .unsignedRequest, variant: "request_object", violation: "not signed"),
        BadRequest(fault: .parametersBesidePushed, variant: dpop, violation: "the browser carries"),
        BadRequest(fault: .notPushed, variant: dpop, violation: "the browser carries"),
        BadRequest(fault: .tokenEndpointAsAudience, variant: dpop, violation: "aud of the assertion"),
        BadRequest(fault: .assertionTwice, variant: dpop, violation: "jti"),
        BadRequest(fault: .rs256Assertion, variant: dpop, violation: "RS256"),
        BadRequest(fault: .noProof, variant: dpop, violation: "DPoP proof"),
        BadRequest(fault: .wrongProofTarget, variant: dpop, violation: "htu"),
        BadRequest(fault: .proofTwice, variant: dpop, violation: "jti"),
        BadRequest(fault: .proofWithoutTokenHash, variant: dpop, violation: "ath"),
        BadRequest(fault: .otherProofKey, variant: dpop, violation: "not that of the request"),
        BadRequest(fault: .noCertificate, variant: mtls, violation: "no client certificate"),
        BadRequest(fault: .otherCertificate, variant: mtls, violation: "another certificate"),
        BadRequest(fault: .tokenInQuery, variant: "client_secret_basic", violation: "not in the header"),
        BadRequest(fault: .codeTwice, variant: "client_secret_basic", violation: "unknown or used"),
    ]

    /// Written by this test with `CARNET_UPDATE_DOCS=1` in the environment, else compared.
    @Test("Docs/conformance.md has these results")
    func page() async throws {
        var runs: [(module: Module, run: Run)] = []
        for module in Modules.all { runs.append((module, await Results.shared.run(module))) }
        let page = ConformancePage(runs: runs).text
        let path = "Docs/conformance.md"
        if ProcessInfo.processInfo.environment["CARNET_UPDATE_DOCS"] == "1" {
            try Data(page.utf8).write(to: Repository.root.appending(path: path))
        } else {
            let isCurrent = try Repository.file(path).text == page
            #expect(isCurrent, "\(path) is not current; run the tests with CARNET_UPDATE_DOCS=1")
        }
    }
}
