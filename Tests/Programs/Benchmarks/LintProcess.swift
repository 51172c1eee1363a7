import BenchmarkSubjects
import CarnetCatalog
import CarnetDescriptors
import CarnetFoundation
import CarnetLint
import Foundation

/// `carnet lint` as a whole process, against other programs over the same files.
struct LintProcess {
    private static let fileCount = 1000
    private let products: URL
    private let peers: URL
    private let scratch: URL

    /// - Throws: `BenchmarkFailure` if the programs are not built.
    init() throws {
        products = URL(filePath: CommandLine.arguments[0]).resolvingSymlinksInPath().deletingLastPathComponent()
        let chosen = ProcessInfo.processInfo.environment["CARNET_PEERS_DIR"]
        peers = URL(filePath: chosen ?? ".build/peers")
        scratch = FileManager.default.temporaryDirectory.appending(path: "carnet-benchmarks-\(UUID().uuidString)")
        for program in [carnet, eventLoop] where !FileManager.default.isExecutableFile(atPath: program) {
            throw BenchmarkFailure(reason: "\(program) is missing; run: swift build -c release")
        }
    }

    private var carnet: String { products.appending(path: "carnet").path }
    private var eventLoop: String { products.appending(path: "EventLoop").path }

    func rows() throws -> [Row] {
        defer { try? FileManager.default.removeItem(at: scratch) }
        let folder = try DescriptorCorpus.write(count: Self.fileCount, in: scratch).path
        let one = try DescriptorCorpus.write(count: 1, in: scratch).path
        let lint = [carnet, "lint", folder]
        let subject = "carnet lint of \(Self.fileCount) descriptors"

        var comparisons: [Comparison] = []
        for (subject, command, goals) in [
            (subject, lint, (3, 6)), ("\(subject), --no-simulate", lint + ["--no-simulate"], (nil, nil)),
        ] as [(String, [String], (Double?, Double?))] {
            comparisons += try Comparison.ofProcesses(
                subject, against: "libyaml's events of them", of: Self.fileCount, goals: goals, command: command,
                floorCommand: [eventLoop, folder])
        }
        let (catalogue, count) = try writeCatalogue()
        comparisons += try Comparison.ofProcesses(
            "carnet lint of the \(count) built-in descriptors", against: "libyaml's events of them", of: count,
            goals: (nil, 5), command: [carnet, "lint", catalogue], floorCommand: [eventLoop, catalogue])
        comparisons += try Comparison.ofProcesses(
            "carnet lint of one descriptor", against: "carnet --version", of: 1, goals: (nil, 1.5),
            command: [carnet, "lint", one], floorCommand: [carnet, "--version"])
        for (name, command) in try peerCommands(folder) {
            guard FileManager.default.isExecutableFile(atPath: command[0]) else {
                note("\(name) is left out; to have it: python3 Tests/Peers/environments.py \(name)")
                continue
            }
            comparisons += try Comparison.ofProcesses(
                subject, against: name, rounds: 3, of: Self.fileCount, goals: (0.05, nil), command: lint,
                floorCommand: command)
        }
        return comparisons.map(\.row)
    }

    /// Descriptors of real providers.
    private func writeCatalogue() throws -> (folder: String, count: Int) {
        let folder = scratch.appending(path: "catalogue")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let entries = ProviderRegistry.builtIn.entries
        for entry in entries {
            try Data(entry.document.file.bytes).write(to: folder.appending(path: "\(entry.descriptor.id).yaml"))
        }
        return (folder.path, entries.count)
    }

    private func peerCommands(_ folder: String) throws -> [(name: String, command: [String])] {
        let schema = scratch.appending(path: "schema.json")
        try Data(DescriptorSchema.document.jsonText(.indented).utf8).write(to: schema)
        let files = try FileManager.default.contentsOfDirectory(atPath: folder).map { "\(folder)/\($0)" }
        func program(_ name: String) -> String { peers.appending(path: "\(name)/bin/\(name)").path }
        return [
            ("check-jsonschema", [program("check-jsonschema"), "--schemafile", schema.path] + files),
            ("yamllint", [program("yamllint"), "-d", Self.yamllintRules, folder]),
        ]
    }

    /// Its own rules, but for the style that a catalogue may have.
    private static let yamllintRules = """
        {extends: default, rules: {document-start: disable, line-length: disable, braces: {max-spaces-inside: 1}, \
        comments: {min-spaces-from-content: 1}}}
        """

    private func note(_ line: String) {
        FileHandle.standardError.write(Data((line + "\n").utf8))
    }
}
