import CarnetCatalog
import CarnetDescriptors
import CarnetFoundation
import CarnetLint

/// Where providers are looked for: built in, the user's configuration folder, `CARNET_PROVIDERS` and `--providers`, of
/// which a later place overrides an earlier provider of the same id; and `./providers`, which may add ids and override
/// none, because nobody named it: it may be part of something that was downloaded. While something cannot be read in a
/// named place, `./providers` adds nothing, because that something may have any id.
struct ProviderSources {
    static let unnamedFolder = "providers"

    let registry: ProviderRegistry
    /// ` --providers FOLDER` for each folder that was given so.
    let option: String
    /// The folders that were read.
    let folders: [String]
    /// Files and folders that could not be read at all.
    let unreadable: [SourceFileError]

    /// - Parameter isQuiet: Whether nothing is said about files that are not used, because the provider is one file.
    /// - Throws: `Failure` if a folder of `--providers` cannot be read, or if others can write to the user's
    ///   configuration.
    init(_ options: ProviderOptions, _ context: CommandContext, isQuiet: Bool = false) throws {
        let configuration = ConfigurationFolder(context.environment)
        try configuration.check()
        var registry = ProviderRegistry.builtIn
        var unreadable: [SourceFileError] = []
        var read: [String] = []
        func add(_ path: String, overriding: Bool = true) {
            do throws(SourceFileError) {
                unreadable += try registry.add(folder: path, overriding: overriding)
                read.append(path)
            } catch {
                unreadable.append(error)
            }
        }
        for place in [configuration.resources, configuration.providers] where !Path.isAbsent(place) { add(place) }
        for path in context.environment.providerFolders { add(path) }
        for path in options.folders {
            guard Path.isFolder(path) else {
                throw Failure(.usage, "--providers \(path): the folder does not exist")
            }
            unreadable += try registry.add(folder: path)
            read.append(path)
        }
        let isNamed = read.contains { Self.place($0) == Self.place(Self.unnamedFolder) }
        if !isNamed, Path.isFolder(Self.unnamedFolder) { add(Self.unnamedFolder, overriding: false) }
        folders = read
        option = options.folders.map { " --providers \($0.shellWord)" }.joined()
        self.registry = registry
        self.unreadable = unreadable
        if !isQuiet || !registry.withheld.isEmpty { warnAboutUnusable(context.console) }
        if !isQuiet { warnAboutRefused(context.console) }
    }

    /// The canonical path of a folder; `nil` if it does not exist.
    private static func place(_ path: String) -> String? {
        guard let place = realpath(path, nil) else { return nil }
        defer { free(place) }
        return String(cString: place)
    }

    /// - Throws: `UnknownProviderError` with the nearest names.
    func entry(_ name: String) throws -> ProviderRegistry.Entry {
        try registry.entry(named: name)
    }

    /// The provider of a name, or of the URL of a resource at which somebody signed in.
    ///
    /// - Throws: `UnknownProviderError` with the nearest names; `NobodySignedIn` for an unknown resource.
    func entry(nameOrResource text: String) throws -> ProviderRegistry.Entry {
        guard Self.isResource(text) else { return try entry(text) }
        let resource = try Self.resource(text)
        let id = ProviderRegistry.id(ofResource: resource)
        guard let entry = try? self.entry(id.rawValue), entry.descriptor.describes(resource) else {
            throw NobodySignedIn(
                failure: Failure(
                    .failed, "nobody is signed in to \(text)", next: ["run carnet login \(text.shellWord)"]))
        }
        return entry
    }

    /// Whether a provider is named by the URL of a protected resource.
    static func isResource(_ name: String) -> Bool { name.hasPrefix("https://") || name.hasPrefix("http://") }

    /// - Parameter isPlain: Whether the user has accepted http on any host.
    /// - Throws: `Failure` for a URL that cannot be requested.
    static func resource(_ text: String, isPlain: Bool = false) throws -> WebURL {
        try WebURL(given: text, as: text.printable, isPlain: isPlain)
    }

    /// Whether a provider is named by its file: by what has a `/` or the ending of a YAML file.
    static func isFile(_ name: String) -> Bool {
        !isResource(name) && (name.contains("/") || name.hasSuffix(".yaml") || name.hasSuffix(".yml"))
    }

    /// The provider of a name or of a file.
    ///
    /// - Throws: `Failure` with everything that is wrong with the file.
    func entry(nameOrFile: String, _ console: Console) throws -> ProviderRegistry.Entry {
        guard Self.isFile(nameOrFile) else { return try entry(nameOrResource: nameOrFile) }
        let file = try SourceFile(readingFrom: nameOrFile)
        let files = try file.parentsBeside() + [file]
        let all = registry.adding(files)
        let broken = all.broken.first { files.contains($0.file) }
        guard broken == nil, let entry = all.entries.first(where: { $0.origin == .file(nameOrFile) }) else {
            throw Failure(diagnostics: broken?.diagnostics ?? [], in: broken?.file ?? file, console)
        }
        return entry
    }

    /// One line for each file that may not override.
    private func warnAboutRefused(_ console: Console) {
        for source in registry.refused {
            guard let id = source.document.id else { continue }
            let taken = (try? registry.entry(named: id.rawValue)).map { entry in
                entry.origin == .builtIn ? "built in" : "that of \(entry.document.file.path.printable)"
            }
            console.warn(
                "\(source.document.file.path.printable) is ignored: the id \(id) is \(taken ?? "that of a file with errors"), "
                    + "and ./providers overrides nothing unless it is named; to use it, add --providers \(Self.unnamedFolder)"
            )
        }
    }

    /// One line for each file and folder that cannot be used, and one for what follows from it.
    private func warnAboutUnusable(_ console: Console) {
        for error in unreadable { console.warn(error.description.printable) }
        for document in registry.broken {
            let errors = counted(document.diagnostics.count { $0.severity == .error }, "error")
            console.warn("\(document.file.path.printable) has \(errors) and is skipped; run carnet lint on it")
        }
        guard !registry.withheld.isEmpty else { return }
        console.warn(
            "./providers is ignored: a file that cannot be read, or has no valid id, may be the provider that you mean; "
                + "fix it, or add --providers \(Self.unnamedFolder)")
    }
}

extension WebURL {
    /// - Parameter name: The name of the URL in a message.
    /// - Throws: `Failure` for a URL that cannot be requested.
    init(given text: String, as name: String, isPlain: Bool = false) throws {
        do throws(WebURLError) {
            self = try WebURL(text, isPlain: isPlain)
        } catch {
            throw Failure(.usage, "\(name): \(error.reason)")
        }
    }
}

extension ProviderRegistry {
    /// The registry with files that override it, each a place of its own.
    func adding(_ files: [SourceFile]) -> ProviderRegistry {
        var all = self
        for file in files { all.add([file], origin: .file(file.path)) }
        return all
    }
}

extension ProviderRegistry.Entry {
    /// The files that the descriptor is made of, its own first, but for those that are built in.
    var files: [String] { document.sources.files.filter { !$0.isEmbedded }.map(\.path) }
}

extension ProviderRegistry.Origin {
    func text(_ environment: HostEnvironment) -> String {
        switch self {
        case .builtIn: "built in"
        case .folder(let path), .file(let path): environment.shortened(path)
        }
    }
}
