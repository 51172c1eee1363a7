import Carnet
import CarnetDescriptors
import CarnetFoundation
import CarnetProtocol
import CarnetSandbox
import CarnetTesting
import Foundation
import HTTPTypes

/// A sign-in with everything after it that a descriptor can get wrong.
struct DescriptorTrial {
    let descriptor: ProviderDescriptor
    /// The sections of the file: the grants that have one are tried.
    let sections: Set<String>

    init(_ descriptor: ProviderDescriptor, sections: Set<String>) {
        self.descriptor = descriptor
        self.sections = sections
    }

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
        for input in descriptor.inputs.items {
            for allowed in input.value.allowed {
                _ = try descriptor.resolve(inputs: inputs.merging([input.name: allowed]) { $1 })
            }
        }
        let fixture = try fixture(inputs)
        let provider = fixture.client.provider
        for name in EndpointName.allCases where descriptor.endpoints[name] != nil {
            if provider.endpoints[name] == nil, provider.endpoints.late[name] == nil { return "no endpoint \(name)" }
        }

        let request = try await fixture.client.beginSignIn()
        let response = try await fixture.sandbox.callback(approving: request.url)
        let callback =
            response.form.map { AuthorizationCallback(postedTo: response.url, form: $0) }
            ?? AuthorizationCallback(url: response.url)
        let session = try await fixture.client.completeSignIn(callback, for: request.pending)
        let signedIn = await fixture.sandbox.requests.count
        let tokens = try await session.tokens()
        if await fixture.sandbox.requests.count > signedIn { return "a new token is refreshed at once" }

