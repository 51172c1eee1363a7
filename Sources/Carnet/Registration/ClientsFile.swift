package import CarnetDescriptors
import CarnetFoundation
package import CarnetProtocol

/// A file of client registrations, one for each provider id, with the keys of `ClientsFileEntry`.
package struct ClientsFile {
    package let file: SourceFile
    /// Everything that is wrong with the file, with places.
    package let diagnostics: [Diagnostic]
    private let entries: [ClientsFileEntry]

    package init(_ file: SourceFile) {
        let document = YAMLReader().read(file)
        var decoder = DescriptorDecoder(file: file.path, hidesValues: true)
        // The reader's finding is about descriptors; a clients file without a registration is valid.
        let isEmpty = document.root == nil && document.diagnostics.map(\.code) == [ReaderDiagnostics.emptyFile.code]
        entries = isEmpty ? [] : ClientsFileEntry.entries(document.root, &decoder)
        self.file = file
        diagnostics = isEmpty ? [] : (document.diagnostics + decoder.diagnostics).sorted()
    }

    /// Each value that is probably not what was meant, such as the name of a variable: it is used as it is written.
    package func oddities(_ environment: [String: String]) -> [String] {
        entries.flatMap { entry -> [String] in
            var lines = entry.oddities.map { key, value in
                let name = value.nameOfVariable
                let isOfSecret = name != nil && ["client_secret", "client_secret_env"].contains(key)
                return "\(file.path): \(entry.id).\(key) \(value.oddity ?? ""), and is sent as it is written"
                    + (isOfSecret ? "; write client_secret_env: \(name ?? "")" : "; write the value")
            }
            let place = entry.secretPlace?.below(folder)
            if let source = place?.path ?? place?.variable.map({ "the variable \($0)" }),
                let oddity = (try? secret(of: entry, environment))?.reveal().oddity
            {
                lines.append("\(source): the client secret \(oddity), and is sent as it is written")
            }
            return lines
        }
    }

    package var ids: [String] { entries.map(\.id) }

    /// What the file says of a provider; secret and keys are fetched from where the file says they are.
    ///
    /// - Throws: `RegistrationError` if there is no usable registration.
    package func source(for id: ProviderID, environment: [String: String]) throws -> ClientSource? {
        guard let entry = entries.first(where: { $0.id == id.rawValue }) else { return nil }
        var source = entry.source
        source.clientSecret = try secret(of: entry, environment)
        source.signingKey = try reading("client_key_file", of: entry) {
            try entry.key?.below(folder).signingKey(id: entry.keyID, environment)
        }
        source.certificate = try reading("client_certificate_file", of: entry) {
            try entry.certificate?.below(folder).certificate(key: entry.certificateKey?.below(folder), environment)
        }
        source.dpopKey = try reading("dpop_key_file", of: entry) {
            try entry.dpopKey?.below(folder).signingKey(id: nil, environment)
        }
        source.decryptionKeys = try reading("decryption_key_file", of: entry) {
            try entry.decryptionKey?.below(folder).keys(id: nil, environment)
        }
        return source
    }

    /// - Throws: `RegistrationError` with the place of the key, if the file that it names cannot be read.
    private func reading<Value>(_ key: String, of entry: ClientsFileEntry, _ read: () throws -> Value) throws -> Value {
        do {
            return try read()
        } catch let error as SourceFileError {
            throw RegistrationError("\(place(of: key, entry)): \(error)")
        }
    }

    private func place(of key: String, _ entry: ClientsFileEntry) -> String {
        let line = entry.lines.first { $0.key == key }.map { ":\($0.line)" } ?? ""
        return "\(file.path)\(line): \(key)"
    }

    /// The registration of a provider as it can be managed, with the keys that sign for it and what else the file says;
    /// `nil` if the file has none.
    ///
    /// - Throws: `RegistrationError` if it did not register itself.
    package func registeredClient(
        for id: ProviderID, environment: [String: String]
    ) throws -> (client: RegisteredClient, keys: [ClientKey], source: ClientSource)? {
        guard let entry = entries.first(where: { $0.id == id.rawValue }) else { return nil }
        guard let clientID = entry.source.clientID, let uri = entry.managementURI, let token = entry.managementToken
        else {
            throw RegistrationError(
                "\(file.path) has a registration for \(id) that this command cannot manage",
                next: [
                    "choose another file with --output, and pass it later with --clients",
                    "or remove the entry: it has no registration_client_uri and registration_access_token",
                ]
            )
        }
        let secret = try self.secret(of: entry, environment)
        let keys = try reading("client_key_file", of: entry) {
            try entry.key?.below(folder).keys(id: entry.keyID, environment) ?? []
        }
        do throws(WebURLError) {
            let client = RegisteredClient(
                clientID: clientID, clientSecret: secret,
                authenticationMethod: secret != nil ? .clientSecretBasic : keys.isEmpty ? .none : .privateKeyJWT,
                redirectURIs: [entry.source.redirectURI].compactMap { $0 }, managementURI: try WebURL(uri),
                managementToken: token, origins: entry.source.origins)
            return (client, keys, entry.source)
        } catch {
            throw RegistrationError("\(file.path): registration_client_uri: \(error.reason)")
        }
    }

    private func secret(of entry: ClientsFileEntry, _ environment: [String: String]) throws -> Secret? {
        switch entry.secret {
        case nil: return nil
        case .inline(let secret): return secret
        case .elsewhere(.variable(let name)):
            do throws(VariableError) {
                return Secret(try environment.value(ofVariable: name, at: place(of: "client_secret_env", entry)))
            } catch {
                throw RegistrationError(error.reason, next: [error.next()])
            }
        case .elsewhere(.file(let path)):
            return try reading("client_secret_file", of: entry) { try Self.secret(inFile: below(path)) }
        }
    }

    static func secret(inFile path: String) throws -> Secret {
        let text = try SourceFile(readingFrom: path, maximumBytes: 1 << 16).exactText().trimming(\.isNewline)
        guard !text.isEmpty else {
            throw RegistrationError("\(path): the client secret is empty", next: ["write the secret into this file"])
        }
        return Secret(String(text))
    }

    /// Where the file is; paths in it are relative to that.
    private var folder: String { Path.folder(of: file.path) }

    private func below(_ path: String) -> String { path.hasPrefix("/") || folder.isEmpty ? path : folder + "/" + path }

    /// The files with a secret, a certificate or a private key that this file names.
    package var files: [String] { entries.flatMap(\.places).compactMap { $0.below(folder).path } }

    /// The environment variables with a secret or a private key that this file names.
    package var secretVariables: [String] { entries.flatMap(\.places).compactMap(\.variable) }

    /// The files with a secret or a private key that other users of the machine can read, this one or those it names.
    ///
    /// - Parameter isSecret: Whether an input of a provider is secret.
    package func exposedFiles(isSecret: (ProviderID, String) -> Bool) -> [(path: String, what: String)] {
        let holdsSecret = entries.contains { entry in
            if case .inline = entry.secret { true } else { entry.managementToken != nil }
        }
        let holdsInput = entries.contains { entry in
            entry.source.inputs.keys.contains { isSecret(ProviderID(rawValue: entry.id), $0) }
        }
        let keys = entries.flatMap { [$0.key, $0.certificateKey ?? $0.certificate, $0.dpopKey, $0.decryptionKey] }
            .compactMap { $0?.below(folder).path }
        let secrets = entries.compactMap { $0.secretPlace?.below(folder).path }
        let candidates =
            ((holdsSecret ? [file.path] : []) + secrets).map { ($0, "client secret") }
            + (holdsInput && !holdsSecret ? [(file.path, "secret input")] : [])
            + keys.map { ($0, "private key") }
        return candidates.filter { path, _ in Path.isOpenToOthers(path) }
    }
}
