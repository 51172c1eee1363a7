package import CarnetDescriptors

/// A redirect URI for a client that does not exist.
package enum SimulatedRedirectURI {
    static let loopback = "http://127.0.0.1:49152/callback"

    /// A redirect URI that the provider accepts: on loopback if possible, else built from the first form that allows
    /// it.
    package static func fitting(_ forms: [RedirectForm]) -> String? {
        func isAccepted(_ uri: String) -> Bool { forms.isEmpty || forms.contains { $0.matches(uri) } }
        return [loopback, "http://localhost:49152/callback"].first(where: isAccepted)
            ?? forms.lazy.map(filled).first(where: isAccepted)
    }

    private static func filled(_ form: RedirectForm) -> String {
        form.template.inputNames.reduce(form.template.source) { uri, name in
            uri.replacing("{\(name)}", with: parts[name] ?? "example")
        }
    }

    private static let parts = [
        "bundle_id": "com.example.app", "scheme": "com.example.app", "host": "client.example",
        "domain": "client.example", "port": "49152", "path": "callback",
    ]
}
