import CarnetDescriptors
import Testing

/// Mutated texts: whatever comes, the reader answers, and every place that it names is in the text.
@Suite struct YAMLFuzzTests {
    /// SplitMix64: the same texts in every run.
    private struct Generator: RandomNumberGenerator {
        var state: UInt64

        mutating func next() -> UInt64 {
            state &+= 0x9E37_79B9_7F4A_7C15
            var mixed = state
            mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
            mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
            return mixed ^ (mixed >> 31)
        }
    }

    private static let seed = """
        carnet: 1 # the format
        id: &id acme
        name: "Ac\\u006de 🌱"
        inputs: { domain: { type: hostname, example: 'id.acme.example' } }
        issuer: https://{domain}/
        scopes:
          default: [openid, profile, email]
          catalog:
            - id: openid
              title: >-
                Know who
                you are
            - *id
        samples:
          token: { access_token: "[redacted]", expires_in: 3600 }
          error: |
            a
              b

            c

        """

    private static let pieces: [String] = [
        ":", ": ", "- ", "? ", "[", "]", "{", "}", ",", "&a ", "*a", "!!str ", "!x ", "|", ">", "'", "\"", "#", " # ",
        "\n",
        "\r\n", "\r", "\t", " ", "  ", "---\n", "...\n", "%YAML 1.2\n", "%TAG ! x:\n", "<<: ", "\u{FEFF}", "é", "🌱",
        "\u{2028}", "\u{0}", "\\", "@", "`", "~", "null", "\n\n  ",
    ]

    private func mutated(_ generator: inout Generator) -> [UInt8] {
        var bytes = Array(Self.seed.utf8)
        for _ in 0..<Int.random(in: 1...6, using: &generator) {
            let place = Int.random(in: 0...bytes.count, using: &generator)
            switch Int.random(in: 0..<5, using: &generator) {
            case 0: bytes.removeSubrange(place..<min(bytes.count, place + Int.random(in: 1...20, using: &generator)))
            case 1: bytes.insert(UInt8.random(in: 0...255, using: &generator), at: place)
            case 2:
                let end = min(bytes.count, place + Int.random(in: 1...40, using: &generator))
                bytes.insert(contentsOf: bytes[place..<end], at: Int.random(in: 0...bytes.count, using: &generator))
            default: bytes.insert(contentsOf: (Self.pieces.randomElement(using: &generator) ?? "").utf8, at: place)
            }
        }
        return bytes
    }

    @Test(arguments: 0..<20 as Range<UInt64>)
    func `every place is in the text`(seed: UInt64) {
        var generator = Generator(state: seed)
        for _ in 0..<100 {
            let file = SourceFile(path: "fuzz.yaml", bytes: mutated(&generator))
            let text = SourceText(file)
            let document = YAMLReader().read(file)
            #expect(document.root != nil || !document.diagnostics.isEmpty)
            for diagnostic in document.diagnostics {
                #expect(text.range(of: diagnostic.span) != nil, "\(diagnostic.span) in \(file.text.debugDescription)")
                #expect(diagnostic.related.allSatisfy { text.range(of: $0.span) != nil })
            }
            for comment in document.comments {
                #expect(text.text(in: comment.span)?.hasPrefix("#") == true, "\(file.text.debugDescription)")
            }
            if let root = document.root { check(root, in: text, isAliased: file.bytes.contains(UInt8(ascii: "*"))) }
        }
    }

    /// Children lie inside their parent, one after the other, unless an alias moved them.
    private func check(_ node: YAMLNode, in text: SourceText, isAliased: Bool) {
        #expect(text.range(of: node.span) != nil, "\(node.span) in \(String(decoding: text.bytes, as: UTF8.self))")
        var children = node.elements ?? []
        for entry in node.entries ?? [] {
            #expect(text.range(of: entry.keySpan) != nil)
            children += [YAMLNode(.scalar(YAMLScalar(entry.key, isPlain: true)), span: entry.keySpan), entry.value]
        }
        var last = node.span.start
        for child in children {
            if !isAliased {
                #expect(
                    last <= child.span.start,
                    "\(child.span) in \(String(decoding: text.bytes, as: UTF8.self).debugDescription)")
                #expect(child.span.end <= node.span.end, "\(child.span) in \(node.span)")
            }
            last = child.span.end
            check(child, in: text, isAliased: isAliased)
        }
        if let scalar = node.scalar, scalar.isPlain, !scalar.text.contains(where: \.isWhitespace), !isAliased {
            #expect(text.text(in: node.span) == scalar.text)
        }
    }
}
