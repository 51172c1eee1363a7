import CarnetTestSupport
import Foundation
import Testing

@testable import CarnetDescriptors
@testable import Fuzzing

/// What `swift run -c release Fuzzing` tries by the million, with a few inputs; and every input that ever found something.
@Suite("Fuzz")
struct FuzzTests {
    private static let corpus = Repository.root.appending(path: "Tests/Attacks/Fuzzing/Corpus").path

    @Test("The corpus is clean")
    func theCorpusIsClean() throws {
        let names = try FileManager.default.contentsOfDirectory(atPath: Self.corpus).sorted()
        #expect(names.count >= 4)
        for name in names {
            let bytes = Array(try Data(contentsOf: URL(filePath: Self.corpus).appending(path: name)))
            #expect(throws: Never.self, "\(name)") { try InputCheck().run(bytes) }
        }
    }

    @Test("Inputs that are nearly right are clean", arguments: 1...8 as ClosedRange<UInt64>)
    func inputsThatAreNearlyRight(seed: UInt64) throws {
        let mutator = Mutator(seeds: try Fuzzing.files(in: Self.corpus) + Fuzzing.examples)
        let check = InputCheck()
        var random = SplitMix64(seed: Budget.seed &+ seed)
        for _ in 0..<25 * Budget.factor {
            let bytes = mutator.input(&random)
            #expect(throws: Never.self, "seed \(Budget.seed): \(String(decoding: bytes, as: UTF8.self))") {
                try check.run(bytes)
            }
        }
    }

    @Test("Each section of the language is in the corpus")
    func eachSectionOfTheLanguage() throws {
        let roots = try Fuzzing.files(in: Self.corpus).compactMap {
            YAMLReader().read(SourceFile(path: "", bytes: $0)).root
        }
        let paths = DescriptorRules.shape.sectionUses().map(\.path).filter { path in
            // One value is of one of these.
            !["issuer_match"].contains(path) && !path.hasPrefix("environments.")
        }
        #expect(paths.count > 40)
        for path in Set(paths) {
            let steps = path.replacing("[]", with: ".[]").split(separator: ".")
            #expect(roots.contains { Self.has(steps[...], in: $0) }, "\(path)")
        }
    }

    private static func has(_ steps: ArraySlice<Substring>, in node: YAMLNode) -> Bool {
        guard let step = steps.first else { return node.entries != nil }
        let rest = steps.dropFirst()
        switch step {
        case "[]": return node.elements?.contains { has(rest, in: $0) } ?? false
        case "NAME": return node.entries?.contains { has(rest, in: $0.value) } ?? false
        default: return node.entry(String(step)).map { has(rest, in: $0.value) } ?? false
        }
    }
}
