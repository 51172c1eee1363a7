import CarnetDescriptors
import CarnetFoundation

extension DemoPages {
    func descriptor(
        _ report: DescriptorReport, trial: (steps: [DescriptorReport.Step], result: String)? = nil
    ) -> HTML {
        page(
            "Try a descriptor",
            """
            <form id="descriptor" method="post" action="/descriptor">
            <label for="text">The descriptor, in YAML</label>
            <textarea id="text" name="text" spellcheck="false" autocapitalize="off" rows="12">
            \(report.text)</textarea>
            <p><button>Try it in a sandbox</button></p>
            </form>
            <section class="card">
            <h2>Lint findings</h2>
            \(findings(report))
            </section>
            \(trial.map(section))\
            <script src="/assets/descriptor.js" defer></script>

            """)
    }

    private func section(_ trial: (steps: [DescriptorReport.Step], result: String)) -> HTML {
        let items: [HTML] = trial.steps.map { "<li>\($0.title): \($0.outcome)\($0.reason.map { ", \($0)" })</li>\n" }
        return """
            <section id="trial" class="card">
            <h2>Sign-in in a sandbox</h2>
            <p><strong>\(trial.result)</strong></p>
            <ol>
            \(items)\
            </ol>
            </section>

            """
    }

    /// The lint findings of the page of a descriptor.
    func findings(_ report: DescriptorReport) -> HTML {
        let fix: HTML = """
            <button form="descriptor" name="fix" value="1">Apply safe fixes (\(report.fixableCount))</button>

            """
        return """
            <p id="summary" role="status">\(report.summary)</p>
            <div id="findings">
            <ul>
            \(report.findings.map(item))\
            </ul>
            \(if: report.fixableCount > 0, fix)\
            </div>

            """
    }

    private func item(_ finding: DescriptorReport.Finding) -> HTML {
        let diagnostic = finding.diagnostic
        let (severity, line) = (diagnostic.severity.rawValue, diagnostic.line)
        return """
            <li class="finding \(severity)">
            <p><strong>\(severity)</strong> in <a href="#text" data-line="\(line)">line \(line)</a>: \
            \(diagnostic.message) <code>\(diagnostic.code)</code></p>
            \(finding.excerpt.map { "<pre>\($0.before)<mark>\($0.mark)</mark>\($0.after)</pre>" })
            \(diagnostic.help.map { "<p>\($0)</p>" })
            \(diagnostic.fix.map { "<p>Fix: \($0.summary)</p>" })
            </li>

            """
    }
}
