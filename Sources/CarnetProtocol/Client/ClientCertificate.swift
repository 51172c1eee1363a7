import Crypto
import Foundation

/// A certificate with its private key, by which a client proves itself in the TLS handshake (RFC 8705).
///
/// It prints, interpolates, mirrors and debugs as its thumbprint. The private key is for transports alone.
public struct ClientCertificate: Sendable {
    /// The certificates in DER form, the client's own first.
    package let chain: [[UInt8]]
    /// The private key of the first, in PEM form.
    package let privateKeyPEM: Secret

    /// Reads a certificate, with its chain behind it, and its private key.
    ///
    /// - Parameters:
    ///   - pem: The certificates in PEM form; the private key may stand in the same text.
    ///   - privateKeyPEM: The private key, if it stands elsewhere: PKCS#8, SEC1 or PKCS#1, without a passphrase.
    ///   - source: How errors name the place that it came from.
    /// - Throws: `ClientKeyError` if there is no certificate, or not exactly one private key that can be used.
    public init(
        pem: Secret, privateKeyPEM: Secret? = nil, source: String = "the client's certificate"
    ) throws(ClientKeyError) {
        guard pem.reveal().utf8.count <= ClientKey.maximumLength else {
            throw ClientKeyError(source, "is longer than \(ClientKey.maximumLength) bytes")
        }
        guard let chain = Self.certificates(in: pem.reveal()) else {
            throw ClientKeyError(source, "is cut short or changed")
        }
        guard !chain.isEmpty else {
            throw ClientKeyError(
                source, "holds no certificate in PEM form", hint: "it begins with -----BEGIN CERTIFICATE-----")
        }
        guard chain.count <= Self.longestChain else {
            throw ClientKeyError(source, "holds more than \(Self.longestChain) certificates")
        }
        let key = privateKeyPEM ?? pem
        // Read for its sake alone: a transport would say less of what is wrong with it.
        _ = try ClientKey(pem: key, source: privateKeyPEM == nil ? source : "the key of \(source)")
        self.chain = chain
        self.privateKeyPEM = key
    }

    private static let longestChain = 10

    /// The SHA-256 thumbprint that tokens are bound to (RFC 8705, section 3.1, `x5t#S256`).
    public var thumbprint: String {
        Base64URL.encode(SHA256.hash(data: chain.first ?? []))
    }

    /// `nil` if a block is not what it says.
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

extension ClientCertificate: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public var description: String { "ClientCertificate(\(thumbprint))" }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: ["thumbprint": thumbprint]) }
}
