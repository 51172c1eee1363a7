import Foundation
import Testing

@testable import CarnetCommand

@Suite("The doctor")
struct DoctorTests {
    private let home: CommandHome

    init() throws {
        home = try CommandHome()
    }

    /// The outcome of each check by its name; the worst, if there are several.
    private func outcomes(_ environment: [String: String] = [:]) async throws -> (
        status: Int32, [String: String], String
    ) {
        let result = try await home.run("doctor", "--json", environment: environment)
        let checks = try #require(try result.json()["checks"] as? [[String: Any]])
        var outcomes: [String: String] = [:]
        for check in checks {
            let name = try #require(check["name"] as? String)
            let outcome = try #require(check["outcome"] as? String)
            if outcomes[name] == nil || outcome == "problem" { outcomes[name] = outcome }
            #expect(check["message"] is String)
        }
        #expect(try result.json()["ok"] as? Bool == (result.status == 0))
        return (result.status, outcomes, result.standardOutput)
    }

    @Test("A fresh installation has no problem")
    func fresh() async throws {
        let (status, outcomes, text) = try await outcomes()
        #expect(status == 0, "\(text)")
        #expect(!outcomes.values.contains("problem"))
        for name in ["program", "catalogue", "clock", "configuration", "clients", "providers", "store", "browser"] {
            #expect(outcomes[name] != nil, "\(name)")
        }
        #if os(Linux)
            #expect(outcomes["libcurl"] == "ok" && outcomes["certificates"] == "ok")
        #endif
        #expect(try FileManager.default.contentsOfDirectory(atPath: home.folder.path).isEmpty, "it changes nothing")
        let lines = try await home.run("doctor").standardOutput.split(separator: "\n")
        #expect(lines[0].hasPrefix("ok       program") && lines.contains { $0.contains("providers are built in") })
    }

    @Test("A clients file that others can read, and one with an unknown id")
    func clients() async throws {
        let file = try home.write("google: { client_id: a, client_secret: b }\n", to: ".config/carnet/clients.yaml")
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: file.path)
        let (status, outcomes, text) = try await outcomes()
        #expect(status == 1 && outcomes["clients"] == "problem" && text.contains("chmod 600"), "\(text)")
        try home.write("gogle: { client_id: a }\n", to: ".config/carnet/clients.yaml")
        let misspelled = try await home.run("doctor")
        #expect(misspelled.status == 0 && misspelled.standardOutput.contains("did you mean google?"), "\(misspelled)")
        try home.write("google: { client_idd: a }\n", to: ".config/carnet/clients.yaml")
        let invalid = try await self.outcomes()
        #expect(invalid.status == 1 && invalid.1["clients"] == "problem")
    }

    @Test("Folders, descriptors, records and certificates that cannot be used")
    func problems() async throws {
        try home.write("carnet: 1\nid: bad\n", to: ".config/carnet/providers/bad.yaml")
        let descriptor = try await outcomes()
        #expect(descriptor.status == 1 && descriptor.1["providers"] == "problem")
        #expect(descriptor.2.contains("carnet lint"))
        let folder = home.folder.appending(path: ".config/carnet").path
        try FileManager.default.setAttributes([.posixPermissions: 0o777], ofItemAtPath: folder)
        let writable = try await outcomes()
        #expect(writable.1["configuration"] == "problem" && writable.2.contains("chmod go-w"), "\(writable.2)")
        try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: folder)
        try home.write("junk", to: ".local/share/carnet/tokens/x.record")
        try FileManager.default.setAttributes(
            [.posixPermissions: 0o700], ofItemAtPath: home.folder.appending(path: ".local/share/carnet/tokens").path)
        #expect(try await outcomes().1["store"] == "problem")
        #if os(Linux)
            #expect(try await outcomes(["SSL_CERT_FILE": "/nowhere.pem"]).1["certificates"] == "problem")
            #expect(try await outcomes(["PATH": "/nowhere"]).1["browser"] == "note")
        #endif
    }

    @Test("A clock that is wrong by years is a problem", arguments: [0.0, 4_000_000_000.0])
    func clock(_ seconds: Double) async throws {
        let environment = HostEnvironment(home.environment)
        var output = OutputOptions()
        (output.json, output.color, output.verbose, output.quiet) = (true, .never, false, false)
        let context = CommandContext(
            console: Console(output, environment: environment), environment: environment)
        let checks = await Installation(context: context, now: Date(timeIntervalSince1970: seconds)).checks()
        #expect(checks.first { $0.name == "clock" }?.outcome == .problem)
    }
}
