import CarnetDescriptors
import CarnetFoundation
import CarnetGateway
import CarnetLint
import CarnetProtocol

// Whichever module imports `stat` first on Linux counts as the one that defines it.
#if canImport(CDispatch)
    import CDispatch
#endif

/// The gateway file as messages name it, and the secrets that it names.
final class GatewayPlaces: Sendable {
    let file: String
    /// What was said once need not be said at each reading.
    private let warned = Lock<Set<String>>([])

    init(file: String) { self.file = file }

    var folder: String { Path.folder(of: file) }

    func place(_ line: Int) -> String { "\(file):\(line)" }

    func warn(_ text: String, _ console: Console) {
        if warned.withLock({ $0.insert(text).inserted }) { console.warn(text.printable) }
    }

    /// - Parameters:
    ///   - key: Its key without an ending.
    ///   - line: The line of a key.
    /// - Throws: `Failure` that names the place and not the value.
    func value(
        of secret: SecretPlace, _ key: String, _ line: (String) -> Int, _ environment: HostEnvironment
    ) throws -> Secret {
        switch secret {
        case .inline(let secret): return secret
        case .environment(let name):
            do throws(VariableError) {
                let site = "\(place(line("\(key)_env"))): \(key)_env"
                return Secret(try environment.variables.value(ofVariable: name, at: site))
            } catch {
                throw Failure(
                    .usage, error.reason,
                    next: ["set \(name) in the environment of this command; for systemd, in the unit's EnvironmentFile"]
                )
            }
        case .file(let path):
            let site = "\(place(line("\(key)_file"))): \(key)_file"
            let found: SourceFile
            do throws(SourceFileError) {
                found = try SourceFile(readingFrom: Path.below(folder, path), maximumBytes: 1 << 18)
            } catch {
                throw Failure(
                    .usage, "\(site): \(error)",
                    next: ["write the secret into this file, and let the user of this command read it"])
            }
            let text = try String(found.exactText().trimming(\.isWhitespace))
            guard !text.isEmpty else {
                throw Failure(.usage, "\(site): \(found.path) is empty", next: ["write the secret into this file"])
            }
            return Secret(text)
        }
    }

    /// Warns about a file with a secret that every user of the machine can read. Below `/run`, the service manager decides.
    func checkMode(of secret: SecretPlace?, _ console: Console) {
        guard case .file(let path)? = secret else { return }
        let place = Path.below(folder, path)
        var status = stat()
        guard !place.hasPrefix("/run/"), stat(place, &status) == 0, status.st_mode & 0o004 != 0 else { return }
        warn("\(place) contains a secret and is readable by other users; run: chmod 600 \(place.shellWord)", console)
    }
}

/// Everything that keeps a gateway from using its file.
struct GatewayMistakes: Error {
    /// At least one.
    let failures: [Failure]
    /// Of the gateway file, or of a descriptor.
    let diagnostics: [Diagnostic]
    let source: SourceFile?

    init(_ failures: [Failure]) { (self.failures, diagnostics, source) = (failures, [], nil) }

    init(_ diagnostics: [Diagnostic], in source: SourceFile) {
        failures = [Failure(.usage, "\(source.path) has errors", next: ["fix the errors above"])]
        (self.diagnostics, self.source) = (diagnostics, source)
    }

    /// Whether only a change of a file can help.
    var areLasting: Bool { failures.allSatisfy { $0.status == .usage } }

    var summary: String { failures.map(\.summary).joined(separator: "\n") }

    /// Prints everything but what the returned failure says.
    func failure(_ console: Console) -> Failure {
        if let source { return Failure(diagnostics: diagnostics, in: source, console) }
        guard failures.count > 1 else { return failures.first ?? Failure(.usage, "the gateway file cannot be used") }
        for failure in failures { console.note(failure) }
        return Failure(
            areLasting ? .usage : .failed, "\(failures.count) things are missing", next: ["see the lines above"])
    }
}
