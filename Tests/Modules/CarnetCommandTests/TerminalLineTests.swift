// swift-format-ignore-file: AlwaysUseLowerCamelCase

import CarnetDescriptors
import CarnetFoundation
import Foundation
import Testing

@testable import CarnetCommand

/// LOG-05: what the terminal gets.
@Suite("Terminal line")
struct TerminalLineTests {
    @Test(
        "LOG-05: No string of a descriptor or a server controls the terminal",
        arguments: [
            "E\u{1B}]0;owned\u{7}", "a\u{202E}b", "a\u{2028}b", "a\u{9B}2Jb", "a\rb", "a\u{2066}b", "a\u{1B}[8mb",
            "a\u{7F}b",
        ])
    func LOG_05_noStringControlsTheTerminal(text: String) throws {
        let forbidden = text.unicodeScalars.filter {
            !("a"..."z").contains($0) && !$0.isASCII || $0.value < 0x20 || $0.value == 0x7F
        }
        #expect(!forbidden.isEmpty)
        let object = JSONValue.object(["name": .string(text)])
        let documents = [TerminalLine(object), TerminalLine(object, .compact)]
        for line in [TerminalLine(text), TerminalLine(progress: text)] + documents {
            let shown =
                line.written.hasPrefix("\r\u{1B}[K") ? String(line.written.unicodeScalars.dropFirst(4)) : line.written
            for scalar in forbidden { #expect(!shown.unicodeScalars.contains(scalar), "\(shown.debugDescription)") }
        }
        // The document has the same value; an entry of a log is one line.
        for document in documents {
            let decoded = try JSONSerialization.jsonObject(with: Data(document.written.utf8)) as? [String: String]
            #expect(decoded?["name"]?.unicodeScalars.elementsEqual(text.unicodeScalars) == true)
        }
        #expect(!documents[1].written.contains("\n"))
    }

    /// Read by the grammar of the line alone: a message, then NAME=VALUE, where a value with other characters is quoted.
    private static func fields(of line: String, after message: String) throws -> [String: String] {
        var rest = try #require(
            line.hasPrefix(message) ? line.unicodeScalars.dropFirst(message.unicodeScalars.count) : nil)
        var fields: [String: String] = [:]
        while !rest.isEmpty {
            #expect(rest.removeFirst() == " ")
            let name = rest.prefix { $0 != "=" }
            rest = rest[name.endIndex...].dropFirst()
            var value = String.UnicodeScalarView()
            if rest.first == "\"" {
                rest = rest.dropFirst()
                while let scalar = rest.popFirst(), scalar != "\"" {
                    value.append(scalar == "\\" ? rest.popFirst() ?? "?" : scalar)
                }
            } else {
                value.append(contentsOf: rest.prefix { $0 != " " })
                rest = rest[rest.prefix { $0 != " " }.endIndex...]
                #expect(!value.contains("\"") && !value.contains("="))
            }
            #expect(fields.updateValue(String(value), forKey: String(name)) == nil, "\(name) is there twice: \(line)")
        }
        return fields
    }

    /// What ends a value in some reader of logs, alone and before a field that somebody wants to forge.
    @Test("LOG-06: No value forges a field of a log line or another line")
    func LOG_06_noValueForgesAField() throws {
        let ends = [
            " ", "\t", "\n", "\r\n", "\r", "\u{B}", "\u{C}", "\u{0}", "\u{85}", "\u{A0}", "\u{2028}", "\u{2029}",
            "\u{3000}",
            "\"", "\" ", "\\\" ", "\\\\\" ", "\\", "=", "'", "\u{202E}", "\u{1B}[0m ", "\u{7F}", ",", ";", "|",
            "a\" b=\"",
        ]
        for end in ends {
            for value in [end, "x\(end)", "mallory\(end)outcome=allowed\(end)subject=alice", "\(end)id=0"] {
                let line = ConsoleLogHandler.line(
                    "A request is refused", ["subject": value, "outcome": "forbidden", "empty": ""])
                #expect(!line.unicodeScalars.contains { $0.value < 0x20 || (0x7F...0x9F).contains($0.value) })
                #expect(!line.unicodeScalars.contains("\u{2028}") && !line.unicodeScalars.contains("\u{2029}"))
                let fields = try Self.fields(of: line, after: "A request is refused")
                #expect(fields.keys.sorted() == ["outcome", "subject"], "\(line)")
                #expect(fields["outcome"] == "forbidden")
                // What is no more than text arrives as it is.
                if value.unicodeScalars.allSatisfy({ (0x20...0x7E).contains($0.value) }) {
                    #expect(fields["subject"] == value)
                }
            }
        }
        #expect(ConsoleLogHandler.line("m", ["a": "plain-1.2/x", "b": "é"]) == "m a=plain-1.2/x b=é")
    }

    @Test("Colours of this program and line breaks stay")
    func colours() {
        let line = "\u{1B}[1;31mcarnet:\u{1B}[0m a\nb"
        #expect(TerminalLine(line).written == line)
    }

    /// The next place cannot forget it: nothing but `TerminalLine` and `print(bytes:)` writes.
    @Test("LOG-05: Only a terminal line is written")
    func LOG_05_onlyATerminalLineIsWritten() throws {
        let sources = URL(filePath: #filePath).deletingLastPathComponent().appending(
            path: "../../../Sources/CarnetCommand"
        )
        .standardized
        let files = try #require(FileManager.default.enumerator(at: sources, includingPropertiesForKeys: nil))
        var writers: [String] = []
        for case let file as URL in files where file.pathExtension == "swift" {
            let text = try String(contentsOf: file, encoding: .utf8)
            let isWriter = [
                "OutputChannel.standardOutput.write", "OutputChannel.standardError.write", "channel.write",
                "FileHandle.standard",
                "fputs(",
            ].contains { text.contains($0) }
            if isWriter { writers.append(file.lastPathComponent) }
        }
        #expect(writers.sorted() == ["Console.swift", "TerminalLine.swift"])
    }
}
