import ArgumentParser
import Carnet
import CarnetDescriptors
import CarnetFoundation
import CarnetProtocol

struct ProfileCommand: Subcommand {
    static let configuration = CommandConfiguration(
        commandName: "profile", abstract: "Print the user's profile.",
        discussion: """
            Examples:
              carnet profile acme
              carnet profile acme --json
            """)

    @OptionGroup var account: AccountOptions
    @OptionGroup(title: "Output options") var output: OutputOptions

    func run(_ context: CommandContext) async throws {
        let account = try await Account(account, context)
        let session = try await account.session()
        let profile = try await account.explaining {
            try await context.console.showing("fetching the profile") { try await session.profile() }
        }
        let rows = profile.claims.map { [$0.name.printable, ($0.value.scalarText ?? $0.value.jsonText()).printable] }
        for line in Table.lines(rows) { context.console.print(line) }
        for failure in profile.failures { context.console.warn("\(failure)".printable) }
        context.console.print(json: account.json + ["profile": .object(JSONObject(profile.claims))])
        if let failure = account.entry.descriptor.failure(ofSubjectIn: profile) { throw failure }
    }
}
