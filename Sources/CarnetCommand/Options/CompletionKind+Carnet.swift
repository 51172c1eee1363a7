import ArgumentParser
import Carnet
import CarnetCatalog
import CarnetDescriptors
import CarnetFoundation
import CarnetGateway
import CarnetLint
import CarnetProtocol
import CarnetStorage

extension CompletionKind {
    /// The ids of the providers: built in, in the user's folders, and in those of `--providers`.
    static var providerIDs: CompletionKind {
        .custom { words, _, _ in CompletionWords(words).providerIDs }
    }

    static var providersAndFiles: CompletionKind {
        .custom { words, _, prefix in
            let words = CompletionWords(words)
            return (prefix.contains("/") ? [] : words.providerIDs) + words.descriptorFiles(below: prefix)
        }
    }

    static var accounts: CompletionKind {
        .custom { words, _, _ in await CompletionWords(words).accounts() }
    }

    /// The codes of the lint rules and the kinds of errors.
    static var explained: CompletionKind {
        .custom { _, _, _ in
            (DiagnosticCatalog.all + GatewayRuleCatalog.explanations).map(\.code) + ErrorRow.all.map(\.kind.rawValue)
        }
    }

    static var yamlFile: CompletionKind { .file(extensions: ["yaml", "yml"]) }
}

/// A command line that is being completed. Nothing is printed about what cannot be read.
struct CompletionWords {
    private let words: [String]
    private let environment = HostEnvironment.current

    init(_ words: [String]) { self.words = words }

    private func values(of option: String) -> [String] {
        words.indices.compactMap { index in
            if words[index].hasPrefix(option + "=") { return String(words[index].dropFirst(option.count + 1)) }
            return words[index] == option && index + 1 < words.count ? words[index + 1] : nil
        }
    }

    private var registry: ProviderRegistry {
        var registry = ProviderRegistry.builtIn
        let own = ConfigurationFolder(environment).providers
        for folder in [own] + environment.providerFolders + values(of: "--providers") where Path.isFolder(folder) {
            _ = try? registry.add(folder: folder)
        }
        if Path.isFolder(ProviderSources.unnamedFolder) {
            _ = try? registry.add(folder: ProviderSources.unnamedFolder, overriding: false)
        }
        return registry
    }

    var providerIDs: [String] { registry.ids.map(\.rawValue) }

    /// The folders and YAML files that begin with a text, folders with a slash at the end.
    func descriptorFiles(below prefix: String) -> [String] {
        let folder = prefix.lastIndex(of: "/").map { String(prefix[...$0]) } ?? ""
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.isEmpty ? "." : folder)) ?? []
        return names.sorted().compactMap { name in
            let path = folder + name
            guard path.hasPrefix(prefix), !name.hasPrefix(".") else { return nil }
            if Path.isFolder(path) { return path + "/" }
            return name.hasSuffix(".yaml") || name.hasSuffix(".yml") ? path : nil
        }
    }

    /// The accounts of the provider that the command line names, else all.
    func accounts() async -> [String] {
        let isSandbox = !values(of: "--sandbox").isEmpty
        guard let store = try? UserStore(environment).tokens(ofSandbox: isSandbox),
            let keys = try? await store.inventory().accounts
        else { return [] }
        let own = keys.filter { key in words.contains { $0.isSameBytes(as: key.provider) } }
        return Set((own.isEmpty ? keys : own).map(\.account)).sorted()
    }
}
