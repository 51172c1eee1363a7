// swift-format-ignore-file: AlwaysUseLowerCamelCase
// Some tests are named by the rows of the attack matrix that they mount.

import CarnetTestSupport
import Foundation
import Testing

/// What pages and messages advise is run by people who trust it.
@Suite("Advice about secrets")
struct SecretAdviceTests {
    /// Why nobody should run a line; `nil` if nothing is wrong with it.
    static func fault(in line: some StringProtocol) -> String? {
        let line = String(line)
        func matches(_ pattern: String) -> Bool { line.range(of: pattern, options: .regularExpression) != nil }
        // A shell runs printf and echo itself, so what they print is in no list of processes.
        let stages = line.components(separatedBy: " | ")
        for stage in stages where !["printf", "echo"].contains(where: { stage.contains("\($0) ") }) {
            let program = stage.replacingOccurrences(
                of: #"\$\{?[A-Z_]*(PATH|FILE|DIR|HOME)\}?"#, with: "", options: .regularExpression)
            if program.range(
                of: ##"\$\(carnet (token|call) |["'][^"'`]*`carnet (token|call) "##, options: .regularExpression) != nil
                || program.range(
                    of: #"(-H|--header|-u|--user|--data|-d)[ =]["']?[^"']*(Bearer|Basic|:) *["']?\$"#,
                    options: .regularExpression)
                    != nil
                || program.range(
                    of: #"--(client-secret|token|secret|password|refresh-token)[ =]["']?[$A-Za-z]"#,
                    options: .regularExpression)
                    != nil && !program.contains("--client-secret-")
            {
                return "puts a secret into the arguments of a program, which every user of the machine can read"
            }
        }
        if matches(#"(^|[;&|'"$ ] *)(\.|source) +["']?[^ ;]*(\.env|env-file|secrets?)\b"#)
            || matches(#"\bset -a *(;|&&|$)"#)
            || matches(#"export \$\((cat|grep|xargs)"#)
        {
            return "runs a file of secrets as a script"
        }
        return nil
    }

    @Test("HOST-18: No page, help text, manual, completion or example advises to show a secret, or to run it")
    func HOST_18_advice() throws {
        var files = try Repository.documentation() + Repository.catalogues() + Repository.files("Sources", "swift")
        for ending in ["fish", "bash", "1"] { files += try Repository.files("Docs", ending) }
        for ending in ["md", "swift", "yml", "yaml", "sh"] { files += try Repository.files("Examples", ending) }
        #expect(files.count > 800)
        for file in files {
            for (number, line) in file.lines {
                if let fault = Self.fault(in: line) { Issue.record("\(file.path):\(number) \(fault): \(line)") }
            }
        }
    }

    @Test(
        "Bad advice is found",
        arguments: [
            #"curl -H "Authorization: Bearer $(carnet token acme --raw)" https://api.acme.example/me"#,
            #"curl -H "Authorization: Bearer `carnet token acme --raw`" https://api.acme.example/me"#,
            #"  curl \-H "Authorization: Bearer $(carnet token acme \-\-raw)" https://api.acme.example/me"#,
            #"wget --header="Authorization: Bearer $TOKEN" https://api.acme.example/me"#,
            #"curl -u "$ID:$SECRET" https://id.acme.example/token"#,
            "git clone https://x:$(carnet token acme --raw)@git.acme.example/a",
            "carnet login acme --client-id ID --client-secret SECRET",
            "sudo sh -c 'set -a; . /etc/carnet/gateway.env; exec carnet'", "source .env", ". ./site.env && carnet",
            "export $(cat site.env | xargs)",
        ])
    func badAdvice(line: String) {
        #expect(Self.fault(in: line) != nil)
    }

    @Test(
        "Good advice is not",
        arguments: [
            #"printf 'Authorization: Bearer %s' "$(carnet token acme --raw)" | curl -H @- https://api.acme.example/me"#,
            "carnet login acme --client-id ID --client-secret-env ACME_SECRET",
            "curl -si -H 'Accept: text/html' http://127.0.0.1:8080/", "read the source. The secret is in a file.",
            "podman run --env-file site.env site", "EnvironmentFile=-/etc/carnet/gateway.env",
        ])
    func goodAdvice(line: String) {
        #expect(Self.fault(in: line) == nil)
    }
}
