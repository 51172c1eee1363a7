// swift-format-ignore-file: AlwaysUseLowerCamelCase
// Tests are named by the rows of the matrix that they mount.

import Carnet
import CarnetDescriptors
import CarnetFoundation
import CarnetProtocol
import CarnetServerTestSupport
import CarnetTestSupport
import CarnetTesting
import CarnetTransport
import Foundation
import HTTPTypes
import Testing

@Suite("CAUTH, MTLS: certificates of the client", .serialized, .searchedForSecrets)
struct ClientCertificateAttackTests {
    private static let certificates = Result { try Certificates() }

    private static func certificate() throws -> ClientCertificate {
        let identity = try certificates.get().issue(for: "DNS:client.example")
        let text = try String(contentsOfFile: identity.certificate, encoding: .utf8)
        return try ClientCertificate(
            pem: Secret(text), privateKeyPEM: Secret(try String(contentsOfFile: identity.key, encoding: .utf8)))
    }

    /// Signs in with a certificate, and calls a resource with the token that is bound to it.
    private func flow(_ certificate: ClientCertificate) -> Flow {
        Flow { scenario, outcome in
            let session = try await outcome.client.signIn(at: scenario)
            outcome.session = session
            outcome.profile = try await session.profile()
            outcome.response = try await session.send(HTTPRequest(url: "https://api.acme.example/resource"))
        }.adding(
            "client: { authentication: [tls_client_auth], tls_client_certificate_bound_access_tokens: true }"
        ).registered { registration in
            registration.clientSecret = nil
            registration.certificate = certificate
        }.served { script in
            script.metadata["mtls_endpoint_aliases"] = [
                "token_endpoint": "https://id.acme.example/mtls/token",
                "userinfo_endpoint": "https://id.acme.example/mtls/userinfo",
            ]
            script.elsewhere["https://id.acme.example/mtls/token"] = script.token
            script.elsewhere["https://id.acme.example/mtls/userinfo"] = script.userinfo
        }
    }

    @Test("CAUTH-09: Certificate alone proves the client")
    func CAUTH_09_certificateAloneProvesTheClient() async throws {
        let certificate = try Self.certificate()
        try await accept(in: flow(certificate)) { scenario, _ in
            let request = try #require(scenario.requests(to: "/mtls/token").first)
            #expect(request.certificate == certificate.thumbprint)
            #expect(request.form["client_id"] == Scenario.clientID)
            #expect(request.form["client_secret"] == nil && request.form["client_assertion"] == nil)
            #expect(request.headers[.authorization] == nil)
        }
        let without = flow(certificate).registered { $0.clientSecret = nil }
        await without.expectRefusal(.missingClientCertificate)
    }

    @Test("MTLS-01: Aliases")
    func MTLS_01_aliases() async throws {
        let flow = flow(try Self.certificate())
        try await accept(in: flow) { scenario, _ in
            #expect(scenario.count("/mtls/token") == 1)
            #expect(scenario.count("/mtls/userinfo") == 1)
            #expect(scenario.count("/token") == 0 && scenario.count("/userinfo") == 0)
        }
        try await refuse(
            .discovery, .badDescriptor, in: flow,
            each: ["http://id.acme.example/x", "file:///x", "https://a@evil.example/", "javascript:x"]
        ) { $0.metadata["mtls_endpoint_aliases"] = ["token_endpoint": .string($1)] }
        try await refuse(.discovery, .badDescriptor, in: flow, each: [5, [], "x"] as [JSONValue]) {
            $0.metadata["mtls_endpoint_aliases"] = $1
        }
        // Any other alias is refused where it is used, and nothing takes its place.
        try await refuse(.profile, .badDescriptor, in: flow, mayRequest: ["/mtls/token"]) {
            $0.metadata["mtls_endpoint_aliases"] = [
                "token_endpoint": "https://id.acme.example/mtls/token", "userinfo_endpoint": "file:///x",
            ]
        }
    }

    /// RFC 8705, section 5: the aliases are for requests with the certificate. A token that is bound to nothing, or to a DPoP
    /// key, goes without it.
    @Test("MTLS-05: Alias without the certificate", arguments: [false, true])
    func MTLS_05_aliasWithoutTheCertificate(isBoundToKey: Bool) async throws {
        let certificate = try Self.certificate()
        let flow = flow(certificate).registered { registration in
            registration.clientSecret = nil
            registration.certificate = certificate
            registration.certificateBoundAccessTokens = false
            registration.dpopBoundAccessTokens = isBoundToKey
        }.served { script in
            if isBoundToKey { script.token["token_type"] = "DPoP" }
            // An invalid alias that no request uses disturbs nobody.
            script.metadata["mtls_endpoint_aliases"] = [
                "token_endpoint": "https://id.acme.example/mtls/token", "userinfo_endpoint": "file:///x",
            ]
            script.elsewhere["https://id.acme.example/mtls/token"] = script.token
        }
        try await accept(in: flow) { scenario, _ in
            #expect(scenario.requests(to: "/mtls/token").map(\.certificate) == [certificate.thumbprint])
            #expect(scenario.requests(to: "/userinfo").map(\.certificate) == [nil])
            #expect(scenario.count("/mtls/userinfo") == 0)
        }
    }

    @Test("MTLS-02: One certificate for token and resource")
    func MTLS_02_oneCertificateForTokenAndResource() async throws {
        let certificate = try Self.certificate()
        try await accept(in: flow(certificate)) { scenario, _ in
            for path in ["/mtls/token", "/mtls/userinfo", "/resource"] {
                #expect(scenario.requests(to: path).map(\.certificate) == [certificate.thumbprint], "\(path)")
            }
        }
    }

    @Test("MTLS-03: Nobody else sees it")
    func MTLS_03_nobodyElseSeesIt() async throws {
        try await accept(in: flow(try Self.certificate())) { scenario, _ in
            let others = scenario.log.filter { $0.url.contains("well-known") || $0.path == "/jwks" }
            #expect(others.count >= 2)
            #expect(others.allSatisfy { $0.certificate == nil })
        }
        try await accept { scenario, _ in #expect(scenario.log.allSatisfy { $0.certificate == nil }) }
    }

    /// A server that asks every client: each connection shows what its own request brought.
    @Test("MTLS-04: Connections are not shared", arguments: NetworkTransport.allCases)
    func MTLS_04_connectionsAreNotShared(kind: NetworkTransport) async throws {
        let certificates = try Self.certificates.get()
        let identity = try certificates.issue(for: "IP:127.0.0.1")
        let server = try await TLSServer(
            certificate: identity.certificate, key: identity.key, clients: [certificates.authority],
            demandsClientCertificate: false)
        let transport = kind.make(trusting: certificates.authority, localAccess: .all)
        let (one, two) = (try Self.certificate(), try Self.certificate())
        var request = OutgoingRequest(
            head: HTTPRequest(method: .get, scheme: "https", authority: server.authority, path: "/"))
        var expected: [[UInt8]?] = []
        for certificate in [one, two, nil, one, nil, two] {
            request.certificate = certificate
            _ = try await transport.send(request, limits: .init())
            expected.append(certificate?.chain.first)
        }
        #expect(server.presented == expected)
        try await server.stop()
    }
}
