import CarnetDescriptors
import CarnetFoundation

/// What several commands share: `carnet help TOPIC`.
struct HelpTopic {
    let name: String
    let summary: String
    let text: String

    private static let topics = [
        HelpTopic(
            name: "clients", summary: "where a client id and a secret come from, and the clients file",
            text: clientsText),
        HelpTopic(name: "environment", summary: "environment variables", text: environmentText),
        HelpTopic(name: "exit-status", summary: "exit statuses", text: exitStatusText),
        HelpTopic(name: "folders", summary: "the folders that carnet reads and writes", text: foldersText),
        HelpTopic(name: "formatting", summary: "JSON, colours and the width of the output", text: formattingText),
        HelpTopic(name: "topics", summary: "this list", text: ""),
    ]

    static let names = topics.map(\.name)

    /// - Returns: Whether the arguments ask for a topic, or for help about something that does not exist.
    static func respond(to arguments: [String], _ environment: HostEnvironment) throws -> TerminalLine? {
        guard arguments.first == "help" else { return nil }
        let words = arguments.dropFirst().filter { !$0.hasPrefix("-") }
        guard let word = words.first else { return nil }
        let name = word == "exit-codes" ? "exit-status" : word
        if let topic = topics.first(where: { $0.name == name }) {
            let list = topics.map { "  carnet help \($0.name.padded(to: 13))\($0.summary)" }
            let text = name == "topics" ? list.joined(separator: "\n") : topic.text
            guard !arguments.contains("--json") else {
                return TerminalLine([
                    "version": 1, "topic": .string(name), "summary": .string(topic.summary), "text": .string(text),
                ])
            }
            let columns = TerminalWidth.forHelp(environment)
            return TerminalLine(
                text.split(separator: "\n", omittingEmptySubsequences: false)
                    .map { HelpText.wrapped(String($0), columns: columns) }.joined(separator: "\n"))
        }
        guard UsageMistake.commandNames.contains(word) else {
            throw UsageMistake.unknown(
                word, "command or topic", in: UsageMistake.commandNames + names,
                next: "list the commands: carnet --help; the topics: carnet help topics")
        }
        return nil
    }

    private static let clientsText = """
        To sign in at a real provider, carnet needs a client id, and usually a client secret. It takes each value from the \
        first of these places:

          1. options, such as --client-id, --client-secret-env and --input
          2. the file of --clients
          3. environment variables, such as CARNET_ACME_CLIENT_ID for the provider acme
          4. the file ~/.config/carnet/clients.yaml

        No option takes the secret itself: other users of the machine can read the arguments of a command.

        The clients file has an entry for each provider. Only its owner should be able to read a file with a secret; carnet \
        warns about others:

          acme:
            client_id: ID
            client_secret_env: ACME_SECRET
            redirect_uri: http://127.0.0.1/callback

        carnet schema --clients prints the JSON Schema of the file, with all keys. carnet register writes an entry.
        """

    private static let environmentText = """
        The variables of one provider begin with CARNET_, the id in upper case, and _. A hyphen of the id becomes _. For the \
        provider my-idp:

          CARNET_MY_IDP_CLIENT_ID
          CARNET_MY_IDP_CLIENT_SECRET
          CARNET_MY_IDP_CLIENT_KEY, or CARNET_MY_IDP_CLIENT_KEY_FILE
          CARNET_MY_IDP_CLIENT_KEY_ID
          CARNET_MY_IDP_CLIENT_CERTIFICATE_FILE
          CARNET_MY_IDP_CLIENT_CERTIFICATE_KEY_FILE
          CARNET_MY_IDP_DPOP_KEY_FILE
          CARNET_MY_IDP_DECRYPTION_KEY_FILE
          CARNET_MY_IDP_REDIRECT_URI
          CARNET_MY_IDP_POST_LOGOUT_REDIRECT_URI
          CARNET_MY_IDP_SCOPES         separated by spaces
          CARNET_MY_IDP_ENVIRONMENT
          CARNET_MY_IDP_INPUT_TENANT   for the input tenant

        Other variables:

          CARNET_PROVIDERS             folders of descriptors, separated by colons
          CARNET_STORE                 the folder of the token store
          XDG_CONFIG_HOME              instead of ~/.config
          XDG_DATA_HOME                instead of ~/.local/share
          HTTPS_PROXY, NO_PROXY        proxies, as for curl
          SSL_CERT_FILE, SSL_CERT_DIR  certificate authorities
          NO_COLOR                     no colours
        """

    private static let foldersText = """
          ~/.config/carnet/providers     descriptors
          ~/.config/carnet/clients.yaml  client registrations: carnet help clients
          ~/.config/carnet/key           the key that encrypts the token store
          ~/.local/share/carnet/tokens   the token store, unless CARNET_STORE is set

        carnet also reads the folder ./providers: carnet providers --help. carnet doctor checks all of them.
        """

    private static let exitStatusText = """
          0    done
          1    the check found something, or the sign-in or call failed
          2    wrong usage
          3    the program itself failed
          75   a server is busy; try again later, or at the time that it named
          129  ended by SIGHUP; 130 by Ctrl-C; 143 by SIGTERM; carnet gateway ends with 0
        """

    private static let formattingText = """
        Results go to stdout, and everything about the run to stderr.

          --json        Print one JSON document, also for an error: {"version": 1, "error": {"message": …}}. Later \
        releases may add members to it.
          --color when  auto (default), always or never. With auto, there are no colours in a file or a pipe, with \
        TERM=dumb, or with NO_COLOR.
          --verbose     Print each request and response to stderr, without secrets.

        On a terminal, tables and help fit its width. COLUMNS sets another width.
        """
}
