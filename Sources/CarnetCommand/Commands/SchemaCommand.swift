import ArgumentParser
import CarnetDescriptors

struct SchemaCommand: Subcommand {
    static let configuration = CommandConfiguration(
        commandName: "schema",
        abstract: "Print the JSON Schema of descriptors, for editors.",
        discussion: """
            The answer is the schema itself, with and without --json. Save it as descriptor.schema.json beside a descriptor \
            that starts with the line

              # yaml-language-server: $schema=descriptor.schema.json

            and the editor completes and checks its keys.
            """
    )

    @OptionGroup(title: "Output options") var output: OutputOptions

    func run(_ context: CommandContext) async throws {
        context.console.answer(bytes: Array((DescriptorSchema.document.jsonText(.indented) + "\n").utf8))
    }
}
