import Carnet
import CarnetFoundation
import CarnetProtocol
import NIOSSL

/// Client certificates in the library's form. Each is parsed once.
final class TLSIdentities: Sendable {
    private struct Identity {
        let chain: [NIOSSLCertificate]
        let key: NIOSSLPrivateKey
    }

    private let identities = Lock<[ClientCertificateName: Identity]>([:])

    /// The key is part of the comparison: the same certificate may come with a wrong key.
    private struct ClientCertificateName: Hashable {
        let thumbprint: String
        let key: Secret
    }

    /// The maximum number of entries. Beyond it, all are parsed again. Those in use stay with their connections.
    private static let capacity = 64

    /// - Throws: `TransportError`, `tls`, if certificate and key do not match or cannot be parsed.
    func configuration(_ tls: TLSConfiguration, presenting certificate: ClientCertificate) throws -> TLSConfiguration {
        let name = ClientCertificateName(thumbprint: certificate.thumbprint, key: certificate.privateKeyPEM)
        let identity = try identities.withLock { identities in
            if let known = identities[name] { return known }
            let identity = try Self.read(certificate, below: tls)
            if identities.count >= Self.capacity { identities = [:] }
            identities[name] = identity
            return identity
        }
        return tls.presenting(identity.chain, identity.key)
    }

    private static func read(_ certificate: ClientCertificate, below tls: TLSConfiguration) throws -> Identity {
        do {
            let chain = try certificate.chain.map { try NIOSSLCertificate(bytes: $0, format: .der) }
            let key = try NIOSSLPrivateKey(bytes: Array(certificate.privateKeyPEM.reveal().utf8), format: .pem)
            // Creating a context compares the two; a handshake would fail too late.
            _ = try NIOSSLContext(configuration: tls.presenting(chain, key))
            return Identity(chain: chain, key: key)
        } catch {
            throw TransportError(
                .tls, "the client's certificate \(certificate.thumbprint) and its key do not match, or cannot be read")
        }
    }
}

extension TLSConfiguration {
    fileprivate func presenting(_ chain: [NIOSSLCertificate], _ key: NIOSSLPrivateKey) -> TLSConfiguration {
        var tls = self
        tls.certificateChain = chain.map { .certificate($0) }
        tls.privateKey = .privateKey(key)
        return tls
    }
}
