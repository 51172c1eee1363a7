package import HTTPTypes

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension Sandbox {
    private static let certificateFieldName = "Client-Cert"

    /// How a request tells the certificate that its client presented: as a proxy does that ends TLS (RFC 9440, section 2).
    /// The sandbox opens no socket, so whoever hands requests to it has to say.
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
