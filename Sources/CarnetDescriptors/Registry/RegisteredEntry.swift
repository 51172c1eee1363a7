import CarnetFoundation

/// What a registry has under an id: an entry, or the embedded files to make it of when somebody asks for it.
final class RegisteredEntry: Sendable {
    let file: SourceFile
    let origin: ProviderRegistry.Origin
    private let state: Lock<State>

    private enum State {
        /// The file itself, and those that it extends, the nearest first.
        case deferred([RegisteredFile])
        /// `nil` if an embedded file has errors, which the build prevents.
        case made(ProviderRegistry.Entry?)
    }

    init(_ entry: ProviderRegistry.Entry) {
        file = entry.document.file
        origin = entry.origin
        state = Lock(.made(entry))
    }

    init(_ file: RegisteredFile, extending ancestors: [RegisteredFile], origin: ProviderRegistry.Origin) {
        self.file = file.file
        self.origin = origin
        state = Lock(.deferred([file] + ancestors))
    }

    var entry: ProviderRegistry.Entry? {
        state.withLock { state in
            switch state {
            case .made(let entry): return entry
            case .deferred(let files):
                let document = Inheritance.complete(files.reversed().map(\.document)).last
                let entry = document.flatMap { document in
                    document.descriptor.map { ProviderRegistry.Entry($0, document, origin: origin) }
                }
                state = .made(entry)
                return entry
            }
        }
    }
}
