import ArgumentParser
import CarnetProtocol

/// The metadata of a client that the provider may show or use (RFC 7591, section 2).
struct RegistrationOptions: ParsableArguments {
    @Option(
        name: .customLong("contact"),
        help: ArgumentHelp(
            "The e-mail address of a person who is responsible for the client. Repeatable.", valueName: "address")
    )
    var contacts: [String] = []

    @OptionGroup var program: ProgramOptions

    @Option(
        name: .customLong("jwks-uri"),
        help: ArgumentHelp(
            "Where the client publishes its public keys. Then they are not registered themselves.", valueName: "uri"))
    var keySet: String?

    @Option(
        name: .customLong("post-logout-redirect-uri"),
        help: ArgumentHelp("Where the provider sends the browser after a sign-out.", valueName: "uri"))
    var postLogoutRedirect: String?

    @Option(
        name: .customLong("backchannel-logout-uri"),
        help: ArgumentHelp("Where the provider posts logout tokens.", valueName: "uri"))
    var backChannelLogout: String?

    @Option(
        name: .customLong("frontchannel-logout-uri"),
        help: ArgumentHelp("The page that the provider loads in a frame at a sign-out.", valueName: "uri"))
    var frontChannelLogout: String?

    @Option(
        name: .customLong("initiate-login-uri"),
        help: ArgumentHelp("Where another site can begin a sign-in.", valueName: "uri"))
    var initiateLogin: String?

    @Option(
        name: .customLong("id-token-alg"),
        help: ArgumentHelp(
            "The signature algorithm of ID tokens, such as ES256. Default: the descriptor's, else RS256.",
            valueName: "name"))
    var idToken: String?

    @Option(
        name: .customLong("userinfo-alg"),
        help: ArgumentHelp(
            "The signature algorithm of the profile. Default: the descriptor's, else no signature.", valueName: "name"))
    var userinfo: String?

    @Option(
        name: .customLong("request-object-alg"),
        help: ArgumentHelp(
            "The only signature algorithm of authorization requests. Default: that of --key-file if the descriptor requires signed requests, else any.",
            valueName: "name"))
    var requestObject: String?

    var uris: [ClientMetadata.URI: String] {
        let all: [(ClientMetadata.URI, String?)] = [
            (.keySet, keySet), (.postLogoutRedirect, postLogoutRedirect), (.backChannelLogout, backChannelLogout),
            (.frontChannelLogout, frontChannelLogout), (.initiateLogin, initiateLogin),
        ]
        return all.reduce(into: program.uris) { $0[$1.0] = $1.1 }
    }

    var algorithms: [ClientMetadata.Signed: String] {
        let all: [(ClientMetadata.Signed, String?)] = [
            (.idToken, idToken), (.userinfo, userinfo), (.requestObject, requestObject),
        ]
        return all.reduce(into: [:]) { $0[$1.0] = $1.1 }
    }
}
