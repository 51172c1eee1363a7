public import Carnet
import CarnetDescriptors
import CarnetFoundation

/// Folders of descriptors that are read again while the server runs. A file with errors is reported, and its last
/// valid version stays in use. Deleting a file removes its provider.
public final class ProviderFolders: Sendable {
    /// The result of one reload.
    public struct Reload: Sendable {
        /// The providers with new clients.
        public var replaced: [ProviderID] = []
        /// The removed providers. Their tokens stay in the store, and are usable again if the file returns.
        public var removed: [ProviderID] = []
        /// One string for each file or client with an error.
        public var problems: [String] = []
    }

    private let paths: [String]
    private let base: ProviderRegistry
    private let clients: ProviderClients
    private let makeClient: @Sendable (ProviderDescriptor) async throws -> OAuthClient?
    /// The files that each client was made of: its own, then those that it extends.
    private let seen: Lock<[ProviderID: [SourceFile]]>

    /// - Parameters:
    ///   - paths: Descriptors of a later folder override those of an earlier one.
    ///   - base: Other descriptors, which the folders can extend or override. If it already contains descriptors of
    ///     these folders, their clients must exist. If a folder could only add ids to it, the folder can only add ids
    ///     here.
    ///   - makeClient: Creates the client of a new descriptor; `nil` for a provider without a registration.
    public init(
        _ paths: [String],
        beside base: ProviderRegistry = ProviderRegistry(),
        clients: ProviderClients,
        makeClient: @escaping @Sendable (ProviderDescriptor) async throws -> OAuthClient?
    ) {
        self.paths = paths
        self.base = base
        self.clients = clients
        self.makeClient = makeClient
        let known = base.ids.filter { base.isFrom(paths, $0) && clients[$0] != nil }
            .compactMap { try? base.entry(named: $0.rawValue) }
        seen = Lock(Dictionary(known.map { ($0.descriptor.id, base.files(of: $0)) }) { first, _ in first })
    }

    /// Reads the folders, and creates clients for changed descriptors. If a folder cannot be read, nothing changes.
    public func reload() async -> Reload {
        var reload = Reload()
        var registry = base
        var read: Set<SourceFile> = []
        var unusable: Set<String> = []
        for path in paths {
            do throws(SourceFileError) {
                let files = try DescriptorFolder(path).files()
                registry = registry.replacing(.folder(path), with: files.read, unreadable: files.unreadable)
                read.formUnion(files.read)
                unusable.formUnion(files.unreadable.map(\.path))
                reload.problems += files.unreadable.map(\.description)
            } catch {
                return Reload(problems: [error.description])
            }
        }
        for document in registry.broken where read.contains(document.file) {
            unusable.insert(document.file.path)
            reload.problems += document.diagnostics.filter { $0.severity == .error }.map(\.description)
        }
        for source in registry.refused where read.contains(source.document.file) {
            reload.problems.append(
                "\(source.document.file.path): the id \(source.document.id?.rawValue ?? "") is in use, and the folder overrides "
                    + "nothing")
        }
        for source in registry.withheld where read.contains(source.document.file) {
            unusable.insert(source.document.file.path)
            reload.problems.append(
                "\(source.document.file.path): the folder adds nothing while a file of another folder cannot be read")
        }
        // While a provider's own file cannot be used, nothing takes its place.
        let before = seen.withLock { $0 }
        let waiting = before.filter { $0.value.first.map { unusable.contains($0.path) } ?? false }
        for id in registry.ids where waiting[id] == nil && (registry.isFrom(paths, id) || before[id] != nil) {
            guard let entry = try? registry.entry(named: id.rawValue) else { continue }
            let files = registry.files(of: entry)
            guard before[id] != files else { continue }
            do {
                if let client = try await makeClient(entry.descriptor) {
                    clients.replace(client)
                    reload.replaced.append(id)
                    seen.withLock { $0[id] = files }
                } else if before[id] != nil {
                    remove(id, &reload)
                }
            } catch {
                reload.problems.append("\(entry.document.file.path): \(error)")
            }
        }
        for id in before.keys.sorted() where waiting[id] == nil && !registry.ids.contains(id) { remove(id, &reload) }
        return reload
    }

    private func remove(_ id: ProviderID, _ reload: inout Reload) {
        clients.remove(id)
        reload.removed.append(id)
        seen.withLock { $0[id] = nil }
    }

    /// Reloads periodically until the task is cancelled.
    ///
    /// - Parameter report: Called for each reload with a change, and once for the same problem.
    /// - Throws: `CancellationError`.
    public func watch(
        every interval: Duration = .seconds(2),
        clock: any Clock<Duration> = .continuous,
        report: @Sendable (Reload) -> Void
    ) async throws {
        var last: [String] = []
        while true {
            let found = await reload()
            let isChanged = !found.replaced.isEmpty || !found.removed.isEmpty
            if isChanged || found.problems != last { report(found) }
            last = found.problems
            try await clock.sleep(for: interval)
        }
    }
}

extension ProviderRegistry {
    /// Whether the provider of an id came from one of the folders.
    fileprivate func isFrom(_ folders: [String], _ id: ProviderID) -> Bool {
        let origin = origin(of: id)
        return folders.contains { origin == .folder($0) }
    }

    /// The file of a descriptor, then those of what it extends.
    fileprivate func files(of entry: Entry) -> [SourceFile] {
        var files = [entry.document.file]
        var parent = entry.descriptor.parent
        while let id = parent, let next = try? self.entry(named: id.rawValue),
            !files.contains(next.document.file)
        {
            files.append(next.document.file)
            parent = next.descriptor.parent
        }
        return files
    }
}
