/// The page of the results: one line for each profile.
struct ConformancePage {
    let runs: [(module: Module, run: Run)]

    var text: String {
        """
        # Conformance

        For readers who want to know which relying-party modules of the OpenID Foundation's
        [conformance suite](https://gitlab.com/openid/conformance-suite) Carnet passes. `Tests/Conformance` runs each module, by the
        suite's name and variant, against an OpenID provider that is written from the standards and shares no code with Carnet. The
        provider checks every request. After a bad message, Carnet must report the right error at the right step, store no account and
        send no further request. A second client, which validates nothing, must fail the same modules.

        This is not a certification. [Certification](certification.md) describes how to run the suite itself. To repeat the tests
        and write this page:

            CARNET_UPDATE_DOCS=1 swift test --filter ConformanceTests

        ## Summary

        \(summary)

        `Tests/Conformance/ConformanceTests/Modules+*.swift` has each module, with what Carnet must do. The variants of FAPI are
        combinations of client authentication, sender constraint (DPoP or mutual TLS), signed requests and responses, and rich
        authorization requests.

        ## Not supported

        \(notSupported)

        """
    }

    private func passes(_ plan: Module.Plan) -> (passed: Int, all: Int) {
        let rows = runs.filter { $0.module.plan == plan }
        return (rows.count { $0.module.problems(of: $0.run).isEmpty }, rows.count)
    }

    private var summary: String {
        let rows = Module.Plan.allCases.map { plan in
            let names = Set(runs.filter { $0.module.plan == plan }.map(\.module.name)).count
            let (passed, all) = passes(plan)
            return "| \(plan.rawValue) | \(names) | \(all) | \(passed) |"
        }
        let all = Module.Plan.allCases.map { passes($0) }
        let total = "| all | | \(all.map(\.all).reduce(0, +)) | \(all.map(\.passed).reduce(0, +)) |"
        return (["| profile | modules | modules × variants | passed |", "|---|---|---|---|"] + rows + [total])
            .joined(separator: "\n")
    }

    private var notSupported: String {
        let rows = NotSupported.all.map { group in
            let names = group.modules.map { $0.contains(" ") ? $0 : "`\($0)`" }
            return "| \(names.joined(separator: ", ")) | \(group.why) | \(group.needed) |"
        }
        return (["| modules | reason | what would be needed |", "|---|---|---|"] + rows).joined(separator: "\n")
    }
}
