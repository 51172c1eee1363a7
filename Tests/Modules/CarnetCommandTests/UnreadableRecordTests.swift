import CarnetServerTestSupport
import Foundation
import Testing

/// A record that cannot be opened is not the same as no record.
@Suite("Unreadable record")
struct UnreadableRecordTests {
    private let home: CommandHome
    private let record: URL

    /// A store with a file that is no record, so that nobody can say whose it is.
    init() throws {
        home = try CommandHome()
        let name = String(repeating: "0", count: 64) + ".record"
        record = try home.write("\u{1B}[31mno record", to: "store/\(name)")
        #expect(chmod(record.path, 0o600) == 0)
        #expect(chmod(record.deletingLastPathComponent().path, 0o700) == 0)
    }

    private var store: [String: String] { ["CARNET_STORE": record.deletingLastPathComponent().path] }

    @Test(
        "every command says why the record cannot be read, and the command that sets it aside",
        arguments: [
            ["token", "google"], ["token", "google", "--raw"], ["refresh", "google"], ["profile", "google"],
            ["call", "google", "https://www.googleapis.com/x"], ["resources", "google"], ["logout", "google"],
            ["token", "google", "--account", "ada"],
            ["login", "google", "--client-id", "x", "--no-browser", "--timeout", "20"],
        ])
    func damagedRecord(arguments: [String]) async throws {
        let result = try await home.start(arguments + ["--json"], environment: store).finish()
        #expect(result.status == 3, "\(result)")
        let error = try #require(try result.json()["error"] as? [String: Any])
        let message = try #require(error["message"] as? String)
        #expect(message == "token store: \(record.path) is damaged: its header is invalid")
        #expect((error["next"] as? [String])?.first == "mv '\(record.path)' '\(record.path).damaged'")
        #expect(!result.standardError.contains("https://accounts.google.com"), "the browser is not opened for nothing")
    }

    @Test("accounts names the record, and its exit status is not that of an empty store")
    func accounts() async throws {
        let result = try await home.start(["accounts", "--json"], environment: store).finish()
        #expect(result.status == 3, "\(result)")
        let damaged = try #require(try result.json()["damaged"] as? [[String: Any]])
        #expect(damaged.count == 1)
        #expect(damaged.first?["next"] as? String == "mv '\(record.path)' '\(record.path).damaged'")
        for number in 1...50 {
            let name = String(repeating: "0", count: 62) + String(number + 9) + ".record"
            #expect(chmod(try home.write("junk", to: "store/\(name)").path, 0o600) == 0)
        }
        let many = try await home.start(["accounts"], environment: store).finish()
        #expect(many.standardError.contains("41 more records cannot be opened"), "\(many)")
        #expect(many.standardError.split(separator: "\n").count < 25)
    }

    @Test("accounts makes no folder")
    func accountsOfNobody() async throws {
        let empty = try CommandHome()
        let result = try await empty.run("accounts")
        #expect(result.status == 0, "\(result)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: empty.folder.path).isEmpty)
    }

    @Test("the record of a known account comes with the whole command that forgets it")
    func recordOfAKnownAccount() async throws {
        let sandbox = try await RunningSandbox(home, "google")
        try await home.logIn("google", "--account", "ada's", "--sandbox", sandbox.address)
        let file = try #require(try home.files(endingWith: ".record").first { $0.path.contains("/sandbox/") })
        var bytes = try Data(contentsOf: file)
        bytes[bytes.count - 1] ^= 1
        try bytes.write(to: file)
        #expect(chmod(file.path, 0o600) == 0)
        let command = "carnet logout google --account 'ada'\\''s' --sandbox \(sandbox.address)"
        for arguments in [["token", "google"], ["login", "google", "--account", "ada's", "--no-browser"]] {
            let result = try await home.start(arguments + ["--sandbox", sandbox.address, "--json"]).finish()
            #expect(result.status == 3, "\(result)")
            let error = try #require(try result.json()["error"] as? [String: Any])
            #expect(error["next"] as? [String] == [command])
        }
        #expect(chmod(file.path, 0o644) == 0)
        let shared = try await home.run("token", "google", "--account", "ada's", "--sandbox", sandbox.address, "--json")
        #expect(shared.standardOutput.contains("chmod 600 '\(file.path)'"), "\(shared)")
        let logout = try await home.run("logout", "google", "--account", "ada's", "--sandbox", sandbox.address)
        #expect(logout.status == 0, "\(logout)")
        #expect(!FileManager.default.fileExists(atPath: file.path))
    }

    @Test("the demonstration does not begin with a store that others can use")
    func demo() async throws {
        let folder = record.deletingLastPathComponent().path
        #expect(chmod(folder, 0o755) == 0)
        let result = try await home.run("demo", "--port", "65534", "--store", folder, "--json")
        #expect(result.status == 3, "\(result)")
        #expect(result.standardOutput.contains("chmod 700 '\(folder)'"), "\(result)")
    }
}
