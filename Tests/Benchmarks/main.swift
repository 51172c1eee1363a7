import CarnetCatalog
import CarnetDescriptors
import CarnetLint
import Crypto
import CryptoExtras
import Foundation

// swift run -c release Benchmarks [--json]

let entries = ProviderRegistry.builtIn.entries
let files = entries.map(\.document.file)
let linter = Linter()
let signingKey = try _RSA.Signing.PrivateKey(keySize: .bits2048)
let message = Data("the claims of an ID token".utf8)
let signIns = try entries.map { try SignIn($0.descriptor) }

let comparisons = [
    try await Comparison("reading a descriptor", against: "libyaml's events of it", runs: 50) {
        for file in files { _ = DescriptorDocument(file) }
    } floorBody: {
        for file in files { _ = libyamlEvents(of: file.bytes) }
    },
    try await Comparison("linting a descriptor", against: "libyaml's events of it", runs: 50) {
        _ = linter.lint(files: files)
    } floorBody: {
        for file in files { _ = libyamlEvents(of: file.bytes) }
    },
    try await Comparison("a sandbox sign-in with profile", against: "one RSA signature made and checked", runs: 5) {
        for signIn in signIns { try await signIn.run() }
    } floorBody: {
        for _ in signIns {
            let signature = try signingKey.signature(for: message, padding: .insecurePKCS1v1_5)
            guard signingKey.publicKey.isValidSignature(signature, for: message, padding: .insecurePKCS1v1_5) else {
                fatalError("the floor's signature is wrong")
            }
        }
    },
]

if CommandLine.arguments.contains("--json") {
    let results = comparisons.map { comparison -> JSONValue in
        [
            "subject": .string(comparison.subject), "floor": .string(comparison.floor),
            "ratio": .number(String(Comparison.median(comparison.ratios))),
            "minimum": .number(String(comparison.ratios.first ?? 0)),
            "maximum": .number(String(comparison.ratios.last ?? 0)),
        ]
    }
    let document: JSONValue = ["version": 1, "comparisons": .array(results)]
    print(document.jsonText(.indented))
} else {
    for comparison in comparisons {
        let ratios = comparison.ratios
        print("\(comparison.subject), against \(comparison.floor):")
        print(
            String(
                format: "  %.2f times (%.2f to %.2f); %.0f µs against %.0f µs",
                Comparison.median(ratios),
                ratios.first ?? 0,
                ratios.last ?? 0,
                Comparison.median(comparison.subjectSeconds) * 1e6 / Double(files.count),
                Comparison.median(comparison.floorSeconds) * 1e6 / Double(files.count)
            )
        )
    }
}
