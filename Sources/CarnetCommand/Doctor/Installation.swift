import Carnet
import CarnetCatalog
import CarnetDescriptors
import CarnetFoundation
import CarnetLint
import CarnetStorage
import CarnetTransport

#if os(Linux)
    import CarnetCurl
#endif

/// The installation of this program on this machine, and the user's files. Checking changes nothing and sends nothing.
struct Installation {
    let context: CommandContext
    let now: Date

    private var environment: HostEnvironment { context.environment }

    func checks() async -> [InstallationCheck] {
        var checks = [program, catalogue, clock] + network + [configuration] + clients + providers
        checks += [await store(ofSandbox: false), await store(ofSandbox: true)].compactMap { $0 }
        return checks + [browser]
    }

    // MARK: The program

    private var program: InstallationCheck { .ok("program", "carnet \(Version.text)") }

    private var catalogue: InstallationCheck {
        let count = ProviderRegistry.builtIn.ids.count
        return count == 0
            ? .problem("catalogue", "no provider is built in", next: "install carnet again")
            : .ok("catalogue", "\(count) providers are built in")
    }

    /// A clock that is behind rejects tokens as issued in the future; one that is far ahead rejects certificates.
    private var clock: InstallationCheck {
        // The catalogue was built after its providers were compared.
        let newest = ProviderRegistry.builtIn.entries.compactMap(\.descriptor.verified?.date).max() ?? ""
        let today = String(now.formatted(.iso8601).prefix(10))
        let years = (Int(today.prefix(4)) ?? 0) - (Int(newest.prefix(4)) ?? 0)
        guard today >= newest, years < 20 else {
            let distance = today < newest ? "before \(newest), when" : "\(years) years after"
            return .problem("clock", "the date is \(today), \(distance) carnet was built", next: "set the clock")
        }
        return .ok("clock", "the date is \(today)")
    }

    // MARK: The network

    #if os(Linux)
        private var network: [InstallationCheck] {
            let curl: InstallationCheck
            if let library = CurlLibrary.loaded {
                curl =
                    library.tls.map { .ok("libcurl", "libcurl \(library.version) with \($0)") }
                    ?? .problem(
                        "libcurl", "libcurl \(library.version) has no TLS",
                        next: "install libcurl with OpenSSL or GnuTLS")
            } else {
                let (problem, next) = CurlLibrary.absence
                curl = .problem("libcurl", problem, next: next)
            }
            return [curl, certificates]
        }

        private var certificates: InstallationCheck {
            do {
                let (place, count) = try CurlLibrary.authorities(NetworkSettings(environment: environment.variables))
                guard count == 0 else { return .ok("certificates", "\(count) certificate authorities in \(place)") }
                return .problem(
                    "certificates",
                    place.isEmpty ? "libcurl names no file of certificate authorities" : "\(place) has no certificate",
                    next: "install the package ca-certificates, or set SSL_CERT_FILE to a PEM file")
            } catch {
                return .problem("certificates", error)
            }
        }
    #else
        private var network: [InstallationCheck] { [] }
    #endif

    // MARK: The user's files

    private var configuration: InstallationCheck {
        let shown = environment.shortened(environment.configurationFolder)
        do {
            try ConfigurationFolder(environment).check()
        } catch {
            return .problem("configuration", error)
        }
        let isAbsent = Path.isAbsent(environment.configurationFolder)
        return .ok(
            "configuration",
            isAbsent ? "\(shown) does not exist yet; carnet login creates it" : "only you can change \(shown)")
    }

    private var clients: [InstallationCheck] {
        let path = Registrations.ownFile(environment)
        let shown = environment.shortened(path)
        guard !Path.isAbsent(path) else {
            let next = "to sign in at real providers, read: carnet help clients"
            return [.note("clients", "\(shown) does not exist", next: next)]
        }
        let file: ClientsFile
        do {
            file = ClientsFile(try SourceFile(readingFrom: path))
        } catch {
            return [.problem("clients", error)]
        }
        guard file.diagnostics.isEmpty else {
            // Its lines may hold secrets, so they are not quoted.
            return file.diagnostics.map { .problem("clients", $0.description, next: $0.help) }
        }
        let registry = registry.registry
        let exposed = file.exposedFiles { id, input in
            (try? registry.descriptor(id))?.hasSecretInput(input) ?? false
        }
        var checks = exposed.map { path, what in
            InstallationCheck.problem(
                "clients", "\(environment.shortened(path)) contains a \(what), and other users can read it",
                next: "chmod 600 \(path.shellWord)")
        }
        for id in file.ids where (try? registry.entry(named: id)) == nil {
            let nearest = nearestName(to: id, in: registry.ids.map(\.rawValue)).map { "; did you mean \($0)?" } ?? ""
            checks.append(
                .note("clients", "\(shown) has an entry for \(id), and no provider has this id\(nearest)", next: nil))
        }
        return checks.isEmpty ? [.ok("clients", "\(shown) has \(counted(file.ids.count, "registration"))")] : checks
    }

