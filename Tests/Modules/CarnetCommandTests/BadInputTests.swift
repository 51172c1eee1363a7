import Foundation
import Testing

/// Files that nobody should lint, through the real program: a finding with a place and a code, soon, whatever it is.
@Suite("Bad input")
struct BadInputTests {
    private let home: CommandHome

    init() throws {
        home = try CommandHome()
    }

    struct BadFile: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let bytes: Data
        /// The first line of the report.
        let finding: String

        init(_ name: String, _ bytes: Data, _ finding: String) {
            testDescription = name
            self.bytes = bytes
            self.finding = "acme.yaml:" + finding
        }

        init(_ name: String, _ text: String, _ finding: String) {
            self.init(name, Data(text.utf8), finding)
        }
    }

    private static let good = "carnet: 1\nid: acme\nname: Acme\nissuer: https://id.acme.example\n"

    private static func encoded(_ encoding: String.Encoding, mark: [UInt8] = []) -> Data {
        Data(mark) + (good.data(using: encoding) ?? Data())
    }

    static let files = [
        BadFile("UTF-16 LE", encoded(.utf16LittleEndian), "1:1: error: the file is encoded in UTF-16 [D001]"),
        BadFile("UTF-16 BE", encoded(.utf16BigEndian), "1:1: error: the file is encoded in UTF-16 [D001]"),
        BadFile(
            "UTF-16 LE with a mark", encoded(.utf16LittleEndian, mark: [0xFF, 0xFE]),
            "1:1: error: the file is encoded in UTF-16 [D001]"),
        BadFile(
            "UTF-16 BE with a mark", encoded(.utf16BigEndian, mark: [0xFE, 0xFF]),
            "1:1: error: the file is encoded in UTF-16 [D001]"),
        BadFile("UTF-32 LE", encoded(.utf32LittleEndian), "1:1: error: the file is encoded in UTF-32 [D001]"),
        BadFile("UTF-32 BE", encoded(.utf32BigEndian), "1:1: error: the file is encoded in UTF-32 [D001]"),
        BadFile(
            "UTF-32 LE with a mark", encoded(.utf32LittleEndian, mark: [0xFF, 0xFE, 0, 0]),
            "1:1: error: the file is encoded in UTF-32 [D001]"),
        BadFile(
            "UTF-32 BE with a mark", encoded(.utf32BigEndian, mark: [0, 0, 0xFE, 0xFF]),
            "1:1: error: the file is encoded in UTF-32 [D001]"),
        BadFile(
            "Latin-1", Data(good.utf8) + Data([0x64, 0x6F, 0x63, 0x73, 0x3A, 0x20, 0xE9, 0x0A]),
            "5:7: error: the byte 0xE9 is not UTF-8 [D001]"),
        BadFile("a null byte", good + "docs: a\0b\n", "5:8: error: the file contains a null byte [D002]"),
        BadFile(
            "a second byte order mark", "\u{FEFF}" + good + "\u{FEFF}docs: a\n",
            "5:1: error: a byte order mark is not at the start of the file [D002]"),
        BadFile(
            "10 MB", good + "# " + String(repeating: "a", count: 10_000_000),
            "1:1: error: the file cannot be read: larger than 1 MiB [D003]"),
        BadFile("comments alone", "# a\r\n# b\r\n", "1:1: error: the file has no content [D007]"),
        BadFile("a byte order mark alone", "\u{FEFF}", "1:1: error: the file has no content [D007]"),
        BadFile(
            "a merge key", good + "token: &t { body: form }\nrefresh: { <<: *t }\n",
            "6:12: error: the merge key '<<' is not supported [D010]"),
        BadFile(
            "a tag", good + "docs: !!python/object:os.system x\n",
            "5:7: error: the tag \"!!python/object:os.system\" is not supported here [D011]"),
        BadFile(
            "an alias of nothing", good + "docs: *a\n", "5:7: error: the alias \"*a\" has no anchor before it [D012]"),
        BadFile(
            "an alias of itself", good + "inputs: &a { b: *a }\n",
            "5:17: error: the alias \"*a\" is inside the value that it repeats [D012]"),
        BadFile(
            "deep aliases", (0..<70).map { "a\($0): &a\($0) [\($0 == 0 ? "x" : "*a\($0 - 1)")]\n" }.joined(),
            "64:12: error: with this alias, values are nested deeper than 64 levels [D013]"),
        BadFile(
            "deep blocks", (0..<500).map { String(repeating: " ", count: $0) + "a:\n" }.joined(),
            "65:65: error: lists and mappings are nested deeper than 64 levels [D013]"),
        BadFile(
            "100,000 keys", good + "inputs: {" + (0..<100_000).map { "k\($0)" }.joined(separator: ",") + "}\n",
            "5:338864: error: the file holds more than 100000 values [D014]"),
        BadFile(
            "a huge text", good + "docs: " + String(repeating: "a", count: 300_000) + "\n",
            "5:7: error: this text is longer than 256 KiB [D015]"),
        BadFile(
            "a key that is too long to be one", good + String(repeating: "k", count: 2000) + ": 1\n",
            "5:1: error: there is no ':' after this key [D004]"),
        BadFile(
            "no space after a colon", "carnet: 1\nid: acme\nname: Acme\nissuer:https://id.acme.example\nscopes: {}\n",
            "4:7: error: there is no space after this ':' [D004]"),
        BadFile(
            "no space after the first colon", "carnet:1\nid: acme\n",
            "1:7: error: there is no space after this ':' [D004]"),
        BadFile(
            "a no-break space after a colon",
            "carnet: 1\nid: acme\nname: Acme\nissuer:\u{A0}https://id.acme.example\nscopes: {}\n",
            "4:8: error: a no-break space (U+00A0) follows this ':' [D004]"),
        BadFile(
            "unknown keys by the thousand", good + (0..<5_000).map { "k\($0): \($0)\n" }.joined(),
            "5:1: error: unknown key \"k0\" [K001]"),
        BadFile("nothing but a null", "~\n", "1:1: error: found nothing [K002]"),
    ]

    @Test("A file has its finding", arguments: files)
    func aFileHasItsFinding(_ file: BadFile) async throws {
        try file.bytes.write(to: home.folder.appending(path: "acme.yaml"))
        let result = try await home.run("lint", "acme.yaml")
        let first = result.standardOutput.split(separator: "\n", maxSplits: 1).first
        #expect(first.map(String.init) == file.finding)
        #expect(result.status == (file.finding.contains("cannot be read") ? 2 : 1))
        #expect(result.standardError == "")
    }

    @Test("Typographic quotation marks around a URL are named")
    func curlyQuotes() async throws {
        let text = Self.good.replacing("https://id.acme.example", with: "\u{201C}https://id.acme.example\u{201D}")
        try home.write(text, to: "acme.yaml")
        let result = try await home.run("lint", "acme.yaml")
        #expect(
            result.standardOutput.contains("the quotation mark \u{201C} belongs to the value: remove it"), "\(result)")
    }

    @Test("Each kind of line end is one", arguments: ["\r", "\r\n", "\n"])
    func eachKindOfLineEnd(lineEnd: String) async throws {
        let text = (Self.good + "docs: [acme]\n").replacing("\n", with: lineEnd)
        try home.write(text, to: "acme.yaml")
        let result = try await home.run("lint", "acme.yaml")
        #expect(result.standardOutput.hasPrefix("acme.yaml:5:7: error:"), "\(result)")
    }

    // MARK: What is no file

    @Test("What is no file is reported, and hides no other")
    func whatIsNoFileIsReported() async throws {
        let manager = FileManager.default
        try home.write(Self.good, to: "p/acme.yaml")
        let folder = home.folder.appending(path: "p")
        try manager.createDirectory(at: folder.appending(path: "folder.yaml"), withIntermediateDirectories: false)
        #expect(mkfifo(folder.appending(path: "pipe.yaml").path, 0o600) == 0)
        for (name, target) in [("loop", "loop.yaml"), ("zero", "/dev/zero"), ("gone", "nowhere.yaml")] {
            try manager.createSymbolicLink(
                atPath: folder.appending(path: "\(name).yaml").path, withDestinationPath: target)
        }
        let result = try await home.run("lint", "p")
        #expect(result.status == 2)
        let heads = result.standardOutput.split(separator: "\n").filter { $0.contains("[D016]") }
        let loop = String(cString: strerror(ELOOP))
        #expect(
            heads == [
                "p/folder.yaml:1:1: error: the file cannot be read: is a directory, not a file [D016]",
                "p/gone.yaml:1:1: error: the file cannot be read: no such file [D016]",
                "p/loop.yaml:1:1: error: the file cannot be read: \(loop) [D016]",
                "p/pipe.yaml:1:1: error: the file cannot be read: is not a regular file [D016]",
                "p/zero.yaml:1:1: error: the file cannot be read: is not a regular file [D016]",
            ])
        #expect(result.standardOutput.hasSuffix("5 errors in 6 files\n"))
    }

    @Test("A file without permission is reported", .enabled(if: geteuid() != 0, "a superuser may read everything"))
    func aFileWithoutPermissionIsReported() async throws {
        let file = try home.write(Self.good, to: "acme.yaml")
        #expect(chmod(file.path, 0) == 0)
        let result = try await home.run("lint", "acme.yaml")
        #expect(result.status == 2)
        #expect(
            result.standardOutput.contains("acme.yaml:1:1: error: the file cannot be read: permission denied [D016]"))
    }

    @Test("stdin has a limit too")
    func stdinHasALimitToo() async throws {
        let result = try await home.run("lint", "-", input: Data(repeating: UInt8(ascii: "#"), count: 2 << 20))
        #expect(result.status == 2)
        #expect(
            result.standardOutput.hasPrefix(
                "<stdin>:1:1: error: the file cannot be read: larger than 1 MiB [D003]\n"), "\(result)")
    }

    @Test("Descriptors that extend each other in a circle are each reported")
    func descriptorsThatExtendEachOther() async throws {
        for (id, parent) in [("a", "b"), ("b", "c"), ("c", "a")] {
            try home.write("carnet: 1\nid: \(id)\nname: A\nextends: \(parent)\n", to: "p/\(id).yaml")
        }
        let result = try await home.run("lint", "p")
        #expect(result.status == 1)
        let heads = result.standardOutput.split(separator: "\n").filter { $0.contains("[K021]") }
        #expect(
            heads == [
                "p/a.yaml:4:10: error: the descriptor extends itself: a -> b -> c -> a [K021]",
                "p/b.yaml:4:10: error: the descriptor extends itself: b -> c -> a -> b [K021]",
                "p/c.yaml:4:10: error: the descriptor extends itself: c -> a -> b -> c [K021]",
            ])
    }
}
