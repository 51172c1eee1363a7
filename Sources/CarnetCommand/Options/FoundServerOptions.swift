import ArgumentParser

/// How a client of the authorization server of a resource comes to be.
struct FoundServerOptions: ParsableArguments {
    @Option(
        "client-id-document", value: "url",
        "The URL of the client's metadata, for a resource whose server takes it as the client id. Otherwise a client is registered."
    )
    var document: String?

    @Option(
        "authorization-host", value: "host",
        "A host that belongs to the authorization server of the resource, although its issuer is at another host, or that of the server to use if the resource names several. Repeatable."
    )
    var authorizationHosts: [String] = []
}
