import CarnetDescriptors
import Foundation
import Testing

/// Reads and resolves a descriptor; every problem in it fails the test.
func makeProvider(_ yaml: String, inputs: [String: String] = [:]) throws -> Provider {
    let document = DescriptorDocument(SourceFile(path: "test.yaml", bytes: Array(yaml.utf8)))
    try #require(document.diagnostics.isEmpty, "\(document.diagnostics)")
    let descriptor = try #require(document.descriptor)
    return try descriptor.resolve(inputs: descriptor.exampleInputs(inputs))
}

/// A descriptor of the repository.
func builtInProvider(_ id: String) throws -> Provider {
    let repository = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    let file = repository.appending(path: "providers/\(id).yaml")
    return try makeProvider(String(contentsOf: file, encoding: .utf8))
}

/// The smallest descriptor of an OpenID provider.
let acme = """
    carnet: 1
    id: acme
    name: Acme
    issuer: https://id.acme.example
    scopes: { default: [openid, profile, email] }

    """

/// An OAuth 2.0 provider without OpenID Connect.
let plain = """
    carnet: 1
    id: plain
    name: Plain
    endpoints:
      authorization: https://plain.example/authorize
      token: https://plain.example/token

    """
