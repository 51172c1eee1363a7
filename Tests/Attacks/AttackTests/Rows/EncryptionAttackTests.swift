// swift-format-ignore-file: AlwaysUseLowerCamelCase
// Tests are named by the rows of the matrix that they mount.

import Carnet
import CarnetDescriptors
import CarnetFoundation
import CarnetProtocol
import CarnetTestSupport
import CarnetTesting
import Foundation
import Testing

@Suite("JOSE, UI: encrypted tokens", .searchedForSecrets)
struct EncryptionAttackTests {
    private let flow: Flow
    private let encryption: Encryption

    init() throws {
        let key = try ClientKey.generate(for: .ecdhES)
        let encryption = Encryption(recipient: key.publicJWK)
        self.encryption = encryption
        flow = Flow.signIn.adding("id_token: { encryption: { algorithm: ECDH-ES, content: A128GCM } }")
            .registered { $0.decryptionKeys = [key] }
            .served { $0.idToken.forge = { try encryption.encrypt($0) } }
    }

    private func refuse(
        _ kind: OAuthError.Kind, sourceLocation: SourceLocation = #_sourceLocation,
        _ forge: @escaping @Sendable (String) throws -> String
    ) async throws {
        try await AttackTests.refuse(.idToken, kind, in: flow, sourceLocation: sourceLocation) {
            $0.idToken.forge = forge
        }
    }

    private func header(_ changes: [String: JSONValue]) -> Encryption {
        var changed = encryption
        changed.header.merge(changes) { $1 }
        return changed
    }

    @Test(
        "JOSE-24: Algorithm of the key",
        arguments: [
            "RSA1_5", "dir", "A128KW", "PBES2-HS256+A128KW", "RSA-OAEP", "ECDH-ES+A128KW", "ecdh-es", "none", "",
        ])
    func JOSE_24_algorithmOfTheKey(name: String) async throws {
        let other = header(["alg": .string(name), "p2c": 1_000_000_000, "p2s": "AAAA"])
        try await refuse(.unsupportedAlgorithm) { try other.encrypt($0) }
    }

    @Test("JOSE-24: Algorithm of the content", arguments: ["A256GCM", "A128CBC-HS256", "A128KW", "none", "XC20P"])
    func JOSE_24_algorithmOfTheContent(name: String) async throws {
        let other = header(["enc": .string(name)])
        try await refuse(.unsupportedAlgorithm) { try other.encrypt($0) }
    }

    @Test("JOSE-24: Headers that attack")
    func JOSE_24_headersThatAttack() async throws {
        let (zip, critical, type) = (header(["zip": "DEF"]), header(["crit": ["exp"]]), header(["cty": "text/plain"]))
        try await refuse(.malformedToken) { try zip.encrypt($0) }
        try await refuse(.criticalHeader) { try critical.encrypt($0) }
        try await refuse(.malformedToken) { try type.encrypt($0) }
    }

    @Test("JOSE-24: Token that was changed")
    func JOSE_24_tokenThatWasChanged() async throws {
        let encryption = encryption
        for index in [2, 3, 4] {
            try await refuse(.decryptionFailed) { token in
                var parts = try encryption.encrypt(token).split(separator: ".", omittingEmptySubsequences: false).map(
                    String.init)
                parts[index] = (parts[index].hasPrefix("A") ? "B" : "A") + parts[index].dropFirst()
                return parts.joined(separator: ".")
            }
        }
        let other = Encryption(recipient: try ClientKey.generate(for: .ecdhES).publicJWK)
        try await refuse(.decryptionFailed) { try other.encrypt($0) }
        try await refuse(.malformedToken) { _ in "...." }
        try await refuse(.decryptionFailed) { try encryption.encrypt($0) + String(repeating: "A", count: 1 << 16) }
        try await AttackTests.refuse(.tokenRequest, .wrongFieldType, in: flow) {
            $0.idToken.forge = { try encryption.encrypt($0) + String(repeating: "A", count: 1 << 20) }
        }
    }

    @Test("JOSE-24: Encryption that was not agreed")
    func JOSE_24_encryptionThatWasNotAgreed() async throws {
        let encryption = encryption
        try await AttackTests.refuse(.idToken, .unsupportedAlgorithm) {
            $0.idToken.forge = { try encryption.encrypt($0) }
        }
        try await refuse(.malformedToken) { $0 }
    }

