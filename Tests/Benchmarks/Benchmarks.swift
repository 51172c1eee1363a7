import ArgumentParser
import CarnetCatalog
import CarnetDescriptors
import CarnetLint
import Crypto
import CryptoExtras
import Foundation

@main
struct Benchmarks: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Measure what linting and signing in cost, against the least that they could.",
        discussion:
            "It looks for the programs carnet and EventLoop beside itself: swift build -c release makes all three."
    )

    @Flag(help: "Print one JSON document.")
    var json = false

    @Flag(help: "Measure the validation of ID tokens alone.")
    var onlySigningIn = false

    func run() async throws {
        // First, while this program is small: a child's peak memory is never less than its parent's when it was started.
        let (processes, figures) = onlySigningIn ? ([], []) : try LintProcess().measure()
        let comparisons =
            (onlySigningIn ? [] : try await Self.inOneProcess()) + (try await IDTokenValidation.comparisons())
            + processes
        print(
            json
                ? Self.document(comparisons, figures).jsonText(.indented)
                : (comparisons.map(\.description) + figures.map(\.description)).joined(separator: "\n"))
    }

    /// The work of three built-in providers.
    private static func inOneProcess() async throws -> [Comparison] {
        let entries = try ["auth0", "cloudentity", "google"].map { try ProviderRegistry.builtIn.entry(named: $0) }
        let files = entries.map(\.document.file)
        let linter = Linter()
        let signingKey = try _RSA.Signing.PrivateKey(keySize: .bits2048)
        let message = Data("the claims of an ID token".utf8)
        let signIns = try entries.map { try SignIn($0.descriptor) }
        return [
            try await Comparison("reading a descriptor", against: "libyaml's events of it", runs: 50, of: files.count) {
                for file in files { _ = DescriptorDocument(file) }
            } floorBody: {
                for file in files { _ = libyamlEvents(of: file.bytes) }
            },
            try await Comparison("linting a descriptor", against: "libyaml's events of it", runs: 50, of: files.count) {
                _ = linter.lint(files: files)
            } floorBody: {
                for file in files { _ = libyamlEvents(of: file.bytes) }
            },
            try await Comparison(
                "a sandbox sign-in with profile", against: "one RSA signature made and checked", runs: 5,
                of: files.count
            ) {
                for signIn in signIns { try await signIn.run() }
            } floorBody: {
                for _ in signIns {
                    let signature = try signingKey.signature(for: message, padding: .insecurePKCS1v1_5)
                    guard signingKey.publicKey.isValidSignature(signature, for: message, padding: .insecurePKCS1v1_5)
                    else { throw BenchmarkFailure(reason: "the floor's signature is wrong") }
                }
            },
        ]
    }

    private static func document(_ comparisons: [Comparison], _ figures: [Figure]) -> JSONValue {
        func number(_ value: Double) -> JSONValue { .number(String(value)) }
        let results = comparisons.map { comparison -> JSONValue in
            [
                "subject": .string(comparison.subject), "floor": .string(comparison.floor),
                "measure": .string(comparison.measure),
                "ratio": number(Comparison.median(comparison.ratios)),
                "minimum": number(comparison.ratios.first ?? 0),
                "maximum": number(comparison.ratios.last ?? 0),
            ]
        }
        let numbers = figures.map { figure -> JSONValue in
            [
                "name": .string(figure.name), "unit": .string(figure.unit),
                "median": number(Comparison.median(figure.values)),
                "minimum": number(figure.values.min() ?? 0),
                "maximum": number(figure.values.max() ?? 0),
            ]
        }
        return ["version": 2, "comparisons": .array(results), "figures": .array(numbers)]
    }
}
