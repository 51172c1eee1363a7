import CarnetCatalog
import CarnetDescriptors
import Foundation

/// Where providers are looked for: built in, the user's configuration folder, `CARNET_PROVIDERS`, `./providers`, and
/// `--providers`. A later place hides an earlier provider of the same id.
struct ProviderSources {
    private struct Folder {
        let path: String
        /// Whether somebody asked for it, so that its absence is worth a word.
        let isNamed: Bool
    }

    let registry: ProviderRegistry
    /// The folders that were read, in this order.
    let folders: [String]
    /// Files and folders that could not be read at all.
    let unreadable: [SourceFileError]

    /// - Throws: `Failure` if a folder of `--providers` cannot be read.
    init(_ options: ProviderOptions, environment: HostEnvironment) throws {
        var registry = ProviderRegistry.builtIn
        var unreadable: [SourceFileError] = []
        var read: [String] = []
        var folders = [Folder(path: environment.configurationFolder + "/providers", isNamed: false)]
        folders += environment.providerFolders.map { Folder(path: $0, isNamed: true) }
        folders.append(Folder(path: "providers", isNamed: false))
        for folder in folders where folder.isNamed || Self.isFolder(folder.path) {
            do throws(SourceFileError) {
                unreadable += try registry.add(folder: folder.path)
                read.append(folder.path)
            } catch {
                unreadable.append(error)
            }
        }
        for path in options.folders {
            guard Self.isFolder(path) else {
                throw Failure(.usage, "--providers \(path): no such folder")
            }
            unreadable += try registry.add(folder: path)
            read.append(path)
        }
        self.folders = read
        self.registry = registry
        self.unreadable = unreadable
    }

    private static func isFolder(_ path: String) -> Bool {
        var isDirectory: ObjCBool = false
        return FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory) && isDirectory.boolValue
    }

    /// The provider of a name.
    ///
    /// - Throws: `UnknownProviderError` with the nearest names.
    func entry(_ name: String) throws -> ProviderRegistry.Entry {
        try registry.entry(named: name)
    }

    /// The provider of a name or of a file, which is what has a `/` or the ending of a YAML file.
    ///
    /// - Throws: `Failure` with everything that is wrong with the file.
    func entry(nameOrFile: String, _ console: Console) throws -> ProviderRegistry.Entry {
        let isFile = nameOrFile.contains("/") || nameOrFile.hasSuffix(".yaml") || nameOrFile.hasSuffix(".yml")
        guard isFile else { return try entry(nameOrFile) }
        let file = try SourceFile(readingFrom: nameOrFile)
        var all = registry
        let origin = ProviderRegistry.Origin.file(nameOrFile)
        all.add([file], origin: origin)
        guard let entry = all.entries.first(where: { $0.origin == origin }) else {
            let broken = all.broken.filter { $0.file == file }
            throw Failure(diagnostics: broken.last?.diagnostics ?? [], in: file, console)
        }
        return entry
    }

    /// One line for each file that cannot be used.
    func warnAboutBroken(_ console: Console) {
        for error in unreadable { console.warn(error.description.printable) }
        for document in registry.broken {
            let count = document.diagnostics.count { $0.severity == .error }
            let errors = "\(count) error\(count == 1 ? "" : "s")"
            console.warn("\(document.file.path.printable) has \(errors) and is left out; run carnet lint on it")
        }
    }
}

extension ProviderRegistry.Origin {
    func text(_ environment: HostEnvironment) -> String {
        switch self {
        case .builtIn: "built in"
        case .folder(let path), .file(let path): environment.shortened(path)
        }
    }
}
