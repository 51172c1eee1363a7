import Carnet
import CarnetDescriptors
import CarnetProtocol
import CarnetTestSupport
import CarnetTesting
import Foundation
import Testing

/// Mounts one attack in several variants: the same flow passes first with a good server, then every variant ends with
/// this very error. Nothing was sent after the bad message, nothing to another origin, and what was stored is as before.
///
/// - Parameters:
///   - cases: What differs between the variants; `change` puts it into the script.
///   - extra: Further paths that may have been requested.
/// - Returns: The error of each variant.
@discardableResult
func refuse<Case: Sendable>(
    _ step: OAuthError.Step,
    _ kind: OAuthError.Kind,
    in flow: Flow = .signIn,
    each cases: [Case],
    mayRequest extra: Set<String> = [],
    sourceLocation: SourceLocation = #_sourceLocation,
    _ change: (inout Script, Case) throws -> Void
) async throws -> [OAuthError] {
    try await control(flow, sourceLocation: sourceLocation)
    var errors: [OAuthError] = []
    for item in cases {
        let scenario = Scenario()
        let note = "variant: \(String(describing: item).prefix(100))"
        let error = await expectRefusal(kind, at: step, note, sourceLocation: sourceLocation) {
            try await flow.run(scenario) { try change(&$0, item) }
        }
        if let error { errors.append(error) }
        await scenario.expectQuiet(after: step, mayRequest: extra, note, sourceLocation)
    }
    return errors
}

@discardableResult
func refuse(
    _ step: OAuthError.Step,
    _ kind: OAuthError.Kind,
    in flow: Flow = .signIn,
    mayRequest extra: Set<String> = [],
    sourceLocation: SourceLocation = #_sourceLocation,
    _ change: (inout Script) throws -> Void = { _ in }
) async throws -> OAuthError? {
    try await refuse(
        step, kind, in: flow, each: [()], mayRequest: extra, sourceLocation: sourceLocation
    ) { script, _ in try change(&script) }.first
}

/// Mounts what looks odd and is allowed: every variant passes, and is looked at.
func accept<Case: Sendable>(
    in flow: Flow = .signIn,
    each cases: [Case],
    sourceLocation: SourceLocation = #_sourceLocation,
    _ change: (inout Script, Case) throws -> Void,
    check: (Scenario, Flow.Outcome, Case) async throws -> Void = { _, _, _ in }
) async throws {
    try await control(flow, sourceLocation: sourceLocation)
    for item in cases {
        let scenario = Scenario()
        do {
            let outcome = try await flow.run(scenario) { try change(&$0, item) }
            try await check(scenario, outcome, item)
        } catch {
            Issue.record("\(error); variant: \(item)", sourceLocation: sourceLocation)
        }
    }
}

func accept(
    in flow: Flow = .signIn,
    sourceLocation: SourceLocation = #_sourceLocation,
    _ change: (inout Script) throws -> Void = { _ in },
    check: (Scenario, Flow.Outcome) async throws -> Void
) async throws {
    try await accept(
        in: flow, each: [()], sourceLocation: sourceLocation, { script, _ in try change(&script) },
        check: { scenario, outcome, _ in try await check(scenario, outcome) })
}

/// The same flow with a server that does nothing wrong.
func control(_ flow: Flow, sourceLocation: SourceLocation = #_sourceLocation) async throws {
    let scenario = Scenario()
    do {
        _ = try await flow.run(scenario) { _ in }
    } catch {
        Issue.record("the control run fails: \(error)", sourceLocation: sourceLocation)
    }
}

/// Expects an error of a kind.
///
/// - Parameter step: Where it happens; anywhere if `nil`.
@discardableResult
func expectRefusal<Value>(
    _ kind: OAuthError.Kind,
    at step: OAuthError.Step? = nil,
    _ note: String = "",
    sourceLocation: SourceLocation = #_sourceLocation,
    of body: () async throws -> Value
) async -> OAuthError? {
    let error = await expectThrown(OAuthError.self, note, sourceLocation: sourceLocation, of: body)
    if let error {
        #expect(
            error.kind == kind && error.step == step ?? error.step, "\(error); \(note)",
            sourceLocation: sourceLocation)
    }
    return error
}

/// Expects an error, which is searched for secrets like all that was said.
@discardableResult
func expectThrown<Failure: Error, Value>(
    _ type: Failure.Type,
    _ note: String = "",
    sourceLocation: SourceLocation = #_sourceLocation,
    of body: () async throws -> Value
) async -> Failure? {
    do {
        _ = try await body()
        Issue.record("no error was thrown; \(note)", sourceLocation: sourceLocation)
        return nil
    } catch {
        LeakSearch.current?.output.hear(error)
        guard let expected = error as? Failure else {
            Issue.record("another error was thrown: \(error); \(note)", sourceLocation: sourceLocation)
            return nil
        }
        return expected
    }
}

extension Scenario {
    private static let discovery = [
        "/.well-known/openid-configuration", "/.well-known/oauth-authorization-server",
    ]

    /// The paths that may have been requested when an error of a step comes, and how often.
    private static func reach(_ step: OAuthError.Step) -> [String: Int] {
        var reach = Dictionary(uniqueKeysWithValues: discovery.map { ($0, 1) })
        let more: [String: Int] =
            switch step {
            case .pushedAuthorization: ["/par": 1]
            case .tokenRequest: ["/par": 1, "/token": 1]
            case .idToken, .keys: ["/par": 1, "/token": 1, "/jwks": 2]
            case .profile: ["/token": 1, "/jwks": 1, "/userinfo": 2]
            case .refresh: ["/token": 1]
            case .resource: ["/token": 1, "/resource": 2]
            case .introspection: ["/introspect": 1]
            case .registration: ["/register": 1]
            case .deviceAuthorization: ["/device_authorization": 1, "/token": 1]
            case .clientCredentials, .tokenExchange: ["/token": 1]
            default: [:]
            }
        reach.merge(more) { $1 }
        return reach
    }

    /// Expects that nothing was requested after the message that was refused, and nothing stored.
    func expectQuiet(
        after step: OAuthError.Step, mayRequest extra: Set<String>, _ note: String, _ location: SourceLocation
    ) async {
        var allowed = Self.reach(step)
        for request in hostileLog where !extra.contains(request.path) {
            #expect(
                request.url.hasPrefix(Self.issuer) || request.path == "/resource",
                "\(request.url) was requested; \(note)", sourceLocation: location)
            allowed[request.path, default: 0] -= 1
            #expect(
                allowed[request.path, default: 0] >= 0, "\(request.path) was requested; \(note)",
                sourceLocation: location)
        }
        let stored = (try? await tokensStored()) ?? []
        #expect(
            step == .profile && tokensBefore.isEmpty || stored == tokensBefore, "the stored tokens changed; \(note)",
            sourceLocation: location)
    }
}
