import ArgumentParser
import CarnetDescriptors
import CarnetFoundation

/// Explains what several commands share. `carnet help topics` prints the same text.
struct TopicsCommand: Subcommand {
    static let configuration = CommandConfiguration(
        commandName: "topics",
        abstract: "Explain the clients file, environment variables, folders and exit statuses.",
        discussion: topics + "\n\nExamples:\n  carnet topics"
    )

    @OptionGroup(title: "Output options") var output: OutputOptions

    func run(_ context: CommandContext) async throws {
        context.console.print(CarnetCommand.helpMessage(for: Self.self, columns: 80))
        context.console.print(json: JSONObject(["topics": .string(Self.topics)]))
    }

    private static let topics = """
        Client registrations. To sign in at a real provider, carnet needs a client id, and usually a client secret. It \
        takes each value from the first of these places:

          1. options, such as --client-id, --client-secret-env and --input
          2. the file of --clients
          3. environment variables, such as CARNET_ACME_CLIENT_ID for the provider acme
          4. the file ~/.config/carnet/clients.yaml

        The clients file. Only its owner may read it:

          acme:
            client_id: ID
            client_secret_env: ACME_SECRET
            redirect_uri: http://127.0.0.1/callback

        Variables of one provider. Their names begin with CARNET_, the id in upper case, and _. A hyphen of the id \
        becomes _. For the provider my-idp:

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

        Folders:

          ~/.config/carnet/providers   descriptors
          ~/.config/carnet/key         the key that encrypts the token store
          ~/.local/share/carnet/tokens the token store, unless CARNET_STORE is set

        Exit statuses:

          0    done
          1    the check found something, or the sign-in or call failed
          2    wrong usage
          3    the program itself failed
          129  ended by SIGHUP; 130 by Ctrl-C; 143 by SIGTERM
        """
}
