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
        let document = TerminalLine(.object(JSONObject(["name": .string(text)])))
        for line in [TerminalLine(text), TerminalLine(progress: text), document] {
            let shown =
                line.written.hasPrefix("\r\u{1B}[K") ? String(line.written.unicodeScalars.dropFirst(4)) : line.written
            for scalar in forbidden { #expect(!shown.unicodeScalars.contains(scalar), "\(shown.debugDescription)") }
        }
        // The document has the same value.
        let decoded = try JSONSerialization.jsonObject(with: Data(document.written.utf8)) as? [String: String]
        #expect(decoded?["name"]?.unicodeScalars.elementsEqual(text.unicodeScalars) == true)
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
