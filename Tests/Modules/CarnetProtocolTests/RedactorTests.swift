import CarnetFoundation
import Testing

@testable import CarnetProtocol

@Suite("Redactor")
struct RedactorTests {
    private func redact(_ text: String, hiding secrets: String..., limit: Int = .max) -> String {
        Redactor(hiding: secrets.map { Secret($0) }).redact(text, limit: limit)
    }

    @Test("A secret is replaced wherever it stands, also in its percent-encoded form (RFC 3986, section 2.1)")
    func bothForms() {
        #expect(
            redact("a+b/c=d&e,a%2Bb%2Fc%3Dd%26e;xa+b/c=d&ex", hiding: "a+b/c=d&e")
                == "[redacted],[redacted];x[redacted]x")
    }

    @Test("A secret that contains another one leaves no rest", arguments: [true, false])
    func theLongestFirst(isLongFirst: Bool) {
        let (short, long) = ("correct-horse", "correct-horse-battery")
        #expect(
            redact("\(long) \(short)", hiding: isLongFirst ? long : short, isLongFirst ? short : long)
                == "[redacted] [redacted]")
    }

    @Test("A secret of fewer than eight bytes is replaced as a whole word only")
    func shortSecrets() {
        #expect(redact("the code c, not cc: c", hiding: "c") == "the code [redacted], not cc: [redacted]")
        #expect(redact("1234567x 1234567", hiding: "1234567") == "1234567x [redacted]")
        #expect(redact("12345678x", hiding: "12345678") == "[redacted]x")
    }

    @Test("A combining mark after a secret does not hide it")
    func combiningMark() {
        #expect(
            redact("hunter2hunter2\u{301}", hiding: "hunter2hunter2").unicodeScalars.elementsEqual(
                "[redacted]\u{301}".unicodeScalars))
    }

    @Test("The mark itself is not searched, so that redacting again changes nothing")
    func marksStay() {
        #expect(redact("[redacted] redacted", hiding: "redacted") == "[redacted] [redacted]")
    }

    @Test("The limit counts Unicode scalars and divides none, and shows no part of a secret")
    func limit() {
        #expect(redact("äö😀ü", hiding: "absent-secret", limit: 3) == "äö😀")
        #expect(redact("x hunter2hunter2", hiding: "hunter2hunter2", limit: 5) == "x [redacted]")
        #expect(redact("anything", hiding: "absent-secret", limit: 0).isEmpty)
    }

    @Test("An empty secret is in no text, and a mark is no secret")
    func nothingToHide() {
        #expect(redact("a text", hiding: "") == "a text")
        let redactor = Redactor(hiding: [Secret(""), Secret("hunter2hunter2")])
        #expect(!redactor.finds(in: "a [redacted] text") && redactor.finds(in: "a hunter2hunter2 text"))
    }
}
