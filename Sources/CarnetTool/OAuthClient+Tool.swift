public import Carnet
import CarnetCatalog
import CarnetFoundation
import CarnetStorage
import CarnetUserAgent

#if os(Linux)
    import CarnetCurl
#else
    import CarnetURLSession
#endif

extension OAuthClient {
    /// A client of a tool or of a site at a provider. What is not given comes from the clients file and the environment; see
    /// `ClientRegistration.init(of:clientID:redirectURI:clients:environment:)`.
    ///
    /// - Parameters:
    ///   - clients: The path of a clients file, such as `clients.yaml`.
    ///   - providers: A folder with descriptors, in addition to the built-in ones, which they override.
    ///   - transport: By default the system's libcurl on Linux, and URLSession elsewhere.
    ///   - store: By default encrypted files in the user's data folder, in a folder with the program's name.
    /// - Throws: An error that names the missing or invalid value; for a file, with line and column.
    public convenience init(
        _ provider: ProviderID, clientID: String? = nil, redirectURI: String? = nil, clients: String? = nil,
        providers: String? = nil, transport: (any Transport)? = nil, store: (any TokenStore)? = nil
    ) throws {
        try self.init(
            of: provider, clientID: clientID, redirectURI: redirectURI, clients: clients, providers: providers,
            transport: transport ?? Self.systemTransport, store: store ?? FileTokenStore(folder: Self.dataFolder))
    }

    /// The session of the account that signed in before. Without one, the user signs in with the system's browser.
    ///
    /// - Throws: `OAuthError`, `TokenStoreError`, `CancellationError`.
    public func session() async throws -> Session {
        if let session = try await storedSession() { return session }
        return try await signIn(with: LoopbackUserAgent())
    }

    private static var systemTransport: any Transport {
        #if os(Linux)
            CurlTransport()
        #else
            URLSessionTransport()
        #endif
    }

    /// The program's folder for tokens (XDG Base Directory Specification).
    private static var dataFolder: String {
        let process = ProcessInfo.processInfo
        let home = process.environment["HOME"] ?? FileManager.default.homeDirectoryForCurrentUser.path
        let data = process.environment["XDG_DATA_HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil }
        return "\(data ?? "\(home)/.local/share")/\(process.processName)/tokens"
    }
}
