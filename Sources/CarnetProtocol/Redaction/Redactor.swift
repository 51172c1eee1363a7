import CarnetDescriptors
import CarnetFoundation
import HTTPTypes

/// Removes secrets from untrusted text, byte by byte: a combining mark after a secret would hide it from a search by
/// characters.
struct Redactor {
    /// The forms of the secrets. The redaction mark is first, so that redacted text is not searched again; then the
    /// longest, so that no part of a secret remains.
    private let forms: [ByteSearch]
    /// A shorter secret is found as a whole word only: otherwise the code `c` would shred every message.
    private static let shortLength = 8

    init(hiding secrets: [Secret]) {
        var forms: [[UInt8]] = []
        for secret in secrets {
            let text = secret.reveal()
            let encoded = PercentEncoding.encode(text)
            if !text.isEmpty { forms.append(Array(text.utf8)) }
            if encoded.utf8.count != text.utf8.count { forms.append(Array(encoded.utf8)) }
        }
        forms.sort { $0.count > $1.count }
        self.forms = ([Array(Self.mark.utf8)] + forms).map(ByteSearch.init)
    }

    private static let mark = Secret("").description

    /// Whether a secret is in the text.
    func finds(in text: String) -> Bool {
        var text = text
        return text.withUTF8 { bytes in forms.dropFirst().contains { !Found($0, in: bytes).places.isEmpty } }
    }

    /// The text without the secrets, truncated to a number of Unicode scalars.
    func redact(_ text: String, limit: Int) -> String {
        var text = text
        return text.withUTF8 { bytes in
            var found = forms.map { Found($0, in: bytes) }.filter { !$0.places.isEmpty }
            var output: [UInt8] = []
            var count = 0
            var index = 0
            while index < bytes.count, count < limit {
                Work.count()
                if let length = Self.length(of: &found, at: index) {
                    output += Self.mark.utf8
                    count += Self.mark.utf8.count
                    index += length
                } else {
                    let end = index + UTF8Sequence.length(in: bytes, at: index)
                    output += bytes[index..<end]
                    count += 1
                    index = end
                }
            }
            return String(decoding: output, as: UTF8.self)
        }
    }

    /// The positions of one form, and how far they were read.
    private struct Found {
        let places: [Int]
        let length: Int
        var next = 0

        init(_ form: ByteSearch, in bytes: UnsafeBufferPointer<UInt8>) {
            let length = form.pattern.count
            self.length = length
            let all = form.places(in: bytes)
            places =
                length >= Redactor.shortLength
                ? all
                : all.filter { place in
                    !Self.isWord(bytes, at: place - 1, beside: place)
                        && !Self.isWord(bytes, at: place + length, beside: place + length - 1)
                }
        }

        /// Whether a letter or digit is at an offset and beside it, so that a word continues there.
        private static func isWord(_ bytes: UnsafeBufferPointer<UInt8>, at offset: Int, beside inner: Int) -> Bool {
            bytes.indices.contains(offset) && ASCII.isAlphanumeric(bytes[offset]) && ASCII.isAlphanumeric(bytes[inner])
        }
    }

    /// The length of the first form at an offset. Offsets only grow, so each position is read once.
    private static func length(of found: inout [Found], at offset: Int) -> Int? {
        for index in found.indices {
            while found[index].next < found[index].places.count, found[index].places[found[index].next] < offset {
                Work.count()
                found[index].next += 1
            }
            if found[index].next < found[index].places.count, found[index].places[found[index].next] == offset {
                return found[index].length
            }
        }
        return nil
    }
}

extension IncomingResponse {
    /// The same without secrets in its headers and its body, which the server repeats.
    package func hiding(_ secrets: [Secret]) -> IncomingResponse {
        let redactor = Redactor(hiding: secrets)
        var response = self
        for index in head.headerFields.indices where redactor.finds(in: head.headerFields[index].value) {
            let text = redactor.redact(head.headerFields[index].value, limit: .max)
            response.head.headerFields[index].value = text
        }
        let text = String(decoding: body, as: UTF8.self)
        guard redactor.finds(in: text) else { return response }
        response.body = Array(redactor.redact(text, limit: .max).utf8)
        return response
    }
}

extension String {
    /// The text without words that may be tokens: 20 or more characters of base64url or a JWT, with letters and digits.
    package var withoutTokens: String {
        withoutTokens(of: { ASCII.isUnreserved($0) || [0x2B, 0x2F, 0x3D].contains($0) }) { word in
            word.contains(where: ASCII.isLetter)
        }
    }

    /// The text without words of 20 or more such bytes, with a digit among them.
    func withoutTokens(of isTokenByte: (UInt8) -> Bool, where isToken: ([UInt8]) -> Bool) -> String {
        var output: [UInt8] = []
        var word: [UInt8] = []
        func end() {
            let isHidden = word.count >= 20 && word.contains(where: ASCII.isDigit) && isToken(word)
            output += isHidden ? Array(Secret("").description.utf8) : word
            word = []
        }
        for byte in utf8 {
            Work.count()
            if isTokenByte(byte) {
                word.append(byte)
            } else {
                end()
                output.append(byte)
            }
        }
        end()
        return String(decoding: output, as: UTF8.self)
    }

    /// The text as errors and logs may quote it: truncated, without characters that forge a line, control a terminal
    /// or change the reading direction.
    package func quotable(limit: Int = 200) -> String {
        var output = String.UnicodeScalarView()
        for scalar in unicodeScalars.prefix(limit) {
            Work.count()
            let isHarmless =
                scalar.value >= 0x20 && !(0x7F...0x9F).contains(scalar.value)
                && ![.format, .lineSeparator, .paragraphSeparator].contains(scalar.properties.generalCategory)
            output.append(isHarmless ? scalar : " ")
        }
        return String(output)
    }
}
