/// Takes secrets out of text that someone else wrote, byte by byte: a combining mark after a secret hides it from a
/// search by characters, and not from this one.
struct Redactor {
    private let forms: [[UInt8]]
    /// For each byte, whether a form begins with it.
    private let begins: [Bool]

    init(hiding secrets: [Secret]) {
        var forms: [[UInt8]] = []
        for secret in secrets {
            let text = secret.reveal()
            let encoded = PercentEncoding.encode(text)
            if !text.isEmpty { forms.append(Array(text.utf8)) }
            if encoded.utf8.count != text.utf8.count { forms.append(Array(encoded.utf8)) }
        }
        // The longest first, so that no secret is left in half by another that it begins with.
        forms.sort { $0.count > $1.count }
        // The mark before all: what was redacted once is not looked into again.
        forms.insert(Array(Self.mark.utf8), at: 0)
        var begins = Array(repeating: false, count: 256)
        for form in forms { begins[Int(form[0])] = true }
        self.forms = forms
        self.begins = begins
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
        guard begins[Int(text[index])] else { return nil }
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
