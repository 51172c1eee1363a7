import Carnet
import CarnetDescriptors
import CarnetLint
import CarnetProtocol
import CarnetSandbox
import CarnetSimulation
import CarnetTesting
import Foundation
import HTTPTypes
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
        "T003": "the sandbox completes a sample with the claims that the descriptor maps",
        "T004": "the sandbox completes a sample with the fields that the descriptor names",
    ]

    private struct Verdict: Sendable {
        let random: RandomDescriptor
        let errors: [Diagnostic]
        let failure: String?
    }

    /// What lint and the engine make of a descriptor; `nil` if the schema does not accept it.
    private static func verdict(_ seed: UInt64) async -> Verdict? {
        let random = RandomDescriptor(seed: seed)
        let file = SourceFile(path: "odd.yaml", text: random.text)
        guard let descriptor = DescriptorDocument(file).descriptor else { return nil }
        let report = Linter(simulator: SampleSimulator(needsSamples: false)).lint(files: [file])
        return Verdict(
            random: random, errors: report.diagnostics.filter { $0.severity == .error },
            failure: await Trial(descriptor).failure)
    }

    @Test("comes true in the engine")
    func agreement() async throws {
        var (passed, refused) = (0, 0)
        var codes = Set<String>()
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
                } else if !errors.allSatisfy({ Self.unseen[$0.code] != nil }) {
                    refused += 1
                    codes.formUnion(errors.map(\.code))
                    #expect(verdict.failure != nil, "seed \(random.seed): \(errors) in \(random.text)")
                }
            }
        }
        // Docs/decisions/lint-agreement.md has the counts of the first 300.
        if ProcessInfo.processInfo.environment["CARNET_LINT_SEEDS"] != nil {
            print("\(passed) pass lint, \(refused) do not, \(codes.count) codes: \(codes.sorted())")
        }
        #expect(passed >= Int(Self.count) / 3 && refused >= Int(Self.count) / 3, "\(passed) passed, \(refused) refused")
        #expect(codes.count >= 30, "\(codes.sorted())")
    }
}

/// A sign-in with everything after it that a descriptor can get wrong.
private struct Trial {
    let descriptor: ProviderDescriptor

    init(_ descriptor: ProviderDescriptor) { self.descriptor = descriptor }

    /// What fails or goes wrong; `nil` if everything is as the descriptor says.
    var failure: String? {
        get async {
            do {
                return try await wrong()
            } catch {
                return "\(error)"
            }
        }
    }

    private func wrong() async throws -> String? {
        let inputs = descriptor.exampleInputs().filter { descriptor.inputs[$0.key]?.isOptional != true }
        let method = descriptor.client.authentication.first
        let key = method == .privateKeyJWT ? try ClientKey.generate(.ES256) : nil
        let secret =
            method?.usesSecret == true || descriptor.idToken.hs256 != nil ? String(repeating: "s", count: 64) : nil
        let fixture = try SignInFixture(descriptor, inputs: inputs, secret: secret, signingKey: key)

        let request = try await fixture.client.beginSignIn()
        let answer = try await fixture.sandbox.answer(authorizationURL: request.url)
        let callback =
            answer.form.map { AuthorizationCallback(postedTo: answer.url, form: $0) }
            ?? AuthorizationCallback(url: answer.url)
        let session = try await fixture.client.completeSignIn(callback, for: request.pending)
        let signedIn = await fixture.sandbox.requests.count
        let tokens = try await session.tokens()
        if await fixture.sandbox.requests.count > signedIn { return "a new token is refreshed at once" }

        if let wrong = await wrongOnTheWire(fixture, request.url) { return wrong }
        let wanted = Set(descriptor.scopes.defaults + descriptor.scopes.required + descriptor.scopes.offline)
        if Set(tokens.scopes) != wanted, descriptor.samples.token == nil {
            return "granted \(tokens.scopes.joined(separator: " "))"
        }
        if descriptor.profile.source != nil || fixture.client.provider.endpoints[.userinfo] != nil {
            _ = try await session.profile()
            if let wrong = await wrongProfileRequest(fixture) { return wrong }
        }
        let resources = try await session.resources()
        let ids = resources.compactMap(\.resource.id)
        if Set(ids).count < descriptor.resources.count { return "of the resources, these are left: \(ids)" }
        for access in resources where access.isOpen { _ = try await session.call(access.resource) }
        if tokens.refreshToken != nil { try await session.refresh() }
        if fixture.client.provider.endpoints[.revocation] != nil {
            let outcome = try await session.signOut(.revoke)
            if let failure = outcome.failures.first { return "\(failure)" }
        }
        return nil
    }

    /// What the descriptor says and the requests of the sign-in do not, or what the standards forbid in them.
    private func wrongOnTheWire(_ fixture: SignInFixture, _ url: String) async -> String? {
        if await fixture.requests(to: .pushedAuthorizationRequest).isEmpty {
            let asked = URLComponents(string: url)?.queryItems ?? []
            for entry in descriptor.authorization.parameters.items where !entry.value.source.contains("{") {
                let values = asked.filter { $0.name == entry.name }.map(\.value)
                if values != [entry.value.source] { return "\(entry.name) is sent as \(values)" }
            }
            let scope = asked.first { $0.name == "scope" }?.value ?? ""
            if scope.contains("%20") || scope.contains("+") { return "the scope is encoded twice: \(scope)" }
        }
        for request in await fixture.requests(to: .token).prefix(1) {
            let rules = descriptor.token.request
            for header in rules.headers.items where !header.value.source.contains("{") {
                let sent = HTTPField.Name(header.name).flatMap { request.headers[$0] }
                if sent != header.value.source { return "\(header.name) is sent as \(sent ?? "nothing")" }
            }
            let names = Self.parameterNames(of: request)
            if Set(names).count < names.count { return "a parameter is sent twice: \(names)" }
            // With Basic authentication, the id and the secret are in the header.
            let renamed = rules.rename.items.filter { request.headers[.authorization] == nil || $0.name == "code" }
            for name in rules.parameters.names + renamed.map(\.value) where !names.contains(name) {
                return "\(name) is not sent"
            }
            let inURL = URLComponents(string: request.url)?.queryItems ?? []
            if inURL.contains(where: { $0.name == "client_id" && $0.value != "client" }) { return "another client_id" }
        }
        return nil
    }

    private func wrongProfileRequest(_ fixture: SignInFixture) async -> String? {
        guard let body = descriptor.profile.request.body, body != .query else { return nil }
        for request in await fixture.requests(to: .userinfo) where request.method == .get && request.body.isEmpty {
            return "the profile request has no body, and should be \(body)"
        }
        return nil
    }

    private static func parameterNames(of request: SandboxRequest) -> [String] {
        let inURL = URLComponents(string: request.url)?.queryItems?.map(\.name) ?? []
        let text = String(decoding: request.body, as: UTF8.self)
        if let object = try? JSONValue(parsing: request.body).object { return inURL + object.members.map(\.name) }
        return inURL + (URLComponents(string: "?" + text)?.queryItems?.map(\.name) ?? [])
    }
}
