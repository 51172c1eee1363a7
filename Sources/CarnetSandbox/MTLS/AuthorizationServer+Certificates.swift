import CarnetCrypto
import CarnetDescriptors
import CarnetFoundation
package import HTTPTypes

extension AuthorizationServer {
    /// The endpoint that a URL is the alias of, for clients with a certificate (RFC 8705, section 5).
    func aliasedEndpoint(at url: WebURL) -> EndpointName? {
        MTLSEndpoints.names.first { provider.endpoints.mtls[$0]?.receives(url) == true }
    }

    /// The request as the server sees it. Where an endpoint has an alias, a certificate is seen at that alone, as no
    /// other place asks for one in the handshake.
    func request(_ head: ServerRequest) throws(OAuthError) -> ServerRequest {
        var request = head
        if let name = aliasedEndpoint(at: head.url) {
            // An endpoint that is its own alias asks for a certificate, and serves clients without one, too.
            if endpoints[name]?.receives(head.url) == true { return head }
            guard head.certificate != nil else { throw .invalidRequest("no certificate was presented") }
            // A grant without an endpoint of its own is at the token endpoint.
            let plain = endpoints[name] ?? ([.refresh, .deviceToken].contains(name) ? endpoints[.token] : nil)
            guard let plain, let url = try? WebURL(plain.appendingQuery(head.url.query ?? "")) else {
                throw .serverError("there is no such endpoint")
            }
            request = ServerRequest(head: head.head, url: url, body: head.body, certificate: head.certificate)
        } else if let name = endpoints.endpoints(at: head.url).first, provider.endpoints.mtls[name] != nil {
            request.certificate = nil
        }
        return request
    }

    /// Whether the certificate is the client's (RFC 8705, sections 2.1.1 and 2.2.1). The one that was registered stands
    /// for the subject that an authority certified, too.
    func verifyCertificate(
        _ request: ServerRequest, of client: SandboxClient, _ method: ClientAuthenticationMethod
    ) throws(OAuthError) {
        guard let presented = request.certificate else {
            throw .invalidClient("the client is registered for \(method.rawValue), and presented no certificate")
        }
        guard client.certificate == presented else {
            throw .invalidClient("the certificate is not the client's registered one")
        }
    }

    /// The grant with the certificate that its tokens are bound to (RFC 8705, section 3).
    mutating func constrained(_ grant: Grant, _ grantID: String, isRefresh: Bool) throws(OAuthError) -> Grant {
        guard provider.client.certificateBoundAccessTokens else { return grant }
        guard let presentedThumbprint else {
            throw .invalidRequest("tokens are bound to a certificate, and none was presented")
        }
        guard !isRefresh || grant.certificateThumbprint == presentedThumbprint else {
            throw .invalidGrant("the certificate is not the one that the tokens are bound to")
        }
        var grant = grant
        grant.certificateThumbprint = presentedThumbprint
        ledger.grants[grantID]?.certificateThumbprint = presentedThumbprint
        return grant
    }

    /// `x5t#S256` of the current request's certificate (RFC 8705, section 3.1).
    var presentedThumbprint: String? { presentedCertificate.map { Base64URL.encode(SHA256.hash(data: $0)) } }
}

extension Sandbox {
    private static let certificateFieldName = "Client-Cert"

    /// The certificate that the client presented, in the header of a proxy that ends TLS (RFC 9440, section 2). The
    /// sandbox opens no socket, so its adapter sets the header.
    ///
    /// - Parameter certificate: In DER form.
    package static func certificateField(_ certificate: [UInt8]) -> HTTPField? {
        HTTPField.Name(certificateFieldName).map { name in
            HTTPField(name: name, value: ":" + Data(certificate).base64EncodedString() + ":")
        }
    }

    static func certificate(of request: HTTPRequest) -> [UInt8]? {
        guard let name = HTTPField.Name(certificateFieldName), let value = request.headerFields[name],
            value.count > 2, value.hasPrefix(":"), value.hasSuffix(":")
        else { return nil }
        return Data(base64Encoded: String(value.dropFirst().dropLast())).map { Array($0) }
    }
}
