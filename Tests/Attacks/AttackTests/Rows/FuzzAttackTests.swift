// swift-format-ignore-file: AlwaysUseLowerCamelCase
// Tests are named by the rows of the matrix that they mount.

import CarnetTestSupport
import Foundation
import Testing

@testable import Fuzzing

/// What `swift run -c release Fuzzing --target NAME` tries by the million, with a few inputs; and every input that is kept.
@Suite("FUZZ: input that nobody would write", .searchedForSecrets)
struct FuzzAttackTests {
    private static let targets = FuzzTargetName.allCases.filter { $0 != .descriptor }

    private func corpus(_ name: FuzzTargetName) throws -> [[UInt8]] {
        let inputs = try Fuzzing.files(in: Repository.root.appending(path: name.corpus).path)
        #expect(!inputs.isEmpty)
        return inputs
    }

    @Test("FUZZ-01: Inputs that are kept", arguments: targets)
    func FUZZ_01_inputsThatAreKept(name: FuzzTargetName) async throws {
        let corpus = try corpus(name)
        let target = try name.make(corpus: corpus)
        for (index, bytes) in corpus.enumerated() {
            await #expect(throws: Never.self, "\(String(decoding: bytes, as: UTF8.self))") {
                try await target.check(bytes, index: index)
            }
        }
    }

    @Test("FUZZ-01: Inputs that are nearly right", arguments: targets)
    func FUZZ_01_inputsThatAreNearlyRight(name: FuzzTargetName) async throws {
        let target = try name.make(corpus: try corpus(name))
        var random = SplitMix64(seed: Budget.seed)
        for index in 0..<60 * Budget.factor {
            let bytes = target.input(&random)
            await #expect(throws: Never.self, "seed \(Budget.seed): \(String(decoding: bytes, as: UTF8.self))") {
                try await target.check(bytes, index: index)
            }
        }
    }

    /// The check finds what it was written for.
    @Test("FUZZ-01: Check of inputs in URLs finds the earlier defect")
    func FUZZ_01_checkOfInputsInURLs() async throws {
        let corpus = try corpus(.inputURL)
        let target = InputURLTarget(corpus: corpus, isEarlier: true)
        let findings = ["ends the host", "chooses the end", "chooses a part"]
        var found: Set<String> = []
        var random = SplitMix64(seed: 1)
        for bytes in corpus + (0..<2000).map({ _ in target.input(&random) }) {
            do {
                try target.check(bytes, index: 0)
            } catch {
                found.formUnion(findings.filter(error.description.contains))
            }
        }
        #expect(found == Set(findings))
    }

    /// Whatever the runs of millions find can be made again.
    @Test("FUZZ-01: Input is known by two numbers")
    func FUZZ_01_inputIsKnownByTwoNumbers() throws {
        for name in Self.targets {
            let target = try name.make(corpus: try corpus(name))
            var (first, second) = (SplitMix64(seed: 7), SplitMix64(seed: 7))
            for _ in 0..<20 { #expect(target.input(&first) == target.input(&second)) }
        }
    }
}
