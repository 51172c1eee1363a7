import CarnetDescriptors
import CarnetFoundation
import CarnetLint
import Testing

@Suite("Descriptor draft")
struct DescriptorDraftTests {
    static let metadata: [JSONValue?] = [
        nil, [:], ["scopes_supported": ["openid", "offline_access"]],
        ["token_endpoint_auth_methods_supported": ["private_key_jwt", "client_secret_post"]],
        [
            "code_challenge_methods_supported": ["plain"], "scopes_supported": "openid",
            "token_endpoint_auth_methods_supported": 5,
        ],
    ]

    @Test("a draft has no finding, whatever the metadata says", arguments: metadata)
    func isLintClean(metadata: JSONValue?) throws {
        for issuer in ["https://id.acme.example", nil] {
            let draft = try #require(DescriptorDraft(id: "acme-two", issuer: issuer, metadata: metadata))
            let report = Linter().lint(files: [SourceFile(path: "acme-two.yaml", text: draft.text)])
            #expect(report.diagnostics.isEmpty, "\(draft.text)\n\(report.diagnostics)")
        }
    }

    @Test("a draft asks for what the server announces")
    func followsMetadata() throws {
        let draft = try #require(
            DescriptorDraft(
                id: "acme",
                issuer: "https://id.acme.example",
                metadata: [
                    "scopes_supported": ["email", "openid", "offline_access"],
                    "token_endpoint_auth_methods_supported": ["none", "client_secret_post"],
                ]
            )
        )
        let descriptor = try #require(DescriptorDocument(SourceFile(path: "acme.yaml", text: draft.text)).descriptor)
        #expect(descriptor.scopes.defaults == ["openid", "email"])
        #expect(descriptor.scopes.offline == ["offline_access"])
        #expect(descriptor.client.methods == [.clientSecretPost, .none])
    }

    @Test("what is no id makes no draft", arguments: ["", "Acme", "a b", "a/b", "-a"])
    func badID(id: String) {
        #expect(DescriptorDraft(id: id, issuer: nil)?.text == nil)
    }
}
