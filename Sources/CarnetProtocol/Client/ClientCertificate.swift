import CarnetCrypto
import CarnetDescriptors
import CarnetFoundation

/// A client certificate with its private key, for the TLS handshake (RFC 8705).
///
/// Its description is its thumbprint. Only transports read the private key.
public struct ClientCertificate: Sendable {
    /// The certificates in DER form, the client's own first.
    package let chain: [[UInt8]]
    /// The private key of the first, in PEM form.
    package let privateKeyPEM: Secret
    /// Of the private key.
    private let keyThumbprint: String

    /// Reads a certificate, its chain and its private key.
    ///
    /// - Parameters:
    ///   - pem: The certificates in PEM form. The same string may contain the private key.
    ///   - privateKeyPEM: The private key, if it is separate: PKCS#8, SEC1 or PKCS#1, without a passphrase.
    ///   - source: The name of the place in errors, such as a path.
    /// - Throws: `ClientKeyError` if there is no certificate, or not exactly one usable private key.
    public init(
        pem: Secret, privateKeyPEM: Secret? = nil, source: String = "the client's certificate"
    ) throws(ClientKeyError) {
        guard pem.reveal().utf8.count <= ClientKey.maximumLength else {
            throw ClientKeyError(source, "is longer than \(ClientKey.maximumLength) bytes")
        }
        guard let chain = Self.certificates(in: pem.reveal()) else {
            throw ClientKeyError(source, "is truncated or damaged")
        }
        guard !chain.isEmpty else {
            throw ClientKeyError(
                source, "contains no certificate in PEM form", hint: "it begins with -----BEGIN CERTIFICATE-----")
        }
        guard chain.count <= Self.longestChain else {
            throw ClientKeyError(source, "contains more than \(Self.longestChain) certificates")
        }
        let key = privateKeyPEM ?? pem
        // Its error is precise, and the transport's own would be vague.
        keyThumbprint = try ClientKey(pem: key, source: privateKeyPEM == nil ? source : "the key of \(source)")
            .thumbprint
        self.chain = chain
        self.privateKeyPEM = key
    }

    private static let longestChain = 10

    /// The SHA-256 thumbprint that tokens are bound to (RFC 8705, section 3.1, `x5t#S256`).
    package var thumbprint: String { Self.thumbprint(of: chain.first ?? []) }

    /// The thumbprint if the certificate is of this key (RFC 7515, section 4.1.8).
    func thumbprint(ofKey key: ClientKey) -> String? { keyThumbprint == key.thumbprint ? thumbprint : nil }

    /// The thumbprint of a certificate in DER form.
    package static func thumbprint(of certificate: [UInt8]) -> String { Base64URL.encode(SHA256.hash(certificate)) }

    /// `nil` if a block is not valid DER.
    private static func certificates(in text: String) -> [[UInt8]]? {
        var found: [[UInt8]] = []
        var lines: [Substring]?
        for line in text.split(whereSeparator: \.isNewline) {
            switch (line, lines) {
            case ("-----BEGIN CERTIFICATE-----", nil): lines = []
            case ("-----END CERTIFICATE-----", let block?):
                guard let der = Data(base64Encoded: block.joined()), !der.isEmpty else { return nil }
                found.append(Array(der))
                lines = nil
            case (_, let block?): lines = block + [line]
            default: continue
            }
        }
        return lines == nil ? found : nil
    }
}

extension ClientCertificate: Redacted {
    package var summary: String { "ClientCertificate(\(thumbprint))" }
}