    @Test("JOSE-25: Unsigned token inside")
    func JOSE_25_unsignedTokenInside() async throws {
        let encryption = encryption
        let unsigned =
            SigningKey.signingInput(#"{"alg":"none"}"#, #"{"iss":"https://id.acme.example","sub":"admin"}"#) + "."
        try await refuse(.unsupportedAlgorithm) { _ in try encryption.encrypt(unsigned) }
        try await refuse(.malformedToken) { _ in
            try encryption.encrypt(#"{"iss":"https://id.acme.example","sub":"admin"}"#)
        }
        try await refuse(.malformedToken) { try encryption.encrypt(try encryption.encrypt($0)) }
        try await AttackTests.refuse(.idToken, .badSignature, in: flow) { $0.idToken.key = .otherRSA }
    }

    @Test("UI-05: Encrypted profile")
    func UI_05_encryptedProfile() async throws {
        let key = try ClientKey.generate(for: .ecdhES)
        let encryption = Encryption(recipient: key.publicJWK)
        let other = Encryption(recipient: try ClientKey.generate(for: .ecdhES).publicJWK)
        var profile = Token()
        profile.claims = JSONObject()
        profile.claims["sub"] = "user-1"
        profile.forge = { try encryption.encrypt($0) }
        let flow = Flow.profile.adding(
            "profile: { jwt: { algorithms: [RS256], encryption: { algorithm: ECDH-ES, content: A128GCM } } }"
        )
        .registered { $0.decryptionKeys = [key] }
        .served { [profile] script in
            script.userinfo.headers = [("Content-Type", "application/jwt")]
            script.userinfo.signed = profile
        }
        func refuse(
            _ kind: OAuthError.Kind, sourceLocation: SourceLocation = #_sourceLocation,
            _ forge: @escaping @Sendable (String) throws -> String
        ) async throws {
            try await AttackTests.refuse(
                .profile, kind, in: flow, mayRequest: ["/jwks"], sourceLocation: sourceLocation
            ) { $0.userinfo.signed?.forge = forge }
        }
        let (algorithm, content) = (header(["alg": "RSA1_5"]), header(["enc": "A256GCM"]))
        try await refuse(.unsupportedAlgorithm) { try algorithm.encrypt($0) }
        try await refuse(.unsupportedAlgorithm) { try content.encrypt($0) }
        try await refuse(.decryptionFailed) { try other.encrypt($0) }
        try await refuse(.malformedToken) { $0 }
        try await refuse(.malformedToken) { _ in try encryption.encrypt(#"{"sub":"user-1"}"#) }
        try await refuse(.unsupportedAlgorithm) { _ in
            try encryption.encrypt(SigningKey.signingInput(#"{"alg":"none"}"#, #"{"sub":"user-1"}"#) + ".")
        }
        try await AttackTests.refuse(.profile, .badSignature, in: flow, mayRequest: ["/jwks"]) {
            $0.userinfo.signed?.key = .otherRSA
        }
        // Without signature algorithms in the descriptor, encrypted claims may be unsigned (OpenID Connect Core, section
        // 5.3.2). What has the form of a JWT is still verified.
        let unsigned = flow.of(
            Flow.openID + "profile: { jwt: { encryption: { algorithm: ECDH-ES, content: A128GCM } } }\n")
        func forging(_ forge: @escaping @Sendable (String) throws -> String) -> @Sendable (inout Script) -> Void {
            { $0.userinfo.signed?.forge = forge }
        }
        try await accept(in: unsigned) { _, outcome in #expect(outcome.profile?.subject == "user-1") }
        let plain = #"{"sub":"user-1","name":"Ada"}"#
        for type in [nil, "json", "JWT"] {
            var labelled = encryption
            if let type { labelled.header["cty"] = .string(type) }
            try await accept(in: unsigned, forging { [labelled] _ in try labelled.encrypt(plain) }) { _, outcome in
                #expect(outcome.profile?.name == "Ada")
            }
        }
        let cases: [(OAuthError.Kind, @Sendable (String) throws -> String)] = [
            (.subjectMismatch, { _ in try encryption.encrypt(#"{"sub":"user-2"}"#) }),
            (.missingField, { _ in try encryption.encrypt("{}") }),
            (.malformedToken, { _ in try encryption.encrypt(#"["user-1"]"#) }),
            (.malformedToken, { _ in try encryption.encrypt("") }), (.malformedToken, { _ in plain }),
            (.decryptionFailed, { _ in try other.encrypt(plain) }),
            (
                .unsupportedAlgorithm,
                { _ in try encryption.encrypt(SigningKey.signingInput(#"{"alg":"none"}"#, plain) + ".") }
            ),
        ]
        for (kind, forge) in cases {
            try await AttackTests.refuse(.profile, kind, in: unsigned, mayRequest: ["/jwks"], forging(forge))
        }
        try await AttackTests.refuse(.profile, .badSignature, in: unsigned, mayRequest: ["/jwks"]) {
            $0.userinfo.signed?.key = .otherRSA
        }
    }
}
