import ArgumentParser
import Carnet
import CarnetDescriptors
import CarnetFoundation
import CarnetProtocol

struct ClientDocumentCommand: Subcommand {
    static let configuration = CommandConfiguration(
        commandName: "client-document",
        abstract: "Write or check the metadata of a client whose id is a URL.",
        discussion: """
            A server that accepts client ID metadata documents takes the URL as the client id and fetches the document \
            from there: nobody registers the client. Any web server can serve it, as application/json, with status 200 and without a redirect. \
            carnet login URL --client-id-document URL uses it.

            Examples:
              carnet client-document https://app.example/client.json --name 'My tool' > client.json
              carnet client-document https://app.example/client.json --check
            """
    )

    @Argument(help: ArgumentHelp("The URL of the document: https, with a path, without a query.", valueName: "url"))
    var url: String

    @Option(help: ArgumentHelp("The client's name, which users see.", valueName: "text"))
    var name: String?

    @Option(
        name: .customLong("redirect-uri"),
        help: ArgumentHelp(
            "A redirect URI. Repeatable. Default: http://127.0.0.1/callback and http://localhost/callback.",
            valueName: "uri"))
    var redirectURIs: [String] = []

    @Option(
        name: .customLong("scope"),
        help: ArgumentHelp("A scope that the client may request. Repeatable.", valueName: "scope"))
    var scopes: [String] = []

    @OptionGroup var program: ProgramOptions

    @Flag(help: "Request the document from its URL, and check it and the response.")
    var check = false

    @OptionGroup(title: "Connection options") var reach: ReachOptions
    @OptionGroup(title: "Output options") var output: OutputOptions

    func validate() throws {
        guard check else { return }
        let isMade =
            !redirectURIs.isEmpty || !scopes.isEmpty || !program.uris.isEmpty || name != nil
            || program.softwareID != nil || program.softwareVersion != nil
        if isMade { throw ValidationError("--check reads the document; remove the other options") }
    }

    func run(_ context: CommandContext) async throws {
        if check { return try await ClientDocumentCheck(url: url, reach: reach, context: context).run() }
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