        if let wrong = try await wrongOnTheWire(fixture, request) { return wrong }
        let wanted = Set(descriptor.scopes.defaults + descriptor.scopes.required + descriptor.scopes.offline)
        if Set(tokens.scopes) != wanted, descriptor.samples.token?["scope"] == nil {
            return "granted \(tokens.scopes.joined(separator: " "))"
        }
        if provider.canHaveProfile, let wrong = try await wrongProfile(fixture, session) { return wrong }
        let resources = try await session.resources()
        let ids = resources.compactMap(\.resource.id)
        if Set(ids).count < descriptor.resources.count { return "of the resources, these are left: \(ids)" }
        for access in resources where access.isOpen { _ = try await session.call(access.resource) }
        if let wrong = try await wrongCall(fixture, session) { return wrong }
        if tokens.refreshToken != nil { try await session.refresh() }
        if let wrong = try await wrongGrant(fixture, session) { return wrong }
        return try await wrongSignOut(fixture, session)
    }

    /// A client with what the descriptor's first method of authentication needs.
    private func fixture(_ inputs: [String: String]) throws -> SignInFixture {
        let methods = descriptor.client.methods
        let signed = descriptor.authorization.requestObject
        let algorithm = descriptor.client.assertion.algorithm.flatMap { SignatureAlgorithm(rawValue: $0.rawValue) }
        let signs =
            methods.first == .privateKeyJWT || signed.use == .always || sections.contains("jwt_bearer")
        let hasSecret =
            methods.first?.usesSecret == true
            || descriptor.idToken.hs256 != nil && methods.contains(where: \.usesSecret)
        return try SignInFixture(
            descriptor, inputs: inputs, secret: hasSecret ? String(repeating: "s", count: 64) : nil,
            signingKey: signs ? try ClientKey.generate(signed.algorithm ?? algorithm ?? .ES256) : nil,
            decryptionKeys: try descriptor.idToken.encryption.map { [try ClientKey.generate(for: $0.algorithm)] } ?? [],
            postLogoutRedirectURI: "https://app.example/after")
    }

    /// What goes wrong in the requests outside a sign-in in the browser.
    private func wrongGrant(_ fixture: SignInFixture, _ session: Session) async throws -> String? {
        let scopes = descriptor.scopes.defaults.filter { $0 != "openid" }
        func wrong(_ rules: RequestRules) async -> String? { wrongRequest(rules, await fixture.sandbox.requests.last) }
        if sections.contains("client_credentials") {
            _ = try await fixture.client.tokens(for: .clientCredentials(scopes: scopes))
            if let wrong = await wrong(descriptor.clientCredentials.request) { return wrong }
        }
        if sections.contains("jwt_bearer") {
            _ = try await fixture.client.tokens(for: .assertion(scopes: scopes))
            if let wrong = await wrong(descriptor.jwtBearer.grant.request) { return wrong }
        }
        if sections.contains("token_exchange") {
            _ = try await session.exchange { TokenExchange(.init($0)) }
            if let wrong = await wrong(descriptor.tokenExchange.request) { return wrong }
        }
        if descriptor.endpoints[.introspection] != nil {
            if try await !session.introspect().isActive { return "the access token is not active" }
            if let wrong = await wrong(descriptor.introspection.request) { return wrong }
        }
        if descriptor.endpoints[.deviceAuthorization] != nil {
            let device = try await fixture.client.beginDeviceSignIn()
            if let wrong = await wrong(descriptor.device.request) { return wrong }
            try await fixture.sandbox.approveDevice(userCode: device.userCode)
            _ = try await fixture.client.completeDeviceSignIn(device)
            let poll = await fixture.requests(to: .token).last
            if let wrong = wrongRequest(descriptor.device.token.request, poll) { return wrong }
        }
        return nil
    }

    /// What goes wrong when the tokens are revoked and the session at the provider ends.
    private func wrongSignOut(_ fixture: SignInFixture, _ session: Session) async throws -> String? {
        let isRevoked = descriptor.endpoints[.revocation] != nil || fixture.client.provider.needsMetadata
        let hasPage = descriptor.endpoints[.endSession] != nil
        let before = await fixture.requests(to: .revocation).count
        let outcome = try await session.signOut(hasPage ? .everywhere : .revoke)
        if let failure = outcome.failures.first(where: { isRevoked || $0.step != .revocation }) { return "\(failure)" }
        let revoking = descriptor.revocation
        if revoking.tokenIn == nil, fixture.client.provider.endpoints.late[.revocation] == nil {
            let name = revoking.request.rename["token"] ?? "token"
            for request in await fixture.requests(to: .revocation).dropFirst(before) {
                if !Self.parameterNames(of: request).contains(name) { return "no token is revoked" }
            }
        }
        guard hasPage else { return nil }
        guard let page = outcome.endSessionURL?.reveal() else { return "no page ends the session" }
        let (response, _) = await fixture.sandbox.respond(to: HTTPRequest(url: page), body: [])
        if response.status.code >= 400 { return "the page that ends the session returns \(response.status)" }
        return wrongRequest(descriptor.logout.request, await fixture.sandbox.requests.last)
    }

    /// What the descriptor says and a request does not, or what the standards forbid in it.
    private func wrongRequest(_ rules: RequestRules, _ request: SandboxRequest?) -> String? {
        guard let request else { return "nothing is sent" }
        for header in rules.headers.items {
            let sent = HTTPField.Name(header.name).flatMap { request.headers[$0] }
            if header.value.source.contains("{") ? sent == nil : sent != header.value.source {
                return "\(header.name) is sent as \(sent ?? "nothing")"
            }
        }
        if let body = rules.body, body != .query, request.method == .get, request.body.isEmpty {
            return "the request has no body, and should be \(body)"
        }
        let names = Self.parameterNames(of: request)
        if Set(names).count < names.count { return "a parameter is sent twice: \(names)" }
        for name in rules.parameters.names where !names.contains(name) { return "\(name) is not sent" }
        return nil
    }

    /// What the descriptor says and the requests of the sign-in do not, or what the standards forbid in them.
    private func wrongOnTheWire(_ fixture: SignInFixture, _ attempt: AuthorizationRequest) async throws -> String? {
        if let pushed = await fixture.requests(to: .pushedAuthorizationRequest).last {
            let body = String(decoding: pushed.body, as: UTF8.self)
            if body.contains("%2520") || body.contains("%252C") { return "the scope is encoded twice" }
        } else {
            var asked = URLComponents(string: attempt.url)?.queryItems ?? []
            // A server takes a JWT there for a request object, and ignores the other parameters (RFC 9101, section 6.3).
            let isSigned = descriptor.authorization.requestObject.use == .always
            if !isSigned, asked.contains(where: { $0.name == "request" && $0.value?.contains(".") == true }) {
                return "a request object is sent"
            }
            if isSigned,
                let object = asked.first(where: { $0.name == "request" })
            {
                let signed = try claims(of: object.value ?? "").members
                asked = asked.filter { item in !signed.contains { $0.name == item.name } }
                asked += signed.map { URLQueryItem(name: $0.name, value: $0.value.scalarText) }
            }
            for entry in descriptor.authorization.parameters.items where !entry.value.source.contains("{") {
                let values = asked.filter { $0.name == entry.name }.map(\.value)
                if values != [entry.value.source] { return "\(entry.name) is sent as \(values)" }
            }
            let scopeName = descriptor.authorization.rename["scope"] ?? "scope"
            let scope = asked.first { $0.name == scopeName }?.value ?? ""
            if scope.contains("%20") || scope.contains("+") && descriptor.scopes.separator != "+" {
                return "the scope is encoded twice: \(scope)"
            }
        }
        for request in await fixture.requests(to: .token).prefix(1) {
            let rules = descriptor.token.request
            if let wrong = wrongRequest(rules, request) { return wrong }
            let names = Self.parameterNames(of: request)
            if let state = rules.parameters["state"]?.source, !state.contains("{"), state != attempt.pending.id.reveal()
            {
                return "the state is not that of the sign-in"
            }
            // With Basic authentication, the id and the secret are in the header. That does not excuse a parameter that
            // the descriptor itself leaves out.
            let renamed = rules.rename.items.filter {
                request.headers[.authorization] == nil || $0.name == "code" || rules.omit.contains($0.name)
            }
            for name in renamed.map(\.value) where !names.contains(name) {
                return "\(name) is not sent"
            }
            let inURL = URLComponents(string: request.url)?.queryItems ?? []
            if inURL.contains(where: { $0.name == "client_id" && $0.value != "client" }) { return "another client_id" }
        }
        return nil
    }

    /// What a profile lacks of the responses to its requests, or its requests of what the descriptor says.
    private func wrongProfile(_ fixture: SignInFixture, _ session: Session) async throws -> String? {
        let profile = try await session.profile()
        if let failure = profile.failures.first { return "\(failure)" }
        if profile.subject == nil, descriptor.profile.subject == nil { return "the profile has no subject" }
        let isConditional = descriptor.profile.requests.contains { !$0.conditions.isEmpty }
        for further in fixture.client.provider.profile.requests where !isConditional {
            guard let response = fixture.responses.latest(from: further.url?.text ?? "") else { continue }
            let holders = further.holders(in: try JSONValue(parsing: response.body)) ?? []
            for claim in further.claims where profile[claim.name] != further.value(of: claim.value, in: holders) {
                return "the claim \(claim.name) is not that of \(further.url?.text ?? "")"
            }
        }
        guard let body = descriptor.profile.request.body, body != .query else { return nil }
        for request in await fixture.requests(to: .userinfo) where request.method == .get && request.body.isEmpty {
            return "the profile request has no body, and should be \(body)"
        }
        return nil
    }

    /// What goes wrong in a call of an API that the descriptor does not name.
    private func wrongCall(_ fixture: SignInFixture, _ session: Session) async throws -> String? {
        let other = Resource(declaring: try WebURL("https://calls.odd.example/any"))
        await fixture.sandbox.addResources([other])
        _ = try await session.send(HTTPRequest(url: other.url), declared: [other])
        let sent = await fixture.sandbox.requests.last?.headers[.authorization]
        // RFC 9110, section 11.4: a scheme, one space, the token.
        if let sent, sent.hasSuffix(" ") || sent.split(separator: " ", omittingEmptySubsequences: false).count > 2 {
            return "the Authorization header of a call is \(sent)"
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
