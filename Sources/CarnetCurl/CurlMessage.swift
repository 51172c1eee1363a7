import Carnet
import CarnetDescriptors
import CarnetProtocol
import CarnetTransport
import Foundation
import HTTPTypes

/// A request in the form that libcurl takes, and what its exchange has to keep to.
final class CurlMessage: Sendable {
    /// Scheme, host and port. The path is not in it, so that nothing can normalize it.
    let base: String
    let path: String
    let method: String
    let isHead: Bool
    /// Whole lines. A name with a colon and nothing behind it removes a field that libcurl would add.
    let headerLines: [String]
    /// Nil for none; the header then has no length either.
    let body: [UInt8]?
    let proxy: Proxy?
    let identity: Identity?
    let mayBeLocal: Bool
    let limits: TransportLimits
    /// `host:port`, for messages.
    let origin: String
    /// The same with the proxy.
    let route: String
    let routeKey: ByteKey

    /// The client's certificate, its chain and its key in PEM form.
    struct Identity: Sendable {
        let thumbprint: String
        let pem: Secret

        /// Certificates and key are one text, because connections are shared by the text of the certificates, and the same
        /// certificate with a wrong key must not share one.
        init(_ certificate: ClientCertificate) {
            thumbprint = certificate.thumbprint
            let blocks = certificate.chain.map { der in
                let lines = Data(der).base64EncodedString(options: [.lineLength64Characters, .endLineWithLineFeed])
                return "-----BEGIN CERTIFICATE-----\n\(lines)\n-----END CERTIFICATE-----\n"
            }
            // The text of the key may hold certificates, too.
            pem = Secret(blocks.joined() + certificate.privateKeyPEM.reveal())
        }
    }

    init(
        _ request: OutgoingRequest, _ target: RequestTarget, _ limits: TransportLimits, proxy: Proxy?, mayBeLocal: Bool
    ) {
        let head = request.head
        let authority = head.authority ?? ""
        base = "\(target.scheme)://\(authority)"
        path = head.path ?? "/"
        method = head.method.rawValue
        isHead = head.method == .head
        body = request.body.isEmpty && ![.post, .put, .patch].contains(head.method) ? nil : request.body
        var lines: [String] = []
        var added = ["accept", "content-type", "expect"]
        for field in head.headerFields {
            added.removeAll { $0 == field.name.canonicalName }
            lines.append(field.value.isEmpty ? "\(field.name.rawName);" : "\(field.name.rawName): \(field.value)")
        }
        lines += added.map { "\($0):" }
        headerLines = lines
        self.proxy = proxy
        identity = request.certificate.map(Identity.init)
        self.mayBeLocal = mayBeLocal
        self.limits = limits
        origin = target.origin
        route = proxy.map { "\(target.origin) through the proxy \($0.place)" } ?? target.origin
        routeKey = ByteKey(route)
    }

    /// Whether any handle will do.
    var isPlain: Bool { proxy == nil && identity == nil }

    /// - Throws: `TransportError`, `tooLate`.
    func checkMoment() throws(TransportError) {
        guard let moment = limits.sendBefore, .now >= moment else { return }
        throw TransportError(.tooLate, "the connection to \(origin) took too long; the request was not sent")
    }
}
