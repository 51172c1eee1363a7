import ArgumentParser
import Carnet
import CarnetDescriptors
import CarnetFoundation
import CarnetProtocol

struct ClientDocumentCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "client-document", abstract: "Write or check the metadata of a client whose id is a URL.",
        discussion: """
            A server that accepts client ID metadata documents takes the URL as the client id and fetches the document \
            from there: nobody registers the client. Any web server can serve it, as application/json, with status 200 and without a redirect. \
            carnet login URL --client-id-document URL uses it. carnet client-document URL is short for carnet \
            client-document write URL, whose help has the options.

            Examples:
              carnet client-document https://app.example/client.json --name 'My tool' > client.json
              carnet client-document check https://app.example/client.json
            """,
        subcommands: [ClientDocumentWriteCommand.self, ClientDocumentCheckCommand.self],
        defaultSubcommand: ClientDocumentWriteCommand.self
    )
}

struct ClientDocumentWriteCommand: Subcommand {
    static let configuration = CommandConfiguration(
        commandName: "write", abstract: "Print the metadata of a client.",
        discussion: """
            Examples:
              carnet client-document write https://app.example/client.json --name 'My tool' > client.json
            """)

    @Argument(value: "url", "The URL of the document: https, with a path, without a query.") var url: String

    @Option(value: "text", "The client's name, which users see.") var name: String?

    @Option(
        "redirect-uri", value: "uri",
        "A redirect URI. Repeatable. Default: http://127.0.0.1/callback and http://localhost/callback.")
    var redirectURIs: [String] = []

    @Option("scope", value: "scope", "A scope that the client may request. Repeatable.") var scopes: [String] = []

    @OptionGroup var program: ProgramOptions

    @OptionGroup(title: "Output options") var plainOutput: PlainOutputOptions
    var output: OutputOptions { plainOutput.all }

    func run(_ context: CommandContext) async throws {
        let document = try document()
        context.console.print(json: document)
        for line in JSONValue.object(document).jsonText(.indented).printableLines { context.console.print(line) }
    }

    private func document() throws -> JSONObject {
        let metadata = ClientMetadata(
            redirectURIs: redirectURIs.isEmpty
                ? ["http://127.0.0.1/callback", "http://localhost/callback"] : redirectURIs,
            clientName: name, scopes: scopes, uris: program.uris, softwareID: program.softwareID,
            softwareVersion: program.softwareVersion)
        return try JSONValue(parsing: try metadata.document(at: url)).object ?? JSONObject()
    }
}
