import ArgumentParser
import CarnetDescriptors
import CarnetFoundation
import CarnetLint

struct SchemaCommand: Subcommand {
    static let configuration = CommandConfiguration(
        commandName: "schema",
        abstract: "Print the JSON Schema of descriptors, resource maps or clients files, for editors.",
        discussion: """
            With and without --json, the output is the schema. Save it as descriptor.schema.json next to a descriptor \
            that begins with this line:

              # yaml-language-server: $schema=descriptor.schema.json

            The editor then completes and checks the keys. Resource maps and clients files have schemas of their own.

            Examples:
              carnet schema > descriptor.schema.json
              carnet schema --resources > resources.schema.json
              carnet schema --clients > clients.schema.json
            """
    )

    enum Subject: String, EnumerableFlag {
        case resources, clients

        static func help(for value: Subject) -> ArgumentHelp? {
            "Print the schema of \(value == .resources ? "resource maps" : "clients files") instead."
        }
    }

    @Flag var subject: Subject?

    @OptionGroup(title: "Output options") var plainOutput: PlainOutputOptions
    var output: OutputOptions { plainOutput.all }

    func run(_ context: CommandContext) async throws {
        let schema =
            switch subject {
            case nil: DescriptorSchema.document
            case .resources: DescriptorSchema.resourceMap
            case .clients: ClientsFileEntry.schema
            }
        context.console.print(bytes: Array((schema.jsonText(.indented) + "\n").utf8))
    }
}
