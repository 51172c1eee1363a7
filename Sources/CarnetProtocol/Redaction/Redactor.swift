/// Takes secrets out of text that someone else wrote, byte by byte: a combining mark after a secret hides it from a
/// search by characters, and not from this one.
struct Redactor {
    private let forms: [[UInt8]]
    private let firstBytes: Set<UInt8>

    init(hiding secrets: [Secret]) {
        let texts = secrets.map { $0.reveal() }.filter { !$0.isEmpty }
        // The longest first, so that no secret is left in half by another that it begins with.
        let secretForms = Set(texts + texts.map(PercentEncoding.encode)).sorted { $0.utf8.count > $1.utf8.count }
        // The mark before all: what was redacted once is not looked into again.
        forms = ([Self.mark] + secretForms).map { Array($0.utf8) }
        firstBytes = Set(forms.compactMap(\.first))
    }

    private static let mark = Secret("").description

    /// The text without the secrets, cut after so many Unicode scalars.
    func redact(_ text: String, limit: Int) -> String {
        var output = String.UnicodeScalarView()
        var count = 0
        let scalars = text.unicodeScalars
        var index = scalars.startIndex
        while index < scalars.endIndex, count < limit {
            if let form = form(at: index, of: text.utf8) {
                output.append(contentsOf: Self.mark.unicodeScalars)
                count += Self.mark.unicodeScalars.count
                index = text.utf8.index(index, offsetBy: form.count)
            } else {
                output.append(scalars[index])
                count += 1
                index = scalars.index(after: index)
            }
        }
        return String(output)
    }

    private func form(at index: String.Index, of text: String.UTF8View) -> [UInt8]? {
        guard firstBytes.contains(text[index]) else { return nil }
        return forms.first { text[index...].starts(with: $0) }
    }
}

extension String {
    /// The text as it may be quoted in an error or a log: bounded, and without characters that forge a line, drive a
    /// terminal or make a line read as something else.
    func quotable(limit: Int = 200) -> String {
        var output = String.UnicodeScalarView()
        for scalar in unicodeScalars.prefix(limit) {
            let isHarmless =
                scalar.value >= 0x20 && !(0x7F...0x9F).contains(scalar.value)
                && ![.format, .lineSeparator, .paragraphSeparator].contains(scalar.properties.generalCategory)
            output.append(isHarmless ? scalar : " ")
        }
        return String(output)
    }
}
