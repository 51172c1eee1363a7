import CarnetCrypto
package import CarnetDescriptors
import CarnetFoundation

extension CallbackVerification {
    /// Checks the provider's signature of a callback, in constant time.
    ///
    /// - Throws: `OAuthError` at step `callback`.
    func check(_ pairs: [(name: String, value: String)], secret: Secret?) throws(OAuthError) {
        guard let secret, !secret.isEmpty else {
            throw OAuthError(
                .callback, .missingClientSecret,
                "the provider signs its callbacks with the client's secret, and the registration has no secret",
                descriptorKey: "callback.verify")
        }
        let sent = pairs.filter { $0.name == parameter }.map(\.value)
        guard sent.count == 1, let signature = sent.first else {
            throw OAuthError(
                .callback, .badSignedCallback, "the callback has no signature, or more than one",
                descriptorKey: "callback.verify.parameter")
        }
        let expected = self.signature(of: pairs, secret: secret)
        let received = encoding == .hexadecimal ? signature.lowercased() : signature
        guard constantTimeEquals(received.utf8, expected.utf8) else {
            throw OAuthError(
                .callback, .badSignedCallback, "the callback's signature is invalid", descriptorKey: "callback.verify")
        }
    }

    /// The signature of a callback's parameters.
    package func signature(of pairs: [(name: String, value: String)], secret: Secret) -> String {
        let digest = Array(
            HMAC<SHA256>.authenticationCode(
                for: Array(message(pairs).utf8), using: SymmetricKey(data: Array(secret.reveal().utf8))))
        return switch encoding {
        case .hexadecimal: digest.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        case .base64: Data(digest).base64EncodedString()
        case .base64url: Base64URL.encode(digest)
        }
    }
}
