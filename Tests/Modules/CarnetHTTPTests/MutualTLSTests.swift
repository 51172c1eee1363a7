import Carnet
import CarnetDescriptors
import CarnetProtocol
import CarnetServerTestSupport
import CarnetTesting
import CarnetTransport
import CarnetURLSession
import Foundation
import HTTPTypes
import NIOSSL
import Testing

/// A client that presents its certificate, and servers that verify it (RFC 8705).
@Suite("Mutual TLS")
struct MutualTLSTests {
    private let serverCertificate: TestCertificate
    private let certificate: TestCertificate
    private let other: TestCertificate

    init() throws {
        serverCertificate = try TestCertificate(subjectAlternativeName: "IP:127.0.0.1")
        certificate = try TestCertificate(subjectAlternativeName: "DNS:client.example")
        other = try TestCertificate(subjectAlternativeName: "DNS:other.example")
    }

    private func server(demandsCertificate: Bool = true) async throws -> TLSServer {
        try await serverCertificate.server(
            clients: [certificate, other].map(\.certificatePath), demandsClientCertificate: demandsCertificate)
    }

    private func transport(_ kind: NetworkTransport) throws -> any ClosableTransport {
        kind.make(trusting: serverCertificate.certificatePath, localAccess: .all)
    }

    private func request(
        to server: TLSServer, _ certificate: TestCertificate? = nil, path: String = "/"
    ) throws -> OutgoingRequest {
        var request = OutgoingRequest.get(server.authority, scheme: "https")
        request.head.path = path
        request.certificate = try certificate?.identity
        return request
    }

    @Test("Server sees the certificate", arguments: NetworkTransport.allCases)
    func serverSeesTheCertificate(kind: NetworkTransport) async throws {
        let server = try await server()
        let response = try await transport(kind).send(request(to: server, certificate), limits: .init())
        #expect(response.head.status == .ok)
        #expect(server.presented == [try certificate.identity.chain[0]])
        try await server.stop()
    }

    @Test("Request without one is rejected by the server", arguments: NetworkTransport.allCases)
    func requestWithoutOneIsRefusedByTheServer(kind: NetworkTransport) async throws {
        let server = try await server()
        let error = await #expect(throws: TransportError.self) {
            try await transport(kind).send(request(to: server), limits: .init())
        }
        #expect([.tls, .interrupted].contains(error?.kind))
        #expect(server.requestCount == 0)
        try await server.stop()
    }

    // MTLS-03: a server that asks for a certificate gets none with a request that carries none, whatever was sent before.
    @Test("Certificate is not presented with other requests", arguments: NetworkTransport.allCases)
    func certificateIsNotPresentedWithOtherRequests(kind: NetworkTransport) async throws {
        let (bank, other) = (try await server(), try await server(demandsCertificate: false))
        let transport = try transport(kind)
        _ = try await transport.send(request(to: bank, certificate), limits: .init())
        _ = try await transport.send(request(to: other), limits: .init())
        #expect(other.presented == [nil])
        try await bank.stop()
        try await other.stop()
    }

    @Test("Key of another certificate is reported and nothing is sent", arguments: NetworkTransport.allCases)
    func keyOfAnotherCertificateIsReportedAndNothingIsSent(kind: NetworkTransport) async throws {
        let server = try await server()
        let mixed = try ClientCertificate(
            pem: Secret(String(contentsOfFile: certificate.certificatePath, encoding: .utf8)),
            privateKeyPEM: Secret(String(contentsOfFile: other.keyPath, encoding: .utf8)))
        let plain = try request(to: server)
        let refused = OutgoingRequest(head: plain.head, certificate: mixed)
        let error = await #expect(throws: TransportError.self) {
            try await transport(kind).send(refused, limits: .init())
        }
        #expect(error?.kind == .tls)
        #expect(error?.reason.contains("client's certificate") == true, "\(String(describing: error))")
        #expect(server.requestCount == 0)
        try await server.stop()
    }

    // MTLS-01, MTLS-02: the aliases on a port of their own, and the same certificate at token endpoint and resource.
    @Test("Whole sign-in goes through the aliases", arguments: NetworkTransport.allCases)
    func wholeSignInGoesThroughTheAliases(kind: NetworkTransport) async throws {
        let plain = try await server(demandsCertificate: false)
        let mutual = try await server()
        let base = "https://\(mutual.authority)"
        mutual.respond("/token", with: #"{"access_token":"bound","token_type":"Bearer","expires_in":60}"#)
        mutual.respond("/userinfo", with: #"{"sub":"ada"}"#)
        let text = """
            carnet: 1
            id: bank
            name: Bank
            endpoints:
              authorization: https://\(plain.authority)/authorize
              token: https://\(plain.authority)/token
              userinfo: https://\(plain.authority)/userinfo
              mtls_endpoint_aliases: { token: \(base)/token, userinfo: \(base)/userinfo }
            client: { authentication: [tls_client_auth], tls_client_certificate_bound_access_tokens: true }
            scopes: { default: [accounts] }

            """
        let document = DescriptorDocument(SourceFile(path: "bank.yaml", text: text))
        let client = try OAuthClient(
            try #require(document.descriptor, "\(document.diagnostics)"),
            registration: ClientRegistration(
                clientID: "client", credentials: .available(certificate: try certificate.identity),
                redirectURI: "http://127.0.0.1/callback"),
            transport: try transport(kind))
        let request = try await client.beginSignIn()
        let callback = AuthorizationCallback(
            url: "http://127.0.0.1/callback?code=c&state=\(request.pending.id.reveal())")
        let session = try await client.completeSignIn(callback, for: request.pending, account: "ada")
        #expect(try await session.profile().subject == "ada")
        let own = try certificate.identity.chain[0]
        #expect(mutual.presented == [own, own])
        #expect(plain.requestCount == 0)
        try await plain.stop()
        try await mutual.stop()
    }

    @Test("URL session says that it cannot")
    func urlSessionSaysThatItCannot() async throws {
        let server = try await server()
        let error = await #expect(throws: TransportError.self) {
            try await URLSessionTransport().send(request(to: server, certificate), limits: .init())
        }
        #expect(error?.kind == .unsupportedRequest)
        #expect(error?.reason.contains("AsyncHTTPTransport") == true)
        #expect(server.requestCount == 0)
        try await server.stop()
    }
}

extension TestCertificate {
    /// The certificate as a client's own.
    var identity: ClientCertificate {
        get throws {
            try ClientCertificate(
                pem: Secret(String(contentsOfFile: certificatePath, encoding: .utf8)),
                privateKeyPEM: Secret(String(contentsOfFile: keyPath, encoding: .utf8)))
        }
    }
}
