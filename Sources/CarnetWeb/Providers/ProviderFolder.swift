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
    private let clients: ProviderClients
    private let makeClient: @Sendable (ProviderDescriptor) throws -> OAuthClient?
    private let seen = Mutex<[SourceFile]>([])

    /// - Parameter makeClient: The client of a new descriptor; `nil` for a provider without a registration.
    public init(
        path: String,
        clients: ProviderClients,
        makeClient: @escaping @Sendable (ProviderDescriptor) throws -> OAuthClient?
    ) {
        self.path = path
        self.clients = clients
        self.makeClient = makeClient
    }

    /// Reads the folder, and makes clients of what changed.
    public func reload() -> Reload {
        var registry = ProviderRegistry.init()
        var reload = Reload()
        do {
            reload.problems += try registry.add(folder: path).map(\.description)
        } catch {
            reload.problems.append("\(error)")
            return reload
        }
        for document in registry.broken {
            reload.problems += document.diagnostics.filter { $0.severity == .error }.map(\.description)
        }
        let known = seen.withLock { $0 }
        let changed = registry.entries.filter { !known.contains($0.document.file) }
        for entry in changed {
            do {
                guard let client = try makeClient(entry.descriptor) else { continue }
                clients.replace(client)
                reload.replaced.append(entry.descriptor.id)
            } catch {
                reload.problems.append("\(entry.document.file.path): \(error)")
            }
        }
        let read = registry.entries.map(\.document.file)
        seen.withLock { $0 = read }
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
            let found = reload()
            if !found.replaced.isEmpty || found.problems != last { report(found) }
            last = found.problems
            try await clock.sleep(for: interval)
        }
    }
}
