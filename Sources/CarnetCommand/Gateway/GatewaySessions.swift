import ArgumentParser
import Carnet
import CarnetDescriptors
import CarnetFoundation
import CarnetGateway
import CarnetLint
import CarnetProtocol
import CarnetStorage

/// The people who are signed in. The gateway may run: it reads the store for each request.
struct GatewaySessionsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sessions", abstract: "List and end the sign-ins of people, also while the gateway runs.",
        discussion: """
            Examples:
              carnet gateway sessions list gateway.yaml
              carnet gateway sessions end gateway.yaml --provider acme --subject 1034
            """,
        subcommands: [GatewaySessionsListCommand.self, GatewaySessionsEndCommand.self])
}

struct GatewaySessionsListCommand: Subcommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List the people who are signed in.",
        discussion: """
            Examples:
              carnet gateway sessions list gateway.yaml
            """)

    @Argument(help: ArgumentHelp("The gateway file.", valueName: "file"), completion: .yamlFile)
    var file: String

    @OptionGroup(title: "Output options") var plainOutput: PlainOutputOptions
    var output: OutputOptions { plainOutput.all }

    func run(_ context: CommandContext) async throws {
        let console = context.console
        let (found, store) = try await GatewaySession.read(file, context)
        let rows = found.sessions.map { session in
            [
                session.key.account.printable, session.key.provider.printable, session.subject.printable,
                (session.email ?? session.name ?? "-").printable, session.note.signedInAt.formatted(.iso8601),
                session.browser.printable,
            ]
        }
        let heading = rows.isEmpty ? [] : [["ID", "PROVIDER", "SUBJECT", "PERSON", "SIGNED IN", "BROWSER"]]
        for line in Table.lines(heading + rows) { console.print(line) }
        console.print(
            json: [
                "sessions": .array(found.sessions.map(\.json)), "store": .string(store.name),
                "unreadable": .array(
                    found.unreadable.map { ["id": .string($0.key.account), "provider": .string($0.key.provider)] }),
            ])
        if found.sessions.isEmpty {
            console.note("nobody is signed in (store: \(store.name))".printable)
            console.note("a gateway with --sandbox keeps its sessions to itself")
        }
        let count = found.unreadable.count
        if let first = found.unreadable.first {
            let what =
                count == 1
                ? "1 record cannot be read, so nobody can use it"
                : "\(count) records cannot be read, so nobody can use them"
            console.warn("\(what): \(first.error.reason)".printable)
            console.note(
                "  next  add the missing key, or remove such records: carnet gateway sessions end \(file.shellWord) --all"
                    .printable)
        }
        for damaged in found.damaged {
            console.warn(damaged.reason.printable)
            if let remedy = damaged.remedy { console.note("  next  \(remedy)".printable) }
        }
    }
}

struct GatewaySessionsEndCommand: Subcommand {
    static let configuration = CommandConfiguration(
        commandName: "end", abstract: "End sessions. Their next request leads to the sign-in.",
        discussion: """
            Examples:
              carnet gateway sessions end gateway.yaml 4f1c
              carnet gateway sessions end gateway.yaml --provider acme --subject 1034
              carnet gateway sessions end gateway.yaml --all
            """)

    @Argument(help: ArgumentHelp("The gateway file.", valueName: "file"), completion: .yamlFile)
    var file: String

    @Argument(help: ArgumentHelp("The id of a session, or its beginning.", valueName: "id"))
    var id: String?

    @Option(help: ArgumentHelp("The sessions with a provider.", valueName: "id"))
    var provider: String?

    @Option(help: ArgumentHelp("The sessions of a subject.", valueName: "subject"))
    var subject: String?

    @Option(help: ArgumentHelp("The sessions of people with an e-mail address.", valueName: "address"))
    var email: String?

    @Flag(help: "All sessions.")
    var all = false

    @OptionGroup(title: "Output options") var plainOutput: PlainOutputOptions
    var output: OutputOptions { plainOutput.all }

    func validate() throws {
        guard all || id?.isEmpty == false || provider != nil || subject != nil || email != nil else {
            throw ValidationError("no session is selected; add an id, --provider, --subject, --email or --all")
        }
    }

