public import Carnet
import Foundation
import Synchronization

/// A folder of descriptors that is looked at again while the server runs. A file with mistakes is reported, and what
/// was read from it before goes on.
public final class ProviderFolder: Sendable {
    /// What one look found.
    public struct Reload: Sendable {
        /// The providers whose clients were made anew.
        public var replaced: [ProviderID] = []
        /// One text for each file or client that could not be used.
        public var problems: [String] = []
    }

    private let path: String
    private let base: ProviderRegistry
    private let clients: ProviderClients
    private let makeClient: @Sendable (ProviderDescriptor) async throws -> OAuthClient?
    /// The files that each client was made of.
    private let seen: Mutex<[ProviderID: [SourceFile]]>

    /// - Parameters:
    ///   - base: What descriptors of the folder may extend. A provider of it that came from this folder is taken to have
    ///     its client already.
    ///   - makeClient: The client of a new descriptor; `nil` for a provider without a registration.
    public init(
        path: String,
        beside base: ProviderRegistry = ProviderRegistry(),
        clients: ProviderClients,
        makeClient: @escaping @Sendable (ProviderDescriptor) async throws -> OAuthClient?
    ) {
        self.path = path
        self.base = base
        self.clients = clients
        self.makeClient = makeClient
        let known = base.entries.filter { $0.origin == .folder(path) && clients[$0.descriptor.id] != nil }
        seen = Mutex(Dictionary(known.map { ($0.descriptor.id, base.files(of: $0)) }) { first, _ in first })
    }

    /// Reads the folder, and makes clients of what changed.
    public func reload() async -> Reload {
        var reload = Reload()
        var files: [SourceFile] = []
        do {
            for file in try DescriptorFolder(path).descriptorPaths() {
                do throws(SourceFileError) {
                    files.append(try SourceFile(readingFrom: file))
                } catch {
                    reload.problems.append("\(error)")
                }
            }
        } catch {
            reload.problems.append("\(error)")
            return reload
        }
        var registry = base
        registry.add(files, origin: .folder(path))
        for document in registry.broken where files.contains(document.file) {
            reload.problems += document.diagnostics.filter { $0.severity == .error }.map(\.description)
        }
        for entry in registry.entries where files.contains(entry.document.file) {
            let (id, read) = (entry.descriptor.id, registry.files(of: entry))
            guard seen.withLock({ $0[id] }) != read else { continue }
            do {
                guard let client = try await makeClient(entry.descriptor) else { continue }
                clients.replace(client)
                reload.replaced.append(id)
                seen.withLock { $0[id] = read }
            } catch {
                reload.problems.append("\(entry.document.file.path): \(error)")
            }
        }
        return reload
    }

    /// Looks again and again until the task is cancelled.
    ///
    /// - Parameter report: Told of each look that found something, and of the same problem once.
    /// - Throws: `CancellationError`.
    public func watch(
        every interval: Duration = .seconds(2),
        clock: any Clock<Duration> = .continuous,
        report: @Sendable (Reload) -> Void
    ) async throws {
        var last: [String] = []
        while true {
            let found = await reload()
            if !found.replaced.isEmpty || found.problems != last { report(found) }
            last = found.problems
            try await clock.sleep(for: interval)
        }
    }
}

extension ProviderRegistry {
    /// The file of a descriptor, then those of what it extends.
    fileprivate func files(of entry: Entry) -> [SourceFile] {
        var files = [entry.document.file]
        var parent = entry.descriptor.parent
        while let id = parent, let next = entries.first(where: { $0.descriptor.id == id }),
            !files.contains(next.document.file)
        {
            files.append(next.document.file)
            parent = next.descriptor.parent
        }
        return files
    }
}
