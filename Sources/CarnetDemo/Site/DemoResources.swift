import Carnet
import CarnetDescriptors
import CarnetFoundation
import CarnetSandbox
import CarnetWeb

/// The resources of `--map FILE`, read again whenever they are asked for; a file with mistakes changes nothing.
final class DemoResources: Sendable {
    private struct Read {
        var file: SourceFile?
        var map: ResourceMapFile?
        /// The providers at whose sandbox the resources are protected.
        var protected: Set<ProviderID> = []
    }

    private let path: String
    private let news: DemoNews
    private let read = Lock(Read())

    init(path: String, news: DemoNews) {
        self.path = path
        self.news = news
    }

    /// - Throws: `ResolutionError`.
    func resources(of client: OAuthClient, _ sandbox: Sandbox?) async throws -> ResourceMap {
        let (map, isNew) = look(for: client.provider.id)
        let resources = try map.map(client.resources(of:)) ?? []
        if isNew, let sandbox { await sandbox.addResources(resources, of: client.provider.id) }
        return ResourceMap(resources, scopes: client.provider.scopes)
    }

    private func look(for provider: ProviderID) -> (map: ResourceMapFile?, isNew: Bool) {
        let file: SourceFile
        do throws(SourceFileError) {
            file = try SourceFile(readingFrom: path)
        } catch {
            news.note([error.description], at: path)
            return read.withLock { ($0.map, false) }
        }
        return read.withLock { read in
            if read.file != file {
                let map = ResourceMapFile(file)
                let errors = map.diagnostics.filter { $0.severity == .error }.map(\.description)
                news.note(errors, at: path)
                read.file = file
                if errors.isEmpty { (read.map, read.protected) = (map, []) }
            }
            return (read.map, read.protected.insert(provider).inserted)
        }
    }
}

/// What is wrong with the files that the demonstration reads again while it runs.
final class DemoNews: Sendable {
    private let problemsByPlace = Lock<[String: [String]]>([:])

    /// One text for each problem, by place.
    var problems: [String] { problemsByPlace.withLock { places in places.sorted { $0.key < $1.key }.flatMap(\.value) } }

    func note(_ problems: [String], at place: String) {
        problemsByPlace.withLock { $0[place] = problems.isEmpty ? nil : problems }
    }
}
