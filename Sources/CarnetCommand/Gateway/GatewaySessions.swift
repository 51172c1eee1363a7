import ArgumentParser
import Carnet
import CarnetDescriptors
import CarnetFoundation
import CarnetGateway
import CarnetProtocol
import CarnetStorage

/// Which sessions to end.
struct GatewaySessionOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The sessions with a provider.", valueName: "id"))
    var provider: String?

    @Option(help: ArgumentHelp("The sessions of a subject.", valueName: "subject"))
    var subject: String?

    @Flag(help: "All sessions.")
    var all = false

    var isEmpty: Bool { provider == nil && subject == nil && !all }
}

/// `carnet gateway sessions`: the people who are signed in. The gateway may run: it reads the store for each request.
struct GatewaySessions {
    private let options: GatewaySessionOptions
    private let context: CommandContext
    private var console: Console { context.console }

    private static let usage = [
        "write: carnet gateway sessions list FILE",
        "or: carnet gateway sessions end FILE, with an id, --provider, --subject or --all",
    ]

    init(_ options: GatewaySessionOptions, _ context: CommandContext) {
        self.options = options
        self.context = context
    }

    func run(_ words: [String]) async throws {
        switch (words.first, words.count) {
        case ("list"?, 2) where options.isEmpty: try await list(words[1])
        case ("end"?, 2) where !options.isEmpty: try await end(words[1], nil)
        case ("end"?, 3) where !words[2].isEmpty: try await end(words[1], words[2])
        default: throw Failure(.usage, "sessions needs list or end, and a gateway file", next: Self.usage)
        }
    }

    private func list(_ file: String) async throws {
        let sessions = try await GatewaySession.all(in: GatewaySession.store(of: file, context))
        let rows = sessions.map { session in
            [
                session.key.account.printable, session.key.provider.printable, session.subject.printable,
                session.signedInAt.formatted(.iso8601), session.browser.printable,
            ]
        }
        for line in Table.lines(rows) { console.print(line) }
        console.print(json: JSONObject(["sessions": .array(sessions.map(\.json))]))
        if sessions.isEmpty { console.note("nobody is signed in") }
    }

    private func end(_ file: String, _ id: String?) async throws {
        let store = try GatewaySession.store(of: file, context)
        let sessions = try await GatewaySession.all(in: store).filter { session in
            (id.map { session.key.account.utf8.starts(with: $0.utf8) } ?? true)
                && (options.provider.map { session.key.provider.isSameBytes(as: $0) } ?? true)
                && (options.subject.map { session.subject.isSameBytes(as: $0) } ?? true)
        }
        if let id, sessions.count > 1 {
            throw Failure(
                .usage, "\(sessions.count) sessions begin with \(id)", next: ["write the whole id, which list prints"])
        }
        for session in sessions { try await store.tokens.remove(session.key, ifRevision: nil) }
        console.print("\(sessions.count) session\(sessions.count == 1 ? "" : "s") ended")
        console.print(json: JSONObject(["ended": .number(String(sessions.count))]))
        if sessions.isEmpty { throw ExitStatus.failed }
    }
}

/// A sign-in of one browser, as its record describes it.
struct GatewaySession {
    let key: ConnectionKey
    let subject: String
    let signedInAt: Date
    let expiresAt: Date
    let browser: String

    var json: JSONValue {
        [
            "id": .string(key.account), "provider": .string(key.provider), "subject": .string(subject),
            "signed_in_at": .optional(signedInAt), "expires_at": .optional(expiresAt), "browser": .string(browser),
        ]
    }

    /// The store that a gateway file names.
    static func store(of path: String, _ context: CommandContext) throws -> GatewayStore {
        let file = try SourceFile(readingFrom: path)
        let read = GatewayFile(file)
        guard let rules = read.rules, !read.diagnostics.contains(where: { $0.severity == .error }) else {
            throw Failure(diagnostics: read.diagnostics, in: file, context.console)
        }
        return try GatewayStore(rules.session, below: Path.folder(of: path), context.environment)
    }

    /// The sessions that have not expired.
    static func all(in store: GatewayStore) async throws -> [GatewaySession] {
        let now = SystemWallClock().now
        var sessions: [GatewaySession] = []
        for key in try await store.tokens.keys() {
            guard let connection = try await store.tokens.load(key)?.connection, let note = connection.browser,
                note.expiresAt > now
            else { continue }
            sessions.append(
                GatewaySession(
                    key: key, subject: connection.subject ?? "", signedInAt: note.signedInAt, expiresAt: note.expiresAt,
                    browser: note.name ?? ""))
        }
        return sessions.sorted { ($0.signedInAt, $0.key.account) > ($1.signedInAt, $1.key.account) }
    }
}
