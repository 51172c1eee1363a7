import CarnetDescriptors
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

    /// What was measured, the ratios first.
    func measure() throws -> (comparisons: [Comparison], figures: [Figure]) {
        defer { try? FileManager.default.removeItem(at: scratch) }
        let folder = try DescriptorCorpus.write(count: Self.fileCount, in: scratch).path
        let tenth = try DescriptorCorpus.write(count: Self.fileCount / 10, in: scratch).path
        let one = try DescriptorCorpus.write(count: 1, in: scratch).path
        let lint = [carnet, "lint", folder]
        let subject = "carnet lint of \(Self.fileCount) descriptors"

        var comparisons: [Comparison] = []
        for (subject, command) in [(subject, lint), ("\(subject), --no-simulate", lint + ["--no-simulate"])] {
            comparisons += try Comparison.ofProcesses(
                subject, against: "libyaml's events of them", of: Self.fileCount, command: command,
                floorCommand: [eventLoop, folder])
        }
        for (name, command) in try peerCommands(folder) {
            guard FileManager.default.isExecutableFile(atPath: command[0]) else {
                note("\(name) is left out; to have it: python3 Tests/Peers/environments.py \(name)")
                continue
            }
            comparisons += try Comparison.ofProcesses(
                subject, against: name, rounds: 3, of: Self.fileCount, command: lint, floorCommand: command)
        }
        let first = try (0..<15).map { _ in try ProcessCost(of: [carnet, "lint", one]).seconds * 1000 }
        let growth = try (0..<5).map { _ in
            let few = try ProcessCost(of: [carnet, "lint", tenth]).peakKiB
            return (try ProcessCost(of: lint).peakKiB - few) / Double(Self.fileCount * 9 / 10)
        }
        return (
            comparisons,
            [
                Figure(name: "carnet lint of one descriptor, processor time", unit: "ms", values: first),
                Figure(name: "peak memory of carnet lint for each further file", unit: "KiB", values: growth),
            ]
        )
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

/// A number that is no ratio.
struct Figure {
    let name: String
    let unit: String
    let values: [Double]

    var description: String {
        let (least, most) = (values.min() ?? 0, values.max() ?? 0)
        return "\(name):\n"
            + String(format: "  %.1f %@ (%.1f to %.1f)", Comparison.median(values), unit, least, most)
    }
}
