import Foundation
import Testing

/// What is kept, and what happens when it cannot be.
@Suite("Store")
struct StoreTests {
    private let home: CommandHome

    init() throws {
        home = try CommandHome()
    }

    @Test("Records and their key are for their owner alone, and no token is in them")
    func recordsAndTheirKey() async throws {
        let sandbox = try await RunningSandbox(home, "google")
        try await home.logIn("google", "--sandbox", sandbox.address)
        let record = try #require(try home.files(endingWith: ".record").first)
        let key = try #require(try home.files(endingWith: "sandbox-key").first)
        #expect(key.path.contains("/.config/carnet/"), "the key lies apart from what it opens")
        for file in [record, key] {
            let mode = try FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions] as? Int
            #expect(mode == 0o600)
        }
        let raw = try await home.run("token", "google", "--raw", "--sandbox", sandbox.address)
        let token = Data(raw.standardOutput.trimmingCharacters(in: .newlines).utf8)
        #expect(try Data(contentsOf: record).range(of: token) == nil)
    }

    @Test("A store that cannot be written fails as such, and says where it is")
    func aStoreThatCannotBeWritten() async throws {
        try home.write("a file", to: "taken")
        let store = ["CARNET_STORE": home.folder.appending(path: "taken/tokens").path]
        let run = try home.start(["login", "google", "--client-id", "x", "--no-browser"], environment: store)
        let result = try await run.finish()
        #expect(result.status == 3, "\(result)")
        #expect(result.standardError.contains("carnet: token store: "))
        #expect(result.standardError.contains("taken/tokens cannot be created: Not a directory"), "\(result)")
        #expect(!result.standardError.contains("https://"), "nobody signs in for nothing")
    }

    @Test("A damaged record is reported, left as it is, and can be signed out of")
    func aDamagedRecordIsReportedLeft() async throws {
        let sandbox = try await RunningSandbox(home, "google")
        let at = ["--sandbox", sandbox.address]
        try await home.logIn("google", "--account", "a", "--sandbox", sandbox.address)
        let record = try #require(try home.files(endingWith: ".record").first)
        var bytes = try Data(contentsOf: record)
        bytes[bytes.count - 1] ^= 1
        try bytes.write(to: record)
        let run = try home.start(["profile", "google"] + at)
        let result = try await run.finish()
        #expect(result.status == 3, "\(result)")
        #expect(result.standardError.contains(record.lastPathComponent))
        #expect(try Data(contentsOf: record) == bytes)
        let logout = try home.start(["logout", "google"] + at)
        #expect(try await logout.finish().status == 0)
        #expect(try home.files(endingWith: ".record").isEmpty)
    }

    @Test("A record that cannot be read is named and hides no other account")
    func aRecordThatCannotBeReported() async throws {
        let sandbox = try await RunningSandbox(home, "google")
        for account in ["a", "b"] {
            try await home.logIn("google", "--account", account, "--sandbox", sandbox.address)
        }
        let record = try #require(try home.files(endingWith: ".record").first)
        let hidden = try Data(contentsOf: record)
        try hidden.prefix(12).write(to: record)
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: record.path)
        let run = try home.start(["accounts"])
        let result = try await run.finish()
        #expect(result.status == 3, "\(result)")
        #expect(result.standardOutput.split(separator: "\n").count == 1, "\(result)")
        #expect(result.standardError.contains("\(record.lastPathComponent) is damaged: it is truncated or was changed"))
    }
}
