import CarnetDescriptors
import CarnetFoundation
import Testing

/// Something that reads what strangers send, with an input that is made to cost it much.
struct EntryPoint: Sendable, CustomTestStringConvertible {
    /// An input, and what is done with it.
    struct Attack {
        var length: Int
        var read: () -> Void
    }

    var name: String
    /// Whether every byte is looked at: not where the beginning is refused, or the end is not read.
    var isReadWhole = true
    /// An input of about so many bytes.
    var attack: @Sendable (Int) throws -> Attack

    var testDescription: String { name }

    private static let shortest = 2048
    /// How many steps a byte may take: a body is parsed, looked through for each of forty members, and searched for each
    /// of the secrets of the request.
    private static let stepsForByte = 40
    /// How many bytes are read as one at most: the escape of a character beyond U+FFFF.
    private static let longestUnit = 12
    /// For what is of one length, whatever the input's.
    private static let fixedSteps = 200_000

    /// Expects that eight times the input takes eight times the steps, and that the counter sees the input at all.
    func expectLinearWork(sourceLocation: SourceLocation = #_sourceLocation) throws {
        var before: Int?
        for scale in [1, 2, 4, 8] {
            let attack = try attack(Self.shortest * scale)
            let steps = Work.steps(of: attack.read)
            #expect(
                steps >= (isReadWhole ? attack.length / Self.longestUnit : 1),
                "\(name): \(steps) steps are counted for \(attack.length) bytes", sourceLocation: sourceLocation)
            #expect(
                steps <= Self.stepsForByte * attack.length + Self.fixedSteps,
                "\(name): \(steps) steps for \(attack.length) bytes", sourceLocation: sourceLocation)
            if let before {
                #expect(
                    steps <= before * 5 / 2, "\(name): \(before) steps, and \(steps) for twice the bytes",
                    sourceLocation: sourceLocation)
            }
            before = steps
        }
    }
}
