import Carnet
import CarnetProtocol
import Foundation

/// The page of the results: one line for each module, with its variants.
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

        ## Modules

        A module without lines passes with a descriptor that names only the issuer and the scopes. The variants of FAPI are
        combinations of client authentication (`private_key_jwt`, `mtls`), sender constraint (`dpop`, `mtls`), client
        (`openid_connect`, `plain_oauth`), request (`unsigned`, `signed_non_repudiation`), response (`plain_response`, `jarm`) and rich
        authorization requests (`rar`).

        \(Module.Plan.allCases.map { section($0) }.joined(separator: "\n\n"))

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

    private func section(_ plan: Module.Plan) -> String {
        let rows = runs.filter { $0.module.plan == plan }
        var names: [String] = []
        for row in rows where !names.contains(row.module.name) { names.append(row.module.name) }
        let common = names.count > 1 ? names.reduce(names[0]) { $0.commonPrefix(with: $1) } : ""
        let prefix = String(common.reversed().drop { $0 != "-" }.reversed())
        let table = names.map { name in line(rows.filter { $0.module.name == name }, prefix) }
        let heading = ["### \(plan.rawValue)", "", variants(of: rows.map(\.module)), ""]
        let shown = prefix.isEmpty ? "module" : "module (`\(prefix)…`)"
        return (heading + ["| \(shown) | passed variants | Carnet | lines |", "|---|---|---|---|"] + table)
            .joined(separator: "\n")
    }

    /// Which variants the modules of a plan have.
    private func variants(of modules: [Module]) -> String {
        var variants: [String] = []
        for module in modules {
            let variant = "`" + module.variant.joined(separator: ", ") + "`"
            if !variants.contains(variant) { variants.append(variant) }
        }
        return variants.count > 4 ? "\(variants.count) variants." : "Variants: \(variants.joined(separator: "; "))."
    }

    private func line(_ rows: [(module: Module, run: Run)], _ prefix: String) -> String {
        let passed = rows.count { $0.module.problems(of: $0.run).isEmpty }
        let name = rows[0].module.name.dropFirst(prefix.count)
        var outcomes: [String] = []
        for row in rows {
            let outcome = outcome(of: row.run, row.module)
            if !outcomes.contains(outcome) { outcomes.append(outcome) }
        }
        var lines: [String] = []
        for row in rows where !row.module.lines.isEmpty {
            let text = row.module.lines.split(separator: "\n").map { $0.drop { $0 == " " } }
            let shown = text.count > 1 ? "`\(text[0].dropLast())`, …" : "`\(text[0])`"
            if !lines.contains(shown) { lines.append(shown) }
        }
        return "| \(name.isEmpty ? "(none)" : "`\(name)`") | \(passed) of \(rows.count) "
            + "| \(outcomes.joined(separator: "; ")) | \(lines.joined(separator: "; ")) |"
    }

    private func outcome(of run: Run, _ module: Module) -> String {
        let problems = module.problems(of: run)
        guard problems.isEmpty else { return "**fails**: \(problems.joined(separator: "; "))" }
        guard let error = run.error else { return "completes" }
        return "stops at the \(error.step.rawValue): `\(error.kind.rawValue)`"
    }

    private var notSupported: String {
        let rows = NotSupported.all.map { group in
            let names = group.modules.map { $0.contains(" ") ? $0 : "`\($0)`" }
            return "| \(names.joined(separator: ", ")) | \(group.why) | \(group.needed) |"
        }
        return (["| modules | reason | what would be needed |", "|---|---|---|"] + rows).joined(separator: "\n")
    }
}
