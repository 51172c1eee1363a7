import CarnetFoundation

/// The environment that the program runs in: variables, and the user's folders (XDG Base Directory Specification).
struct HostEnvironment: Sendable {
    let variables: [String: String]

    /// Each value loses the byte order mark and the line break that a file of another system left in it.
    init(_ variables: [String: String]) {
        self.variables = variables.mapValues { value in
            guard let last = value.utf8.last, last < 0x20 || value.hasPrefix("\u{FEFF}") else { return value }
            return String((String(written: Array(value.utf8)) ?? value)[...].trimming(\.isNewline))
        }
    }

    static var current: HostEnvironment { HostEnvironment(ProcessInfo.processInfo.environment) }

    subscript(name: String) -> String? { variables[name] }

    private var home: String { variables["HOME"] ?? FileManager.default.homeDirectoryForCurrentUser.path }

    /// Providers and client registrations of the user; also the key of the token store.
    var configurationFolder: String { folder("XDG_CONFIG_HOME", or: ".config") }

    var dataFolder: String { folder("XDG_DATA_HOME", or: ".local/share") }

    /// Where the tokens are.
    var storeFolder: String {
        variables["CARNET_STORE"].flatMap { $0.isEmpty ? nil : $0 } ?? dataFolder + "/tokens"
    }

    /// The folders of `CARNET_PROVIDERS`, a path list.
    var providerFolders: [String] {
        (variables["CARNET_PROVIDERS"] ?? "").split(separator: ":").map(String.init)
    }

    /// A relative path in an XDG variable is ignored.
    private func folder(_ variable: String, or fallback: String) -> String {
        (variables[variable].flatMap { $0.hasPrefix("/") ? $0 : nil } ?? "\(home)/\(fallback)") + "/carnet"
    }

    /// A path as people write it.
    func shortened(_ path: String) -> String {
        path.hasPrefix(home + "/") ? "~" + path.dropFirst(home.count) : path
    }
}
