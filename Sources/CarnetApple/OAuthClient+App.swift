#if canImport(Security)
    public import Carnet
    import CarnetCatalog
    import CarnetURLSession
    import Foundation

    extension OAuthClient {
        /// A client of an app at a provider. Values that are not given come from the clients file; see
        /// `ClientRegistration.init(of:clientID:redirectURI:clients:environment:)`.
        ///
        /// - Parameters:
        ///   - clients: The path of a clients file; by default `clients.yaml` of the app's bundle, if it has one.
        ///   - providers: A folder with descriptors, in addition to the built-in ones, which they override; by default the
        ///     app's bundle.
        ///   - transport: URLSession by default.
        ///   - store: The Keychain by default.
        ///   - usedTokens: As for the other initializer.
        /// - Throws: An error that names the missing or invalid value; for a file, with line and column. It is in the log, too.
        public convenience init(
            _ provider: ProviderID, clientID: String? = nil, redirectURI: String? = nil, clients: String? = nil,
            providers: String? = nil, transport: (any Transport)? = nil, store: (any TokenStore)? = nil,
            usedTokens: (any UsedTokenStore)? = nil
        ) throws {
            try self.init(
                of: provider, clientID: clientID, redirectURI: redirectURI,
                clients: clients ?? Bundle.main.path(forResource: "clients", ofType: "yaml"),
                providers: providers ?? Bundle.main.resourcePath, transport: transport ?? URLSessionTransport(),
                store: store ?? KeychainStore(), usedTokens: usedTokens, logger: Self.appLog)
        }
    }
#endif

#if canImport(AuthenticationServices) && !os(watchOS) && !os(tvOS)
    extension OAuthClient {
        /// The session of the account that signed in before. Without one, the user signs in.
        ///
        /// - Parameter agent: Shows the page, by default in the system's sheet.
        /// - Throws: `OAuthError`, `TokenStoreError`, `CancellationError`.
        @available(iOSApplicationExtension, unavailable)
        @available(visionOSApplicationExtension, unavailable)
        public func session(
            with agent: any UserAgent = WebAuthenticationSessionUserAgent()
        ) async throws -> Session {
            if let session = try await storedSession() { return session }
            return try await signIn(with: agent)
        }
    }

    extension SignInModel {
        /// The sign-in with the system's sheet.
        @available(iOSApplicationExtension, unavailable)
        @available(visionOSApplicationExtension, unavailable)
        public convenience init(_ client: OAuthClient) { self.init(client, agent: WebAuthenticationSessionUserAgent()) }
    }
#endif
