import ArgumentParser
import CarnetProtocol

/// The metadata of a client that the provider may show or use (RFC 7591, section 2).
struct RegistrationOptions: ParsableArguments {
    @Option(
        "contact", value: "address", "The e-mail address of a person who is responsible for the client. Repeatable.")
    var contacts: [String] = []

    @OptionGroup var program: ProgramOptions

    @Option(
        "jwks-uri", value: "uri",
        "Where the client publishes its public keys. Then they are not registered themselves.")
    var keySet: String?

    @Option("post-logout-redirect-uri", value: "uri", "Where the provider sends the browser after a sign-out.")
    var postLogoutRedirect: String?

    @Option("backchannel-logout-uri", value: "uri", "Where the provider posts logout tokens.")
    var backChannelLogout: String?

    @Option("frontchannel-logout-uri", value: "uri", "The page that the provider loads in a frame at a sign-out.")
    var frontChannelLogout: String?

    @Option("initiate-login-uri", value: "uri", "Where another site can begin a sign-in.") var initiateLogin: String?

    @Option(
        "id-token-alg", value: "name",
        "The signature algorithm of ID tokens, such as ES256. Default: the descriptor's, else RS256.")
    var idToken: String?

    @Option(
        "userinfo-alg", value: "name",
        "The signature algorithm of the profile. Default: the descriptor's, else no signature.")
    var userinfo: String?

    @Option(
        "request-object-alg", value: "name",
        "The only signature algorithm of authorization requests. Default: that of --key-file if the descriptor requires signed requests, else any."
    )
    var requestObject: String?

    var uris: [ClientMetadata.URI: String] {
        let own: [ClientMetadata.URI: String] = [
            .keySet: keySet, .postLogoutRedirect: postLogoutRedirect, .backChannelLogout: backChannelLogout,
            .frontChannelLogout: frontChannelLogout, .initiateLogin: initiateLogin,
        ].compactMapValues { $0 }
        return program.uris.merging(own) { $1 }
    }

    var algorithms: [ClientMetadata.Signed: String] {
        [.idToken: idToken, .userinfo: userinfo, .requestObject: requestObject].compactMapValues { $0 }
    }
}

/// What a program says of itself: its pages, which the provider may show to users, and its id (RFC 7591, section 2).
struct ProgramOptions: ParsableArguments {
    @Option("client-uri", value: "uri", "The client's home page.") var home: String?

    @Option("logo-uri", value: "uri", "The client's logo.") var logo: String?

    @Option("policy-uri", value: "uri", "The client's privacy policy.") var policy: String?

    @Option("tos-uri", value: "uri", "The client's terms of service.") var termsOfService: String?

    @Option("software-id", value: "id", "The id of the program, the same for all of its versions.")
    var softwareID: String?

    @Option("software-version", value: "text", "The version of the program with this id.") var softwareVersion: String?

    var uris: [ClientMetadata.URI: String] {
        [.home: home, .logo: logo, .policy: policy, .termsOfService: termsOfService].compactMapValues { $0 }
    }
}
