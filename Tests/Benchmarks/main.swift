import CarnetCatalog
import CarnetDescriptors
import CarnetLint
import Crypto
import CryptoExtras
import Foundation

// swift build -c release && .build/release/Benchmarks [--json] [--only-signing-in]

let onlySigningIn = CommandLine.arguments.contains("--only-signing-in")
// First, while this program is small: a child's peak memory is never less than its parent's when it was started.
let (processes, figures) = onlySigningIn ? ([], []) : try LintProcess().measure()

let entries = ProviderRegistry.builtIn.entries
let files = entries.map(\.document.file)
let linter = Linter()
let signingKey = try _RSA.Signing.PrivateKey(keySize: .bits2048)
let message = Data("the claims of an ID token".utf8)
let signIns = try entries.map { try SignIn($0.descriptor) }

var comparisons = [
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
        "a sandbox sign-in with profile", against: "one RSA signature made and checked", runs: 5, of: files.count
    ) {
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

for algorithm in IDTokenValidation.Algorithm.allCases {
    let validation = try IDTokenValidation(algorithm)
    comparisons.append(
        try await Comparison(
            "validating an ID token with \(algorithm.rawValue)", against: "its bare signature check", rounds: 25,
            runs: 400,
            of: 1
        ) {
            try validation.validate()
        } floorBody: {
            try validation.checkSignature()
        })
}

comparisons =
    onlySigningIn ? comparisons.suffix(IDTokenValidation.Algorithm.allCases.count) : comparisons + processes

if CommandLine.arguments.contains("--json") {
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
    let document: JSONValue = ["version": 2, "comparisons": .array(results), "figures": .array(numbers)]
    print(document.jsonText(.indented))
} else {
    for comparison in comparisons {
        let ratios = comparison.ratios
        print("\(comparison.subject), against \(comparison.floor), \(comparison.measure):")
        print(
            String(
                format: "  %.3g times (%.3g to %.3g); %.0f µs against %.0f µs for each",
                Comparison.median(ratios),
                ratios.first ?? 0,
                ratios.last ?? 0,
                Comparison.median(comparison.subjectSeconds) * 1e6 / Double(comparison.count),
                Comparison.median(comparison.floorSeconds) * 1e6 / Double(comparison.count)
            )
        )
    }
    for figure in figures {
        let (least, most) = (figure.values.min() ?? 0, figure.values.max() ?? 0)
        print("\(figure.name):")
        print(
            String(format: "  %.1f %@ (%.1f to %.1f)", Comparison.median(figure.values), figure.unit, least, most)
        )
    }
}
