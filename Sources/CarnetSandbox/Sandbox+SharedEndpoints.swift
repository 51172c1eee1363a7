import CarnetDescriptors
import CarnetFoundation
import HTTPTypes

extension Sandbox {
    /// The servers that have an endpoint for a request, where there are several: descriptors of one family share endpoints.
    func servers(sharing endpoint: EndpointName, for request: ServerRequest) -> [Int]? {
        guard servers.count > 1 else { return nil }
        let indices = servers.indices.filter { servers[$0].endpoint(for: request) == endpoint }
        return indices.count > 1 ? indices : nil
    }

    /// The response of the first server that accepts a request; if none does, the refusal of the first.
    func respond(
        to request: ServerRequest, at endpoint: EndpointName, sharedBy indices: [Int]
    ) -> (reply: Reply, provider: ProviderID?) {
        guard endpoint != .jwks else { return (keys(of: indices, request), servers[indices[0]].provider.id) }
        var refusal: (index: Int, server: AuthorizationServer, reply: Reply)?
        for index in indices {
            guard let own = try? servers[index].request(request) else { continue }
            var server = servers[index]
            server.presentedCertificate = own.certificate
            let reply = server.respond(to: own, at: endpoint)
            if !reply.isRefusal {
                servers[index] = server
                return (reply, server.provider.id)
            }
            if refusal == nil { refusal = (index, server, reply) }
        }
        guard let refusal else { return (.json(["error": "invalid_request"], status: .badRequest), nil) }
        servers[refusal.index] = refusal.server
        return (refusal.reply, refusal.server.provider.id)
    }

    /// The keys of all servers: a client cannot say whose it wants.
    private func keys(of indices: [Int], _ request: ServerRequest) -> Reply {
        var replies: [Reply] = []
        for index in indices { replies.append(servers[index].respond(to: request, at: .jwks)) }
        let keys = replies.flatMap { (try? JSONValue(parsing: $0.body))?["keys"]?.array ?? [] }
        guard replies.allSatisfy({ $0.status == .ok }) else { return replies[0] }
        return .json(["keys": .array(keys)])
    }
}

extension Reply {
    /// Whether a request was refused, on the page or in a callback.
    fileprivate var isRefusal: Bool {
        if status.code >= 400 { return true }
        guard status.kind == .redirection, let location = headers[.location] else { return false }
        return location.contains("?error=") || location.contains("&error=") || location.contains("#error=")
    }
}
