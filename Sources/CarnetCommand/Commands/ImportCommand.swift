import ArgumentParser
import CarnetDescriptors
import CarnetFoundation
import CarnetLint
import CarnetOpenAPI

struct ImportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import",
        abstract: "Make a resource map and the draft of a descriptor from an API's own description.",
        discussion: """
            Examples:
              carnet import openapi petstore.yaml > resources.yaml
            """,
        subcommands: [ImportOpenAPICommand.self])
}

struct ImportOpenAPICommand: Subcommand {
    static let configuration = CommandConfiguration(
        commandName: "openapi", abstract: "Read a description in OpenAPI 3 or Swagger 2.0, as YAML or JSON.",
        discussion: """
            The command prints the map that carnet resources check and CarnetResourceServer read. Where a map cannot say \
            what the description says, it refuses the request, and a finding says so.

            Examples:
              carnet import openapi petstore.yaml > resources.yaml
              carnet import openapi petstore.yaml --descriptor > providers/petstore.yaml
              carnet import openapi petstore.yaml --scheme petstore_auth --output .
            """)

    @Argument(value: "file", "The description, or - for stdin.", completion: .file()) var file: String

    @Option(
        value: "name",
        "A security scheme whose access tokens the map accepts. Repeatable. Default: the first that is used and has a page to sign in at, or else names an authorization server, and others of this server."
    )
    var scheme: [String] = []

    @Option(
        value: "name",
        "A security scheme that another program checks. Where it is needed besides a token, the map requires only the token. Repeatable."
    )
    var checkedElsewhere: [String] = []

    @Option(value: "id", "The id of the descriptor. Default: made from the title.") var id: String?

    @Flag(help: "Print the draft of the descriptor instead of the map.") var descriptor = false

    @Option(
        "output", value: "dir",
        "The folder for ID.yaml, the descriptor, and ID-resources.yaml, the map. Default: print the map.",
        completion: .directory)
    var folder: String?

    @Option(help: ArgumentHelp("The findings that cause exit status 1.", valueName: "level"))
    var failOn = FailureLevel.error

    @OptionGroup(title: "Output options") var plainOutput: PlainOutputOptions
    var output: OutputOptions { plainOutput.all }

    func validate() throws {
        try refuse(
            if: folder != nil && descriptor, "--descriptor and --output cannot be combined: --output writes both files")
    }

    func run(_ context: CommandContext) async throws {
        let console = context.console
        let source = try OpenAPIDocument.file(file)
        let imported = try OpenAPIImport(
            source, OpenAPIImport.Options(schemes: scheme, checkedElsewhere: checkedElsewhere, id: id))
        var written: [String] = []
        if let folder {
            let (descriptor, map) = ("\(folder)/\(imported.id).yaml", "\(folder)/\(imported.id)-resources.yaml")
            try NewFiles.write(
                [(descriptor, imported.draft), (map, imported.map)], in: folder,
                next: "choose another --id or folder, or remove what is there")
            written = [descriptor, map]
            for path in written { console.print(path.printable) }
        } else if !console.isJSON {
            console.print(bytes: Array((descriptor ? imported.draft : imported.map).utf8))
        }
        show(imported, of: source.path, console)
        if descriptor || folder != nil { console.noteGuesses(in: imported.draft, imported.id) }
        let counts = imported.counts
        console.print(json: [
            "id": .string(imported.id), "schemes": .list(imported.acceptedSchemes), "files": .list(written),
            "descriptor": .string(imported.draft), "resources": .string(imported.map),
            "counts": [
                "operations": .number("\(counts.operations)"), "resources": .number("\(counts.resources)"),
                "open": .number("\(counts.open)"), "closed": .number("\(counts.closed)"),
            ],
            "findings": .array(
                imported.findings.sorted.map { finding in
                    [
                        "severity": .string(finding.severity.rawValue), "message": .string(finding.message),
                        "help": .optional(finding.help), "file": .string(finding.file ?? source.path),
                        "line": .number("\(finding.place.line)"), "column": .number("\(finding.place.column)"),
                    ]
                }),
        ])
        if failOn.isReached(errors: imported.findings.count(.error), warnings: imported.findings.count(.warning)) {
            throw ExitStatus.failed
        }
    }

    private func show(_ imported: OpenAPIImport, of path: String, _ console: Console) {
        for (finding, count) in imported.findings.grouped {
            let style: TextStyle = finding.severity == .error ? .failure : .warning
            let made = finding.file.map { file in folder.map { $0 + "/" + file } ?? "<\(file)>" }
            let place = "\((made ?? path).printable):\(finding.place.line):\(finding.place.column)"
            let others = count > 1 ? " (and \(count - 1) more)" : ""
            console.note(
                "\(place): \(console.paintError(finding.severity.rawValue, style)): \(finding.message.printable)\(others)"
            )
            if let help = finding.help { console.note("  = help: \(help.printable)") }
        }
        let counts = imported.counts
        console.note(
            "\(counts.operations) operations, \(counts.resources) resources: \(counts.open) open to anyone, "
                + "\(counts.closed) closed")
    }
}
