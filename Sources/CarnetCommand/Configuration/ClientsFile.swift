import CarnetDescriptors
import CarnetProtocol
import Foundation

/// A file of client registrations: provider id -> `client_id`, `client_secret` or `client_secret_env` or
/// `client_secret_file`, `client_key_file` or `client_key_env`, `client_key_id`, `decryption_key_file`, `redirect_uri`,
/// `post_logout_redirect_uri`, `inputs`, `environment`, `scopes`.
struct ClientsFile {
    let file: SourceFile
    /// Everything that is wrong with the file, with places.
    let diagnostics: [Diagnostic]
    private let entries: [ClientsFileEntry]

    init(_ file: SourceFile) {
        let document = YAMLReader().read(file)
        var reader = ClientsFileReader(file: file.path)
        // The reader's own words are about descriptors; a file with no registration yet is no mistake.
        let isEmpty = document.root == nil && file.bytes.allSatisfy { $0 == 0x20 || $0 == 0x0A || $0 == 0x0D }
        entries = isEmpty ? [] : reader.entries(document.root)
        self.file = file
        diagnostics = isEmpty ? [] : (document.diagnostics + reader.diagnostics).sorted()
    }

    /// What the file says of a provider; secret and keys are fetched from where the file says they are.
    ///
    /// - Throws: `Failure` if there are none, or none that can be used.
    func source(for id: ProviderID, environment: HostEnvironment) throws -> ClientSource? {
        guard let entry = entries.first(where: { $0.id == id.rawValue }) else { return nil }
        var source = entry.source
        source.clientSecret = try secret(entry.secret, environment)
        source.signingKey = try entry.key?.below(folder).signingKey(id: entry.keyID, environment)
        source.decryptionKeys = try entry.decryptionKey?.below(folder).keys(id: nil, environment)
        return source
    }

    private func secret(_ place: ClientsFileEntry.SecretPlace?, _ environment: HostEnvironment) throws -> Secret? {
        switch place {
        case nil: return nil
        case .inline(let secret): return secret
        case .variable(let name):
            guard let text = environment[name], !text.isEmpty else {
                throw Failure(.usage, "\(file.path): client_secret_env: the variable \(name) is not set")
            }
            return Secret(text)
        case .file(let path):
            let full = path.hasPrefix("/") || folder.isEmpty ? path : folder + "/" + path
            let bytes = try SourceFile(readingFrom: full, maximumBytes: 1 << 16).bytes
            let text = String(decoding: bytes, as: UTF8.self).trimmingCharacters(in: .newlines)
            guard !text.isEmpty else { throw Failure(.usage, "\(full): the client secret is empty") }
            return Secret(text)
        }
    }

    /// Where the file is; paths in it are relative to that.
    private var folder: String { (file.path as NSString).deletingLastPathComponent }

    /// The files with a secret or a private key that other users of the machine can read, this one or those it names.
    var exposedFiles: [(path: String, what: String)] {
        let holdsSecret = entries.contains { if case .inline = $0.secret { true } else { false } }
        let keys = entries.flatMap { [$0.key, $0.decryptionKey] }.compactMap { $0?.below(folder).path }
        let candidates = (holdsSecret ? [(file.path, "client secret")] : []) + keys.map { ($0, "private key") }
        return candidates.filter { path, _ in
            let attributes = try? FileManager.default.attributesOfItem(atPath: path)
            return (attributes?[.posixPermissions] as? Int).map { $0 & 0o077 != 0 } ?? false
        }
    }
}

/// The registration of one provider, as written.
struct ClientsFileEntry {
    enum SecretPlace {
        case inline(Secret)
        case variable(String)
        case file(String)
    }

    let id: String
    var source = ClientSource()
    var secret: SecretPlace?
    var key: KeyPlace?
    var keyID: String?
    var decryptionKey: KeyPlace?
}
