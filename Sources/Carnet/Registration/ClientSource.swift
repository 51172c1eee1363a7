package import CarnetDescriptors
import CarnetFoundation
package import CarnetProtocol

/// The values that one source has for a client registration. Any value may be missing.
package struct ClientSource: Sendable {
    package var clientID: String?
    package var clientSecret: Secret?
    package var signingKey: ClientKey?
    package var certificate: ClientCertificate?
    package var dpopKey: ClientKey?
    package var decryptionKeys: [ClientKey]?
    package var redirectURI: String?
    package var postLogoutRedirectURI: String?
    package var inputs: [String: String] = [:]
    package var environment: String?
    package var scopes: [String]?
    /// The origins that the client's credentials may be sent to.
    package var origins: [String]?

    package init(
        clientID: String? = nil, redirectURI: String? = nil, inputs: [String: String] = [:], environment: String? = nil
    ) {
        (self.clientID, self.redirectURI, self.inputs, self.environment) = (clientID, redirectURI, inputs, environment)
    }

    /// The client of everybody, at a provider that publishes one.
    package init(publishedBy descriptor: ProviderDescriptor) { self.init(clientID: descriptor.client.publishedID) }

    package var isEmpty: Bool {
        clientID == nil && clientSecret == nil && signingKey == nil && certificate == nil && dpopKey == nil
            && decryptionKeys == nil && redirectURI == nil
            && postLogoutRedirectURI == nil && inputs.isEmpty
            && environment == nil && scopes == nil && origins == nil
    }

    /// Whether it has a part in where requests are sent.
    package var choosesServers: Bool { !inputs.isEmpty || environment != nil || origins != nil }

    /// What the client authenticates, signs or decrypts with; `nil` if it has nothing of this.
    package var credential: String? {
        if clientSecret != nil { return "client secret" }
        if signingKey != nil { return "client's key" }
        if certificate != nil { return "client's certificate" }
        if dpopKey != nil { return "DPoP key" }
        return decryptionKeys == nil ? nil : "decryption key"
    }
}

extension ClientSource {
    /// Merges sources. For each value, the first source that has it wins.
    ///
    /// A place that names another client id than the winning one belongs to another registration: only its inputs count.
    package init(merging sources: [ClientSource]) {
        let clientID = sources.lazy.compactMap(\.clientID).first
        let own = sources.filter { $0.clientID == nil || $0.clientID == clientID }
        func first<Value>(_ value: (ClientSource) -> Value?) -> Value? { own.lazy.compactMap(value).first }
        self.init(clientID: clientID)
        clientSecret = first(\.clientSecret)
        signingKey = first(\.signingKey)
        certificate = first(\.certificate)
        dpopKey = first(\.dpopKey)
        decryptionKeys = first(\.decryptionKeys)
        redirectURI = first(\.redirectURI)
        postLogoutRedirectURI = first(\.postLogoutRedirectURI)
        for source in sources { inputs.merge(source.inputs) { earlier, _ in earlier } }
        environment = first(\.environment)
        scopes = first(\.scopes)
        origins = first(\.origins)
    }
}

// MARK: - The environment

extension ClientSource {
    /// `CARNET_ACME_CLIENT_ID`, `..._CLIENT_SECRET` or `..._CLIENT_SECRET_FILE`, `..._CLIENT_KEY` or `..._CLIENT_KEY_FILE`, `..._CLIENT_KEY_ID`,
    /// `..._CLIENT_CERTIFICATE_FILE`, `..._CLIENT_CERTIFICATE_KEY_FILE`, `..._DPOP_KEY_FILE`, `..._DECRYPTION_KEY_FILE`,
    /// `..._REDIRECT_URI`, `..._POST_LOGOUT_REDIRECT_URI`, `..._SCOPES`, `..._ENVIRONMENT` and `..._INPUT_DOMAIN`.
    ///
    /// - Throws: `RegistrationError` if a key cannot be read.
    package init(of descriptor: ProviderDescriptor, in environment: [String: String]) throws {
        let prefix = Self.variable(descriptor.id, "")
        func value(_ name: String) -> String? { environment[prefix + name].flatMap { $0.isEmpty ? nil : $0 } }
        clientID = value("CLIENT_ID")
        clientSecret =
            try value("CLIENT_SECRET").map { Secret($0) }
            ?? value("CLIENT_SECRET_FILE").map { try ClientsFile.secret(inFile: $0) }
        let keyPlace = ["CLIENT_KEY", "CLIENT_KEY_FILE"].lazy.compactMap { name in
            value(name).map { name == "CLIENT_KEY" ? KeyPlace.variable(prefix + name) : .file($0) }
        }.first
        signingKey = try keyPlace?.signingKey(id: value("CLIENT_KEY_ID"), environment)
        certificate = try value("CLIENT_CERTIFICATE_FILE").map { path in
            try KeyPlace.file(path).certificate(
                key: value("CLIENT_CERTIFICATE_KEY_FILE").map { .file($0) }, environment)
        }
        dpopKey = try value("DPOP_KEY_FILE").map { try KeyPlace.file($0).signingKey(id: nil, environment) }
        decryptionKeys = try value("DECRYPTION_KEY_FILE").map { try KeyPlace.file($0).keys(id: nil, environment) }
        redirectURI = value("REDIRECT_URI")
        postLogoutRedirectURI = value("POST_LOGOUT_REDIRECT_URI")
        self.environment = value("ENVIRONMENT")
        scopes = value("SCOPES")?.split(separator: " ").map(String.init)
        for name in environment.keys where name.hasPrefix(prefix + "INPUT_") {
            let written = name.dropFirst((prefix + "INPUT_").count)
            // A name that is not declared is kept, so that a misspelled one is reported.
            let declared = descriptor.inputs.names.first { $0.uppercased() == written } ?? written.lowercased()
            inputs[declared] = environment[name]
        }
    }

    /// The name of a variable about a provider.
    package static func variable(_ id: ProviderID, _ name: String) -> String {
        // Each hyphen counts: `acme-` must not be given what is meant for `acme`.
        "CARNET_\(id.rawValue.uppercased().replacing("-", with: "_"))_\(name)"
    }
}