    func run(_ context: CommandContext) async throws {
        let console = context.console
        let (found, store) = try await GatewaySession.read(file, context)
        func isNamed(_ key: ConnectionKey) -> Bool {
            (id.map { key.account.utf8.starts(with: $0.utf8) } ?? true)
                && (provider.map { key.provider.isSameBytes(as: $0) } ?? true)
        }
        let candidates = found.sessions.filter { session in
            isNamed(session.key) && (subject.map { session.subject.isSameBytes(as: $0) } ?? true)
        }
        let sessions = candidates.filter { session in email.map { session.hasEmail($0) } ?? true }
        let unknown = email == nil ? 0 : candidates.filter { $0.email == nil }.count
        if unknown > 0 {
            let what = unknown == 1 ? "1 session has" : "\(unknown) sessions have"
            console.warn("\(what) no known address, and may be of the same person; list shows the subjects".printable)
        }
        // Whose they are is encrypted.
        let isOfPerson = subject != nil || email != nil
        let unreadable = isOfPerson ? [] : found.unreadable.map(\.key).filter(isNamed)
        if let id, sessions.count + unreadable.count > 1 {
            throw Failure(
                .usage, "\(sessions.count + unreadable.count) sessions begin with \(id)",
                next: ["write the whole id, which list prints"])
        }
        for session in sessions {
            for key in found.keys where key.main == session.key { try await store.tokens.remove(key, ifRevision: nil) }
            console.note(
                "ended \(session.key.account) provider=\(session.key.provider) subject=\(session.subject)".printable)
        }
        if all { try await GatewaySession.removeExpired(in: store) }
        for key in unreadable { try await store.tokens.remove(key, ifRevision: nil) }
        let removed = unreadable.isEmpty ? "" : ", and \(unreadable.count) that could not be read"
        console.print("\(sessions.count) session\(sessions.count == 1 ? "" : "s") ended\(removed)")
        console.print(
            json: [
                "ended": .number(String(sessions.count)), "unreadable": .number(String(unreadable.count)),
            ])
        guard sessions.isEmpty, unreadable.isEmpty else { return }
        console.note("the store is \(store.name); a gateway with --sandbox keeps its sessions to itself".printable)
        throw ExitStatus.failed
    }
}

/// A sign-in of one browser, as its record describes it.
struct GatewaySession {
    let key: ConnectionKey
    fileprivate let subject: String
    fileprivate let note: BrowserNote

    fileprivate var name: String? { note.claims?.claims["name"]?.scalarText }
    fileprivate var email: String? {
        (note.claims?.claims["email"]?.scalarText ?? note.email).flatMap { EmailAddress($0)?.text }
    }
    fileprivate var browser: String { note.name ?? "" }

    struct Found {
        /// The latest sign-in first.
        var sessions: [GatewaySession] = []
        /// The keys of all records, also of those that are no sessions.
        var keys: [ConnectionKey] = []
        /// The records whose key is missing.
        var unreadable: [(key: ConnectionKey, error: TokenStoreError)] = []
        /// The records that do not show whose they are.
        var damaged: [TokenStoreError] = []
    }

    var json: JSONValue {
        [
            "id": .string(key.account), "provider": .string(key.provider), "subject": .string(subject),
            "name": .optional(name), "email": .optional(email),
            "signed_in_at": .optional(note.signedInAt), "expires_at": .optional(note.expiresAt),
            "browser": .string(browser),
        ]
    }

    func hasEmail(_ address: String) -> Bool {
        // As it is now, and as it was at the sign-in.
        [email, note.email].contains { $0.map { EmailAddress.isSame($0, address) } ?? false }
    }

    /// - Throws: `Failure`, `TokenStoreError`.
    fileprivate static func read(_ path: String, _ context: CommandContext) async throws -> (Found, GatewayStore) {
        let file = try SourceFile(readingFrom: path)
        let read = GatewayFile(file)
        guard let rules = read.rules else { throw Failure(diagnostics: read.diagnostics, in: file, context.console) }
        let store = try await GatewayStore(rules.session, in: GatewayPlaces(file: path), context.environment)
            .forCommand()
        return (try await all(in: store), store)
    }

    /// The sessions that have not expired, and what cannot be read.
    static func all(in store: GatewayStore) async throws -> Found {
        let now = SystemWallClock().now
        let inventory = try await store.tokens.inventory()
        var found = Found(keys: inventory.accounts, damaged: inventory.damaged)
        for key in inventory.accounts {
            do {
                guard let connection = try await store.tokens.load(key)?.connection, let note = connection.browser,
                    note.expiresAt > now
                else { continue }
                found.sessions.append(GatewaySession(key: key, subject: connection.subject ?? "", note: note))
            } catch let error as TokenStoreError where error.kind == .unreadable || store.keys.isMissing {
                found.unreadable.append((key, error))
            }
        }
        found.sessions.sort { ($0.note.signedInAt, $0.key.account) > ($1.note.signedInAt, $1.key.account) }
        return found
    }

    /// Removes the records of sessions that have expired, and further token sets without the session that they belong to.
    ///
    /// - Returns: How many.
    /// - Throws: `TokenStoreError`.
    @discardableResult
    static func removeExpired(in store: GatewayStore) async throws -> Int {
        let now = SystemWallClock().now
        let keys = try await store.tokens.inventory().accounts
        var known = Set(keys)
        var count = 0
        for key in keys {
            let stored: StoredConnection?
            do {
                stored = try await store.tokens.load(key)
            } catch let error as TokenStoreError where error.kind == .unreadable || store.keys.isMissing {
                continue
            }
            guard let stored else { continue }
            // A sign-in in progress saves the further token sets first.
            let isAlone = !known.contains(key.main) && now.timeIntervalSince(stored.connection.tokens.issuedAt) > 3600
            guard isAlone || stored.connection.browser.map({ $0.expiresAt <= now }) ?? false else { continue }
            guard try await store.tokens.remove(key, ifRevision: stored.revision) else { continue }
            known.remove(key)
            count += 1
        }
        return count
    }
}
