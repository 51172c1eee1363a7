import CarnetDescriptors
import CarnetProtocol
import Foundation

/// A file of client registrations: provider id -> `client_id`, `client_secret` or `client_secret_env` or
/// `client_secret_file`, `redirect_uri`, `inputs`, `environment`, `scopes`.
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

    /// What the file says of a provider; the secret is fetched from where the file says it is.
    ///
    /// - Throws: `Failure` if there is no secret there.
    func source(for id: ProviderID, environment: HostEnvironment) throws -> ClientSource? {
        guard let entry = entries.first(where: { $0.id == id.rawValue }) else { return nil }
        var source = entry.source
        source.clientSecret = try secret(entry.secret, environment)
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
            let folder = (file.path as NSString).deletingLastPathComponent
            let full = path.hasPrefix("/") || folder.isEmpty ? path : folder + "/" + path
            let bytes = try SourceFile(readingFrom: full, maximumBytes: 1 << 16).bytes
            let text = String(decoding: bytes, as: UTF8.self).trimmingCharacters(in: .newlines)
            guard !text.isEmpty else { throw Failure(.usage, "\(full): the client secret is empty") }
            return Secret(text)
        }
    }

    /// Whether the file holds a secret that other users of the machine can read.
    var isSecretExposed: Bool {
        let holdsSecret = entries.contains { if case .inline = $0.secret { true } else { false } }
        let attributes = try? FileManager.default.attributesOfItem(atPath: file.path)
        guard holdsSecret, let mode = attributes?[.posixPermissions] as? Int else { return false }
        return mode & 0o077 != 0
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
}
