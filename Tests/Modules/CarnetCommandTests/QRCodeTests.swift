import Foundation
import Testing

@testable import CarnetCommand

/// The codes of Fixtures/qr-codes.txt were made by another encoder.
@Suite("QR code")
struct QRCodeTests {
    struct Sample: Sendable, CustomTestStringConvertible {
        let text: String
        let mask: Int
        let rows: [String]
        var testDescription: String { "\(rows.count) modules" }
    }

    static let samples: [Sample] = {
        let file = Bundle.module.url(forResource: "qr-codes", withExtension: "txt", subdirectory: "Fixtures")
        let text = file.flatMap { try? String(contentsOf: $0, encoding: .utf8) } ?? ""
        return text.split(separator: "\n\n").map { block in
            let lines = block.split(separator: "\n").map(String.init)
            let head = lines[0].split(separator: " ")
            return Sample(text: String(head[2]), mask: Int(head[1]) ?? 0, rows: Array(lines.dropFirst()))
        }
    }()

    @Test("The modules are those of another encoder", arguments: samples)
    func theModulesAreThoseOfAnother(sample: Sample) throws {
        let code = try #require(QRCode(sample.text, mask: sample.mask))
        #expect(code.modules.map { String($0.map { $0 ? "#" : "." }) } == sample.rows)
    }

    @Test("Without a mask, it has the one that is easiest to read", arguments: samples)
    func withoutAMaskItHas(sample: Sample) throws {
        let code = try #require(QRCode(sample.text))
        let version = try #require(QRVersion.all.first { $0.size == code.size })
        let grids = (0..<8).map { QRGrid(version, version.codewords(for: Array(sample.text.utf8)), mask: $0) }
        let chosen = try #require(grids.first { $0.modules == code.modules })
        #expect(grids.allSatisfy { $0.penalty >= chosen.penalty })
        #expect(Set(grids.map(\.penalty)).count > 1)
    }

    @Test("Sizes from 1 to 10 are there, and no more")
    func sizesFrom1To10() {
        #expect(Self.samples.map(\.rows.count) == [21, 29, 49, 49, 57])
        #expect(QRCode(String(repeating: "a", count: 271))?.size == 57)
        #expect(QRCode(String(repeating: "a", count: 272)) == nil)
    }

    @Test("A terminal gets two rows a line, with a light margin")
    func aTerminalGetsTwoRows() throws {
        let code = try #require(QRCode("HELLO"))
        let lines = code.lines(usesColor: false)
        #expect(lines.count == 13)
        #expect(lines.allSatisfy { $0.count == 25 })
        #expect(lines[0] == String(repeating: "\u{2588}", count: 25))
        #expect(code.lines(usesColor: true)[0].hasPrefix("\u{1B}[97;40m\u{2588}"))
    }
}
