public import Carnet
import CarnetCatalog
import CarnetFoundation
import CarnetStorage
import CarnetUserAgent

#if os(Linux)
    public import CarnetCurl

    /// The transport that needs no library besides the system's: libcurl on Linux, URLSession elsewhere.
    public typealias SystemTransport = CurlTransport
#else
    public import CarnetURLSession

    /// The transport that needs no library besides the system's: libcurl on Linux, URLSession elsewhere.
    public typealias SystemTransport = URLSessionTransport
#endif

extension OAuthClient {
    /// A client of a tool or of a site at a provider. Values that are not given come from the clients file and the environment; see
    /// `ClientRegistration.init(of:clientID:redirectURI:clients:environment:)`.
    ///
    /// - Parameters:
    ///   - clients: The path of a clients file, such as `clients.yaml`.
    ///   - providers: A folder with descriptors, in addition to the built-in ones, which they override.
    ///   - transport: `SystemTransport` by default.
    ///   - store: By default encrypted files in the user's data folder, in a folder with the program's name.
    ///   - usedTokens: As for the other initializer.
    /// - Throws: An error that names the missing or invalid value; for a file, with line and column.
    public convenience init(
        _ provider: ProviderID, clientID: String? = nil, redirectURI: String? = nil, clients: String? = nil,
        providers: String? = nil, transport: (any Transport)? = nil, store: (any TokenStore)? = nil,
        usedTokens: (any UsedTokenStore)? = nil
    ) throws {
        try self.init(
            of: provider, clientID: clientID, redirectURI: redirectURI, clients: clients, providers: providers,
            transport: transport ?? SystemTransport(), store: store ?? FileTokenStore(folder: Self.dataFolder),
            usedTokens: usedTokens)
    }

    /// The session of the account that signed in before. Without one, the user signs in.
    ///
    /// - Parameter agent: Shows the page, by default in the system's browser.
    /// - Throws: `OAuthError`, `TokenStoreError`, `CancellationError`.
    public func session(with agent: any UserAgent = LoopbackUserAgent()) async throws -> Session {
        if let session = try await storedSession() { return session }
        return try await signIn(with: agent)
    }

    /// The program's folder for tokens (XDG Base Directory Specification).
    private static var dataFolder: String {
        let process = ProcessInfo.processInfo
        let home = process.environment["HOME"] ?? FileManager.default.homeDirectoryForCurrentUser.path
        let data = process.environment["XDG_DATA_HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil }
        return "\(data ?? "\(home)/.local/share")/\(process.processName)/tokens"
    }
}
