import CarnetDescriptors
import CarnetLint
import Foundation
import Testing

/// A file that is eight times as long takes about eight times as long; where a rule compares everything with everything, it
/// takes 64 times as long.
struct HostileCostTests {
    @Test("The cost of linting grows as the file does", arguments: Hostile.allCases)
    func theCostOfLintingGrows(_ hostile: Hostile) {
        // The first run makes what is made once.
        _ = cost(of: hostile, count: 8)
        let small = cost(of: hostile, count: 120)
        let large = cost(of: hostile, count: 960)
        #expect(large / small < 32)
    }

    @Test(
        "The cost of a comparison grows as the list does",
        arguments: [
            "api:\n  hosts: [api.acme.example]\n  headers:\n|    X-@: '#'\n",
            "resources:\n|  - { id: r@, title: T, scope: openid, url: https://api.acme.example/#/@ }\n",
            "profile:\n  claims:\n|    c#@: /c@\n", "trusted_hosts:\n|  - h@.#.example\n",
        ])
    func theCostOfAComparisonGrows(_ list: String) {
        _ = cost(ofChanged: list, count: 8)
        let small = cost(ofChanged: list, count: 120)
        let large = cost(ofChanged: list, count: 960)
        #expect(large / small < 32)
    }

    @Test("Whether a verification is stated is asked once of each derived value")
    func derivedValuesAreFollowedOnce() {
        let width = 4
        // Each value of a layer takes all of the layer below.
        let values = (0..<8 * width).map { number in
            let below = number / width - 1
            let all = (0..<width).map { "{connection.v\(below * width + $0)}" }.joined()
            return "    v\(number): '\(below < 0 ? "{client.id}" : all)'\n"
        }
        let head = "carnet: 1\nid: acme\nname: Acme\nissuer: https://id.acme.example\nconnection:\n  derive:\n"
        func cost(of claim: String, _ codes: [String]) -> Double {
            let last = "profile: { derive: { \(claim): '{connection.v\(8 * width - 1)}' } }\n"
            let start = seconds()
            let found = Linter().diagnostics(in: [SourceFile(path: "acme.yaml", text: head + values.joined() + last)])
            let end = seconds()
            #expect(found.map(\.code) == codes)
            return end - start
        }
        #expect(cost(of: "email_verified", ["T065"]) < 4 * cost(of: "title", []))
    }

    /// - Parameter list: What stands before the list, and an element: with its number for `@`, and the version for `#`.
    private func cost(ofChanged list: String, count: Int) -> Double {
        let parts = list.split(separator: "|").map(String.init)
        func file(_ version: String) -> SourceFile {
            let elements = (0..<count).map {
                parts[1].replacing("@", with: String($0)).replacing("#", with: version)
            }
            let head =
                "carnet: 1\nid: acme\nname: Acme\nissuer: https://id.acme.example\nscopes: { default: [openid] }\n"
            return SourceFile(path: "acme.yaml", text: head + parts[0] + elements.joined())
        }
        let earlier = EarlierVersion([.init(file("old"), successor: "acme.yaml", role: .predecessor)])
        let new = file("new")
        let start = seconds()
        let found = Linter().changes(in: [new], since: earlier)
        let end = seconds()
        #expect(found.count == 1)
        return end - start
    }

    /// The processor time of this thread, so that whatever else runs does not count.
    private func seconds() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }

    private func cost(of hostile: Hostile, count: Int) -> Double {
        let file = SourceFile(path: "acme.yaml", text: hostile.text(count))
        let start = seconds()
        let report = Linter().lint(files: [file])
        _ = TextReporter().render(report)
        let end = seconds()
        #expect(report.diagnostics.count >= (hostile == .scopesOutsideOfCatalog ? 1 : count), "\(hostile)")
        return end - start
    }

    enum Hostile: CaseIterable {
        case scopesOutsideOfCatalog
        case repeatedScopes
        case unknownKeys
        case wrongWords
        case undeclaredInputs
        case unknownParameters
        case resourcesWithoutScope
        case notesAboutNothing
        case notesBesideParameters

        func text(_ count: Int) -> String {
            func each(_ line: (Int) -> String) -> String { (0..<count).map(line).joined() }
            let head = "carnet: 1\nid: acme\nname: Acme\nissuer: https://id.acme.example\n"
            switch self {
            case .scopesOutsideOfCatalog:
                return head + "scopes:\n  default:\n" + each { "    - asked\($0)\n" }
                    + "  catalog:\n" + each { "    - known\($0)\n" }
            case .repeatedScopes:
                return head + "scopes:\n  default: [openid" + each { _ in ", openid" } + "]\n"
            case .unknownKeys: return head + each { "scopse\($0): 1\n" }
            case .wrongWords: return head + "client:\n  authentication:\n" + each { "    - client_secret\($0)\n" }
            case .undeclaredInputs:
                return head + "inputs:\n" + (0..<32).map { "  declared\($0): {}\n" }.joined()
                    + "authorization:\n  parameters:\n"
                    + each { "    parameter\($0): '{missing\($0)}'\n" }
            case .unknownParameters:
                return head + "authorization:\n  parameters:\n" + each { "    added\($0): x\n" } + "  omit:\n"
                    + each { "    - left_out\($0)\n" }
            case .resourcesWithoutScope:
                return head + "scopes: { catalog: [photos] }\nresources:\n"
                    + each { "  - { id: same, title: T\($0), scope: s\($0), url: https://api.acme.example/\($0) }\n" }
            case .notesAboutNothing:
                return head + "notes:\n" + each { "  - { about: nothing.\($0), because: so }\n" }
            case .notesBesideParameters:
                return head + "token:\n  parameters:\n" + each { "    added\($0): x\n" } + "notes:\n"
                    + each { "  - { about: token.parameters.missing\($0), because: so }\n" }
            }
        }
    }
}
