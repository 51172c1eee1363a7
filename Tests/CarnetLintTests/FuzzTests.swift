import Foundation
import Testing

@testable import Fuzzing

/// What `swift run -c release Fuzzing` tries by the million, with a few inputs; and every input that ever found something.
@Suite struct FuzzTests {
    private static let corpus = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: "Fuzzing/Corpus").path

    @Test func `the corpus is clean`() throws {
        let names = try FileManager.default.contentsOfDirectory(atPath: Self.corpus).sorted()
        #expect(names.count >= 4)
        for name in names {
            let bytes = Array(try Data(contentsOf: URL(filePath: Self.corpus).appending(path: name)))
            #expect(throws: Never.self, "\(name)") { try InputCheck().run(bytes) }
        }
    }

    @Test(arguments: 1...8 as ClosedRange<UInt64>)
    func `inputs that are nearly right are clean`(seed: UInt64) throws {
        let mutator = Mutator(seeds: try Fuzzing.files(in: Self.corpus) + Fuzzing.examples)
        let check = InputCheck()
        var random = SplitMix64(seed: seed)
        for _ in 0..<100 {
            let bytes = mutator.input(&random)
            #expect(throws: Never.self, "\(String(decoding: bytes, as: UTF8.self))") { try check.run(bytes) }
        }
    }
}
