import CarnetCatalog
import CarnetDescriptors
import CarnetFoundation
import CarnetProtocol
import CarnetSandbox
import CarnetTesting
import Foundation
import HTTPTypes
import Testing

@testable import CarnetCommand

/// What `carnet try` does, for every provider that comes with Carnet. The requests of each are kept in
/// `Catalogue/ID.txt`; with `CARNET_UPDATE_DOCS=1` in the environment they are written anew.
@Suite("The catalogue")
struct CatalogueTests {
    private static let folder = BuiltProduct.package.appending(path: "Tests/Modules/CarnetCommandTests/Catalogue")
    private static let isUpdating = ProcessInfo.processInfo.environment["CARNET_UPDATE_DOCS"] == "1"

    @Test(
        "A provider signs in, has a profile, refreshes and revokes with the requests on file",
        arguments: ProviderRegistry.builtIn.ids)
    func requests(id: ProviderID) async throws {
        let entry = try ProviderRegistry.builtIn.entry(named: id.rawValue)
        let setup = try TrialSetup(entry, inputs: [:], redirectURI: nil)
        let (client, server) = (CountedBytes("client"), CountedBytes("sandbox"))
        var steps: [TrialStep] = []
        let trial = try Trial(
            setup, clock: ManualClock(now: Date(timeIntervalSince1970: 1_800_000_000)), random: client,
            sandboxRandomBytes: server.bytes
        ) { steps.append($0) }
        let result = await trial.run()
        for step in steps {
            if case .failed(let failure) = step.outcome {
                Issue.record("\(step.title): \(failure.lines { text, _ in text }.joined(separator: "\n"))")
            }
        }
        try #require(!result.hasFailed)
        let profile = try #require(steps.first { $0.title == "Profile" })
        if case .passed = profile.outcome {
            #expect(result.profile.contains { $0.name == "subject" }, "the profile has no subject")
        }

        let text = await Self.text(of: trial, setup, steps)
        let file = Self.folder.appending(path: "\(id).txt")
        if Self.isUpdating { try Data(text.utf8).write(to: file) }
        let kept = try? String(contentsOf: file, encoding: .utf8)
        #expect(kept == text, "\(file.lastPathComponent) is not current; run the tests with CARNET_UPDATE_DOCS=1")
    }

    @Test("Every file of requests belongs to a provider")
    func noRemains() throws {
        let names = try FileManager.default.contentsOfDirectory(atPath: Self.folder.path)
        let ids = Set(ProviderRegistry.builtIn.ids.map { "\($0).txt" })
        #expect(Set(names).subtracting(ids).isEmpty)
    }

    /// The requests as they went out, without those for public documents.
    private static func text(of trial: Trial, _ setup: TrialSetup, _ steps: [TrialStep]) async -> String {
        // The person's decision on a page of the sandbox is no request of the client, and a callback none to the sandbox.
        let requests = await trial.sandbox.requests.filter {
            ($0.endpoint != .authorization || $0.method != .post) && !$0.url.contains("/activate?")
        }
        var sent = steps.flatMap(\.exchanges).filter { $0.step != .callback }
        #expect(requests.count == sent.count, "\(sent.map(\.request.url)) are not \(requests.map(\.url))")
        var text = "The requests of a test client at \(setup.provider.name), from the sign-in to the revocation.\n"
        for request in requests {
            func place(_ url: String) -> Substring {
                let place = url.prefix { $0 != "?" && $0 != "#" }
                return place.hasSuffix("/") ? place.dropLast() : place
            }
            guard let index = sent.firstIndex(where: { place($0.request.url) == place(request.url) }) else {
                Issue.record("no step sent \(request.url)")
                continue
            }
            let step = sent.remove(at: index).step
            guard ![.discovery, .keys].contains(step) else { continue }
            text += "\n## \(step.rawValue)\n\(request.method.rawValue) \(request.url)\n"
            for header in request.headers { text += "\(header.name.rawName): \(header.value)\n" }
            if !request.body.isEmpty { text += "\n\(request.bodyText)\n" }
        }
        // Signatures are different each time.
        return text.replacing(/eyJ[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]*/, with: "(JWT)")
    }
}

/// Random bytes that are the same at every run; 32 of them read `001_client_000...` in base64url.
private final class CountedBytes: RandomSource {
    private let label: String
    private let count = Lock(0)

    init(_ label: String) { self.label = label }

    @Sendable func bytes(count length: Int) -> [UInt8] {
        // Several secrets may be read at a time.
        if length > 32, length.isMultiple(of: 32) { return (0..<length / 32).flatMap { _ in bytes(count: 32) } }
        let number = count.withLock { count in
            count += 1
            return count
        }
        let digits = String(number)
        let start = String(repeating: "0", count: max(0, 3 - digits.count)) + digits + "_" + label + "_"
        // 43 characters of base64url; the last has two bits that must be zero, as in 0.
        let text = start + String(repeating: "0", count: max(0, (length * 4 + 2) / 3 - start.count)) + "000"
        let base64 = text.prefix(text.count / 4 * 4).replacing("-", with: "+").replacing("_", with: "/")
        return Array((Data(base64Encoded: String(base64)) ?? Data()).prefix(length))
    }
}
