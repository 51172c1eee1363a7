import CarnetHTTP
import CarnetTool

func clientOnAsyncHTTPClient() throws -> OAuthClient {
    try OAuthClient(.google, clients: "clients.yaml", transport: AsyncHTTPTransport())
}

func clientWithFiles() throws -> OAuthClient {
    try OAuthClient(.google, clients: "clients.yaml", store: FileTokenStore(folder: "tokens"))
}
