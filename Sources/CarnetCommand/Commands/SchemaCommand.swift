import ArgumentParser
import CarnetDescriptors

struct SchemaCommand: Subcommand {
    static let configuration = CommandConfiguration(
        commandName: "schema",
        abstract: "Print the JSON Schema of descriptors or of resource maps, for editors.",
        discussion: """
            With and without --json, the output is the schema. Save it as descriptor.schema.json next to a descriptor \
            that begins with this line:

              # yaml-language-server: $schema=descriptor.schema.json

            The editor then completes and checks the keys. Resource maps have another schema.

            Examples:
              carnet schema > descriptor.schema.json
              carnet schema --resources > resources.schema.json
            """
    )

    @Flag(help: "Print the schema of resource maps instead.")
    var resources = false

    @OptionGroup(title: "Output options") var output: OutputOptions

    func run(_ context: CommandContext) async throws {
        let schema = resources ? DescriptorSchema.resourceMap : DescriptorSchema.document
        context.console.print(bytes: Array((schema.jsonText(.indented) + "\n").utf8))
    }
}
