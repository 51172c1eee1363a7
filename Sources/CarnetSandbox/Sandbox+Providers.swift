package import CarnetDescriptors
import CarnetFoundation
import HTTPTypes

extension Sandbox {
    /// Simulates a provider from now on. If it replaces one with the same id, the grants and tokens stay valid.
    package func impersonate(_ provider: Provider, clients: [SandboxClient]) {
        var server = AuthorizationServer(provider, clients: clients, options: options, seams: seams)
        if let index = servers.firstIndex(where: { $0.provider.id == provider.id }) {
            server.takeOver(from: servers[index])
            servers[index] = server
        } else {
            servers.append(server)
        }
    }
}

extension AuthorizationServer {
    /// Whether a user's profile names a URL as the user's picture.
    func hasPicture(at url: WebURL) -> Bool {
        options.users.contains { Identity($0, at: provider).picture == url.text }
    }

    /// A public picture for the profile of any user.
    var picture: Reply {
        let svg = """
            <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 96 96"><rect width="96" height="96" fill="#c9d4e8"/>\
            <circle cx="48" cy="38" r="18" fill="#3a4d73"/><path d="M14 96a34 34 0 0 1 68 0z" fill="#3a4d73"/></svg>
            """
        return Reply(
            .ok, [.contentType: "image/svg+xml", .contentSecurityPolicy: "default-src 'none'"], body: Array(svg.utf8))
    }
}
