public import CarnetDescriptors
import Foundation

/// Providers of the tests, read from YAML text as any provider is.
public enum Fixture {
    /// A provider of OpenID Connect with every endpoint named, so that nothing is discovered.
    public static let openID = """
        carnet: 1
        id: acme
        name: Acme
        issuer: https://id.acme.example
        endpoints:
          authorization: https://id.acme.example/authorize
          token: https://id.acme.example/token
          userinfo: https://id.acme.example/userinfo
          jwks: https://id.acme.example/jwks
          revocation: https://id.acme.example/revoke
          end_session: https://id.acme.example/logout
        redirects: ["com.example.app:/{path}", "https://app.example/{path}", "http://127.0.0.1:{port}/{path}"]
        scopes: { default: [openid, profile, email], offline: [offline_access] }

        """

    /// A provider of OAuth 2.0 alone.
    public static let plain = """
        carnet: 1
        id: plain
        name: Plain
        endpoints:
          authorization: https://plain.example/authorize
          token: https://plain.example/token
          userinfo: https://plain.example/me
        scopes: { default: [read, write] }

        """

    /// A provider of which only the issuer is known.
    public static let discovered = """
        carnet: 1
        id: acme
        name: Acme
        issuer: https://id.acme.example
        scopes: { default: [openid] }

        """

    /// - Throws: `FixtureError` with the diagnostics if the text is no descriptor.
    public static func descriptor(_ yaml: String) throws -> ProviderDescriptor {
        let document = DescriptorDocument(SourceFile(path: "fixture.yaml", bytes: Array(yaml.utf8)))
        guard let descriptor = document.descriptor else {
            throw FixtureError(reason: document.diagnostics.map(\.message).joined(separator: "; "))
        }
        return descriptor
    }

    public static func resolved(_ yaml: String = openID, inputs: [String: String] = [:]) throws -> Provider {
        try descriptor(yaml).resolve(inputs: inputs)
    }

    /// A provider that needs no metadata, with what a client knows before anybody signs in.
    package static func provider(_ yaml: String = openID, inputs: [String: String] = [:]) throws -> FilledProvider {
        try resolved(yaml, inputs: inputs).withoutMetadata.bound
    }
}

extension DiscoveredProvider {
    /// The provider without any value of an account or a sign-in.
    package var bound: FilledProvider {
        filled(
            TemplateValues(
                tables: self.tables, now: Date(timeIntervalSince1970: 1_767_225_600), random: { _ in [] },
                digests: NoDigests()))
    }
}

private struct NoDigests: TemplateDigests {
    func sha256(_ bytes: [UInt8]) -> [UInt8] { [] }
    func hmacSHA256(key: [UInt8], message: [UInt8]) -> [UInt8] { [] }
}

/// Why a fixture could not be made: the test itself is wrong.
public struct FixtureError: Error, CustomStringConvertible {
    public let reason: String

    public init(reason: String) {
        self.reason = reason
    }

    public var description: String { reason }
}
