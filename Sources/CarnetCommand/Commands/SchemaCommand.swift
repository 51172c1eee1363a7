import ArgumentParser
import Carnet
import CarnetDescriptors
import CarnetFoundation
import CarnetGateway
import CarnetLint

struct SchemaCommand: Subcommand {
    static let configuration = CommandConfiguration(
        commandName: "schema", abstract: "Print the JSON Schema of descriptors and other files, for editors.",
        discussion: """
            With and without --json, the output is the schema. Save it as descriptor.schema.json next to a descriptor \
            that begins with this line:

              # yaml-language-server: $schema=descriptor.schema.json

            The editor then completes and checks the keys. Resource maps, clients files and gateway files have \
            schemas of their own.

            Examples:
              carnet schema > descriptor.schema.json
              carnet schema --resources > resources.schema.json
              carnet schema --clients > clients.schema.json
              carnet schema --gateway > gateway.schema.json
            """)

    enum Subject: String, EnumerableFlag {
        case resources, clients, gateway

        static func help(for value: Subject) -> ArgumentHelp? {
            switch value {
            case .resources: "Print the schema of resource maps instead."
            case .clients: "Print the schema of clients files instead."
            case .gateway: "Print the schema of gateway files instead."
            }
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
            case .clients:
                DescriptorSchema.document(
                    of: .map(of: ClientsFileEntry.shape), title: "Carnet clients file",
                    "The client registrations of a host, by provider id.")
            case .gateway: GatewayFile.schema
            }
        context.console.print(bytes: Array((schema.jsonText(.indented) + "\n").utf8))
    }
}