    private var registry: (registry: ProviderRegistry, unreadable: [SourceFileError], folders: [String]) {
        var registry = ProviderRegistry.builtIn
        var unreadable: [SourceFileError] = []
        let own = ConfigurationFolder(environment).providers
        var folders = (Path.isAbsent(own) ? [] : [own]) + environment.providerFolders
        func add(_ folder: String, overriding: Bool) {
            do throws(SourceFileError) {
                unreadable += try registry.add(folder: folder, overriding: overriding)
            } catch {
                unreadable.append(error)
            }
        }
        for folder in folders { add(folder, overriding: true) }
        if Path.isFolder(ProviderSources.unnamedFolder) {
            folders.append(ProviderSources.unnamedFolder)
            add(ProviderSources.unnamedFolder, overriding: false)
        }
        return (registry, unreadable, folders)
    }

    private var providers: [InstallationCheck] {
        let (registry, unreadable, folders) = registry
        guard !folders.isEmpty else { return [.ok("providers", "there is no folder of own descriptors")] }
        var checks = unreadable.map { InstallationCheck.problem("providers", $0.description, next: nil) }
        for document in registry.broken {
            let count = document.diagnostics.count { $0.severity == .error }
            checks.append(
                .problem(
                    "providers", "\(document.file.path) has \(counted(count, "error")) and is skipped",
                    next: "carnet lint \(document.file.path.shellWord)"))
        }
        let own = registry.entries.count { $0.origin != .builtIn }
        let places = folders.map(environment.shortened).joined(separator: ", ")
        return checks.isEmpty ? [.ok("providers", "\(counted(own, "descriptor")) in \(places)")] : checks
    }

    /// - Returns: `nil` for a sandbox that nobody has used.
    private func store(ofSandbox isSandbox: Bool) async -> InstallationCheck? {
        let name = isSandbox ? "sandbox store" : "store"
        let stores = UserStore(environment)
        let folder = environment.shortened(stores.folder(ofSandbox: isSandbox))
        if Path.isAbsent(stores.folder(ofSandbox: isSandbox)) {
            return isSandbox ? nil : .ok(name, "\(folder) does not exist yet; carnet login creates it")
        }
        do {
            let inventory = try await stores.tokens(ofSandbox: isSandbox).inventory()
            if let first = inventory.damaged.first {
                let more = inventory.damaged.count > 1 ? " (and \(inventory.damaged.count - 1) more)" : ""
                return .problem(name, first.reason + more, next: first.remedy)
            }
            return .ok(name, "\(counted(inventory.accounts.count, "account")) in \(folder)")
        } catch {
            return .problem(name, error)
        }
    }

    // MARK: The browser

    private var browser: InstallationCheck {
        #if os(macOS)
            return .ok("browser", "/usr/bin/open")
        #else
            let folders = (environment["PATH"] ?? "").split(separator: ":").map(String.init)
            let opener = folders.map { $0 + "/xdg-open" }.first { FileManager.default.isExecutableFile(atPath: $0) }
            guard let opener else {
                return .note(
                    "browser", "PATH has no xdg-open, so carnet login cannot open a browser",
                    next: "install xdg-utils, or sign in with --no-browser, --paste or --device")
            }
            return .ok("browser", opener)
        #endif
    }
}

/// One thing that was checked in an installation.
struct InstallationCheck: Sendable {
    enum Outcome: String, Sendable {
        case ok
        /// Something that only some commands need.
        case note
        case problem
    }

    let name: String
    let outcome: Outcome
    let text: String
    let next: String?

    static func ok(_ name: String, _ text: String) -> Self { Self(name: name, outcome: .ok, text: text, next: nil) }

    static func note(_ name: String, _ text: String, next: String?) -> Self {
        Self(name: name, outcome: .note, text: text, next: next)
    }

    static func problem(_ name: String, _ text: String, next: String?) -> Self {
        Self(name: name, outcome: .problem, text: text, next: next)
    }

    /// The problem that an error describes.
    static func problem(_ name: String, _ error: any Error) -> Self {
        let failure = Failure(describing: error)
        return problem(name, failure.summary, next: failure.next.isEmpty ? nil : failure.next.joined(separator: "; "))
    }

    var json: JSONValue {
        [
            "name": .string(name), "outcome": .string(outcome.rawValue), "message": .string(text),
            "next": .optional(next),
        ]
    }
}
