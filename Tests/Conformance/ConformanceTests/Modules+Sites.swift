import ConformanceProvider

/// What a module does with a web site.
enum SiteFlow: Sendable {
    /// The site posts nothing: another page sends the browser to it (OpenID Connect Core, section 4).
    case thirdParty
    /// The user signs out at the provider, too, and returns.
    case signOut(returns: Bool)
    case backChannel(isAccepted: Bool)
    case frontChannel(afterSignOut: Bool)
}

/// The modules that need a web site.
enum SiteModules {
    static let thirdParty = [make("3rd-party-init-login", .thirdParty, .thirdParty)]

    static let rpInitiated = [
        make("rp-init-logout", .rpInitiated, .signOut(returns: true)),
        make("rp-init-logout-other-state", .rpInitiated, .signOut(returns: false)) {
            $0.logoutReturn = { $0["state"] = "another-state-of-the-provider" }
        },
        make("rp-init-logout-no-state", .rpInitiated, .signOut(returns: false)) {
            $0.logoutReturn = { $0["state"] = nil }
        },
    ]

    private static let event = "http://schemas.openid.net/event/backchannel-logout"

    static let backChannel = [
        make("rp-backchannel-rpinitlogout", .backChannel, .backChannel(isAccepted: true)),
        refused("alg-none") { $0.logoutSignature = .none },
        refused("no-event") { $0.logoutToken = { $0["events"] = nil } },
        refused("with-nonce") { $0.logoutToken = { $0["nonce"] = "nonce" } },
        refused("wrong-alg") { $0.logoutSignature = .with("ES256") },
        refused("wrong-aud") { $0.logoutToken = { $0["aud"] = "another-client" } },
        refused("wrong-event") { $0.logoutToken = { $0["events"] = [event + "/other": Members()] } },
        refused("wrong-iss") { $0.logoutToken = { $0["iss"] = "https://op.example.invalid" } },
    ]

    static let frontChannel = [
        make("rp-frontchannel-rpinitlogout", .frontChannel, .frontChannel(afterSignOut: true)),
        make("rp-frontchannel-opinitlogout", .frontChannel, .frontChannel(afterSignOut: false)),
    ].map { module in
        var module = module
        module.lines = "logout: { front_channel: true }\n"
        return module
    }

    private static func refused(_ name: String, _ change: (inout Deviation) -> Void) -> Module {
        make("rp-backchannel-rpinitlogout-" + name, .backChannel, .backChannel(isAccepted: false), change)
    }

    private static func make(
        _ name: String, _ plan: Module.Plan, _ flow: SiteFlow, _ change: (inout Deviation) -> Void = { _ in }
    ) -> Module {
        var module = OpenIDModules.make(Play("-" + name, .completes, change), plan, ["client_secret_basic"])
        module.flow = .site(flow)
        module.setup.postLogoutRedirectURI = Site.origin + "/signed-out"
        return module
    }
}

/// All modules that run.
enum Modules {
    static let all: [Module] = [
        OpenIDModules.basic, OpenIDModules.formPost, OpenIDModules.config, OpenIDModules.dynamic,
        OpenIDModules.comprehensive, SiteModules.thirdParty, SiteModules.rpInitiated, SiteModules.backChannel,
        SiteModules.frontChannel, OpenIDModules.refresh, FAPIModules.security, FAPIModules.signing,
        FAPIModules.clientCredentials, OpenIDModules.older,
    ].flatMap { $0 }
}
