import ArgumentParser
import CarnetDescriptors

struct SchemaCommand: Subcommand {
    static let configuration = CommandConfiguration(
        commandName: "schema",
        abstract: "Print the JSON Schema of descriptors, or of resource maps, for editors.",
        discussion: """
            The answer is the schema itself, with and without --json. Save it as descriptor.schema.json beside a descriptor \
            that starts with the line

              # yaml-language-server: $schema=descriptor.schema.json

            and the editor completes and checks its keys. A file with resources alone has a schema of its own.
            """
    )

    @Flag(help: "The schema of resource maps in files of their own.")
    var resources = false

    @OptionGroup(title: "Output options") var output: OutputOptions

    func run(_ context: CommandContext) async throws {
        let schema = resources ? DescriptorSchema.resourceMap : DescriptorSchema.document
        context.console.answer(bytes: Array((schema.jsonText(.indented) + "\n").utf8))
    }
}
