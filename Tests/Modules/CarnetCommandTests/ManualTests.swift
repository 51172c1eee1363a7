import Foundation
import Testing

/// `Docs/man` and `Docs/completions` are made from the command's own help. With `CARNET_UPDATE_DOCS=1` in the environment
/// they are written anew.
@Suite("The manual page and the completions")
struct ManualTests {
    private static let docs = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().appending(path: "Docs")

    private let home: CommandHome

    init() throws {
        home = try CommandHome()
    }

    private func check(_ path: String, is text: String) throws {
        let file = Self.docs.appending(path: path)
        if ProcessInfo.processInfo.environment["CARNET_UPDATE_DOCS"] == "1" {
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data(text.utf8).write(to: file)
        }
        let written = try String(contentsOf: file, encoding: .utf8)
        #expect(written == text, "Docs/\(path) is not current; run the tests with CARNET_UPDATE_DOCS=1")
    }

    @Test("The manual page has every command and option")
    func manual() async throws {
        let dump = try await home.run("--experimental-dump-help")
        try #require(dump.status == 0, "\(dump)")
        let version = try await home.run("--version").standardOutput.trimmingCharacters(in: .whitespacesAndNewlines)
        let tool = try JSONDecoder().decode(Manual.Tool.self, from: Data(dump.standardOutput.utf8))
        var topics: [(title: String, text: String)] = []
        for name in ["clients", "environment", "exit-status", "folders", "formatting"] {
            let topic = try await home.run("help", name, "--json").json()
            topics.append((name, try #require(topic["text"] as? String)))
        }
        try check("man/carnet.1", is: Manual(tool.command, version: version, topics: topics).page)
    }

    @Test(
        "The completions are those of the command",
        arguments: [("bash", "carnet.bash"), ("zsh", "_carnet"), ("fish", "carnet.fish")])
    func completions(_ shell: String, _ file: String) async throws {
        let script = try await home.run("--generate-completion-script", shell)
        try #require(script.status == 0, "\(script)")
        // A provider's id comes from the command itself: `---completion`.
        #expect(script.standardOutput.contains("---completion"))
        try check("completions/\(file)", is: script.standardOutput)
    }

    @Test("carnet help environment names every variable of a provider, as the page about the configuration does")
    func topics() async throws {
        let topics = try await home.run("help", "environment")
        #expect(topics.status == 0, "\(topics)")
        let page = try String(contentsOf: Self.docs.appending(path: "configuration.md"), encoding: .utf8)
        let names = topics.standardOutput.matches(of: /CARNET_MY_IDP_([A-Z_]+)/).map { String($0.output.1) }
        #expect(names.count == 14)
        for name in names { #expect(page.contains("`CARNET_ACME_\(name)`"), "\(name)") }
    }

    @Test("The help of every command has an example that the parser accepts")
    func examples() async throws {
        let dump = try await home.run("--experimental-dump-help")
        let tool = try JSONDecoder().decode(Manual.Tool.self, from: Data(dump.standardOutput.utf8))
        let commands = tool.command.all
        #expect(commands.count > 25)
        for command in commands {
            let examples = command.discussion?.split(separator: "\n").filter { $0.hasPrefix("  carnet ") } ?? []
            #expect(!examples.isEmpty, "\(command.name) has no example")
            for example in examples {
                let words = example.split(separator: " ")
                #expect(example.hasPrefix("  carnet \(command.name.split(separator: " ")[0])"), "\(example)")
                let options = Set(command.named(by: words).flatMap { $0.spellings })
                for word in words where word.hasPrefix("-") && word.count > 1 {
                    #expect(options.contains(String(word)), "\(command.name) has no \(word): \(example)")
                }
            }
        }
    }
}

/// A manual page in the language of `man`.
private struct Manual {
    struct Tool: Decodable {
        let command: Command
    }

    struct Command: Decodable {
        let commandName: String
        let abstract: String?
        let discussion: String?
        let superCommands: [String]?
        let subcommands: [Command]?
        let defaultSubcommand: String?
        let arguments: [Argument]?

        /// With its commands above, but for `carnet`.
        var name: String { ((superCommands ?? []).dropFirst() + [commandName]).joined(separator: " ") }

        /// The commands below.
        var all: [Command] {
            (subcommands ?? []).filter { $0.commandName != "help" }.flatMap { [$0] + $0.all }
        }

        /// The options of the command that a line names, or of its default.
        func named(by words: [Substring]) -> [Argument] {
            let inner = subcommands?.first { sub in
                words.contains { $0 == sub.commandName }
                    || (subcommands?.allSatisfy { other in
                        !words.contains { $0 == other.commandName }
                    } ?? true) && sub.commandName == defaultSubcommand
            }
            return inner?.named(by: words) ?? arguments ?? []
        }
    }

    struct Argument: Decodable, Hashable {
        struct Name: Decodable, Hashable {
            let kind: String
            let name: String
        }

        let kind: String
        let shouldDisplay: Bool
        let sectionTitle: String?
        let isOptional: Bool
        let isRepeating: Bool
        let names: [Name]?
        let valueName: String?
        let abstract: String?

        var spellings: [String] {
            (names ?? []).map { ($0.kind == "long" ? "--" : "-") + $0.name }
        }
    }

    private let command: Command
    private let version: String
    private let commands: [Command]
    /// The options that several commands share, by the title of their section.
    private let shared: [(title: String, options: [Argument])]

    /// The texts of `carnet help TOPIC`.
    private let topics: [(title: String, text: String)]

    init(_ command: Command, version: String, topics: [(title: String, text: String)]) {
        self.topics = topics
        self.command = command
        self.version = version
        let commands = command.all
        self.commands = commands
        let options = commands.flatMap { $0.arguments ?? [] }.filter(\.shouldDisplay)
        var titles: [String] = []
        for option in options {
            if let title = option.sectionTitle, !titles.contains(title) { titles.append(title) }
        }
        shared = titles.compactMap { title in
            var members: [Argument] = []
            for option in options where option.sectionTitle == title && !members.contains(option) {
                members.append(option)
            }
            let users = commands.count { $0.arguments?.contains { $0.sectionTitle == title } == true }
            return users > 2 ? (title, members) : nil
        }
    }

    var page: String {
        var lines = [
            ".\\\" Generated from the help of carnet. Do not edit.", ".TH CARNET 1 \"\" \"carnet \(version)\"",
            ".SH NAME",
            "carnet \\- \(Self.escaped(command.abstract ?? ""))", ".SH SYNOPSIS", ".B carnet",
            "\\fIcommand\\fR [\\fIoptions\\fR]",
            ".SH DESCRIPTION",
        ]
        lines += Self.paragraphs(command.discussion ?? "") + [".SH COMMANDS"]
        for command in commands { lines += section(command) }
        lines.append(".SH SHARED OPTIONS")
        for (title, options) in shared { lines += [".SS \(Self.escaped(title))"] + options.flatMap(Self.option) }
        for (title, text) in topics {
            lines += [".SH \(Self.escaped(title.uppercased().replacing("-", with: " ")))"] + Self.paragraphs(text)
        }
        return lines.joined(separator: "\n") + "\n"
    }

    private func section(_ command: Command) -> [String] {
        let own = (command.arguments ?? []).filter { argument in
            argument.shouldDisplay && !shared.contains { $0.title == argument.sectionTitle }
                && !["help", "version"].contains(argument.names?.first { $0.kind == "long" }?.name)
        }
        let positionals = own.filter { $0.kind == "positional" }.map { argument in
            let name = "\\fI\(Self.escaped(argument.valueName ?? ""))\\fR" + (argument.isRepeating ? "..." : "")
            return argument.isOptional ? "[\(name)]" : name
        }
        let usage = (["\\fBcarnet \(command.name)\\fR"] + positionals + ["[\\fIoptions\\fR]"]).joined(
            separator: " ")
        var lines = [".SS carnet \(command.name)", Self.escaped(command.abstract ?? ""), ".PP", usage]
        lines += Self.paragraphs(command.discussion ?? "")
        return lines + own.flatMap(Self.option)
    }

    private static func option(_ argument: Argument) -> [String] {
        let value = argument.valueName.map { " \\fI\(escaped($0))\\fR" } ?? ""
        let names = argument.spellings.map { "\\fB\(escaped($0))\\fR" }.joined(separator: ", ")
        let title = argument.kind == "positional" ? "\\fI\(escaped(argument.valueName ?? ""))\\fR" : names
        return [".TP", title + (argument.kind == "option" ? value : ""), escaped(argument.abstract ?? "")]
    }

    /// Lines that begin with a space stay as they are written; others are filled.
    private static func paragraphs(_ text: String) -> [String] {
        var lines: [String] = []
        var isVerbatim = false
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            let startsVerbatim = line.hasPrefix(" ")
            if startsVerbatim != isVerbatim { lines.append(startsVerbatim ? ".nf" : ".fi") }
            isVerbatim = startsVerbatim
            lines.append(line.isEmpty ? ".PP" : escaped(String(line)))
        }
        if isVerbatim { lines.append(".fi") }
        return lines.isEmpty ? [] : [".PP"] + lines
    }

    private static func escaped(_ text: String) -> String {
        let line = text.replacing("\\", with: "\\e").replacing("-", with: "\\-").replacing("\n", with: " ")
        return line.hasPrefix(".") || line.hasPrefix("'") ? "\\&" + line : line
    }
}
