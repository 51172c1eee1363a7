import CarnetFoundation
package import HTTPTypes

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
