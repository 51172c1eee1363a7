import CarnetServerTestSupport
import Testing

extension CommandHome {
    /// Writes the descriptor and the registration of the provider `rotating`, and signs ada in.
    func signIn(to provider: RotatingProvider) async throws {
        try write(
            """
            carnet: 1
            id: rotating
            name: Rotating
            endpoints:
              authorization: http://\(provider.authority)/authorize
              token: http://\(provider.authority)/token
              revocation: http://\(provider.authority)/revoke
            scopes: { default: [read] }

            """, to: "providers/rotating.yaml")
        try write("rotating: { client_id: client }\n", to: ".config/carnet/clients.yaml")
        let login = try await logIn("rotating", "--account", "ada")
        #expect(login.status == 0, "\(login)")
    }
}
