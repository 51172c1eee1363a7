/// The rules of the reader: encoding, syntax and structure of a file, before its keys are decoded.
package enum ReaderDiagnostics {
    package static let all: [DiagnosticExplanation] = [
        notUTF8, controlCharacter, fileTooLarge, syntaxError, tabIndentation, severalDocuments, emptyFile, duplicateKey,
        keyNotScalar, mergeKey, unsupportedTag, badAlias, tooDeep, tooManyNodes, scalarTooLong, unreadableFile,
    ]

    // MARK: Bytes

    package static let notUTF8 = DiagnosticExplanation(
        code: "D001", name: "not-utf-8", summary: "The file is not valid UTF-8.",
        rationale: """
            YAML allows UTF-8, UTF-16 and UTF-32. A reader that guesses the encoding can be tricked into reading \
            another text than the author's editor shows. A descriptor is UTF-8, with or without a byte order mark. \
            Overlong forms and surrogates are invalid.
            """,
        references: ["YAML 1.2.2, section 5.2", "RFC 3629, section 3"],
        good: ["name: Gärtnerei 🌱\n"]
    )

    package static let controlCharacter = DiagnosticExplanation(
        code: "D002", name: "control-character",
        summary: "The file contains a null byte, a control character, or a line break that only some readers know.",
        rationale: """
            Control characters are invisible in an editor, and a terminal executes them. U+0085, U+2028 and U+2029 \
            end a line in YAML 1.1 but not in YAML 1.2, so two readers find different keys in the same file. A byte \
            order mark is only allowed at the start of the file. Between double quotes, each of these characters can \
            be written as an escape.
            """,
        references: ["YAML 1.2.2, section 5.1", "YAML 1.2.2, section 5.2", "YAML 1.2.2, section 5.4"],
        bad: [
            "name: Acme⟦\u{7F}⟧\n", "name: Acme⟦\u{2028}⟧issuer: https://id.acme.example\n",
            "id: acme\n⟦\u{FEFF}⟧name: Acme\n",
        ],
        good: [#"name: "Acme\u2028""# + "\n"]
    )

    package static let fileTooLarge = DiagnosticExplanation(
        code: "D003", name: "file-too-large", summary: "The file is larger than 1 MiB.",
        rationale: """
            A descriptor takes a few kilobytes. The limit stops a large file in a provider folder from slowing down \
            every start of the program, whether it is there by mistake or on purpose.
            """
    )

    package static let unreadableFile = DiagnosticExplanation(
        code: "D016", name: "unreadable-file",
        summary: "The file does not exist, is not a regular file, or cannot be read.",
        rationale: """
            Carnet reads regular files only. Reading a FIFO would wait for its writer forever, and a device has no \
            end. The other files of the folder are still read.
            """
    )

    // MARK: Syntax

    package static let syntaxError = DiagnosticExplanation(
        code: "D004", name: "syntax-error", summary: "The file is not valid YAML.",
        rationale: """
            After a syntax error, the meaning of the rest is uncertain, so Carnet uses nothing of the file. The \
            finding points to the place where the reader stopped, or to the beginning of the construct if the \
            mistake is probably there.
            """,
        references: ["YAML 1.2.2"],
        bad: [
            "carnet: 1\nname: Acme⟦:⟧ the company\n",
            "carnet: 1\n⟦issuer https://id.acme.example⟧\nid: acme\n",
            "carnet: 1\nscopes: { default: [openid, profile ⟦}⟧\n",
            "name: ⟦'Acme⟧\nid: acme\n",
            "name: ⟦@⟧acme\n",
        ],
        good: ["name: 'Acme: the company'\n"]
    )

    package static let tabIndentation = DiagnosticExplanation(
        code: "D005", name: "tab-indentation", summary: "A line is indented with a tab.",
        rationale: """
            The width of a tab depends on the editor, so YAML forbids tabs in indentation. Set the editor to indent \
            YAML with spaces.
            """,
        references: ["YAML 1.2.2, section 6.1"],
        bad: ["client:\n⟦\t⟧default: none\n", "scopes:\n  default: [openid]\n⟦\t⟧required: [openid]\n"],
        good: ["client:\n  default: none\t# a tab before a comment does no harm\n"]
    )

    package static let severalDocuments = DiagnosticExplanation(
        code: "D006", name: "several-documents", summary: "The file contains more than one YAML document.",
        rationale: """
            One file is one descriptor, so that each id has one place and each error names one file. Without this \
            rule, everything after the second '---' would be ignored silently.
            """,
        references: ["YAML 1.2.2, section 9.2"],
        bad: ["carnet: 1\nid: acme\n⟦---⟧\ncarnet: 1\nid: other\n"],
        good: ["---\ncarnet: 1\nid: acme\n"]
    )

    package static let emptyFile = DiagnosticExplanation(
        code: "D007", name: "empty-file", summary: "The file is empty or contains only comments.",
        rationale: "An empty file in a provider folder is usually unfinished or was not saved.",
        bad: ["⟦⟧", "⟦⟧# to be done\n", "⟦⟧---\n"], good: ["carnet: 1\n"])

    // MARK: Keys

    package static let duplicateKey = DiagnosticExplanation(
        code: "D008", name: "duplicate-key", summary: "A mapping has the same key twice.",
        rationale: """
            The keys of a mapping are unique. Some readers use the first value and others the last, so a reviewer \
            cannot know which value counts.
            """,
        references: ["YAML 1.2.2, section 3.2.1.3"],
        bad: ["id: acme\n⟦id⟧: other\n", #"token: { body: form, ⟦"body"⟧: json }"#],
        good: ["token: { body: form }\nrefresh: { body: form }\n"]
    )

    package static let keyNotScalar = DiagnosticExplanation(
        code: "D009", name: "key-not-scalar", summary: "A key is a list, a mapping, or missing.",
        rationale: """
            Every key of a descriptor is a string. Anything else is usually a bracket or a quote in the wrong place.
            """,
        references: ["YAML 1.2.2, section 8.2.2"],
        bad: ["⟦[openid, profile]⟧: default\n", "authorization:\n  ?⟦⟧\n  : x\n"],
        good: ["'openid profile': default\n"]
    )

    package static let mergeKey = DiagnosticExplanation(
        code: "D010", name: "merge-key", summary: "The file uses the merge key '<<'.",
        rationale: """
            '<<' is an extension of YAML 1.1 that YAML 1.2 does not have, and readers differ on which value wins. \
            Repeat the keys, or let one descriptor extend another with 'extends'.
            """,
        references: ["YAML 1.2.2, section 1.2"],
        bad: ["token: &t { body: form }\nrefresh:\n  ⟦<<⟧: *t\n"],
        good: ["token: { body: form }\nrefresh: { body: form }\n"]
    )

    // MARK: Tags and aliases

    package static let unsupportedTag = DiagnosticExplanation(
        code: "D011", name: "unsupported-tag",
        summary: "A value has a tag, or the file has a directive, that Carnet does not support.",
        rationale: """
            Tags make other readers create objects that the author of the file chooses. In a descriptor, the notation \
            decides the type: quotes make a string, 'true' and 'false' are booleans. Carnet accepts only '!!str', \
            '!!seq' and '!!map', on a value of that type.
            """,
        references: ["YAML 1.2.2, section 6.8", "YAML 1.2.2, section 10.3"],
        bad: ["name: ⟦!!binary QWNtZQ==⟧\n", "⟦%TAG ! tag:example.com,2026:⟧\n---\nname: Acme\n"],
        good: ["name: !!str 42\n"]
    )

    package static let badAlias = DiagnosticExplanation(
        code: "D012", name: "bad-alias",
        summary: "An alias refers to an anchor that is not defined before it, or to a value that contains the alias.",
        rationale: """
            An alias repeats a value that has an anchor earlier in the same file. An unquoted string cannot start \
            with '*', so put a host pattern such as '*.acme.example' between quotes.
            """,
        references: ["YAML 1.2.2, section 7.1"],
        bad: ["refresh: ⟦*token⟧\n", "token: &t { headers: ⟦*t⟧ }\n"],
        good: ["token: &t { body: form }\nrefresh: *t\n"]
    )

    // MARK: Limits

    package static let tooDeep = DiagnosticExplanation(
        code: "D013", name: "too-deep", summary: "Lists and mappings are nested deeper than 64 levels.",
        rationale: """
            No real descriptor is that deep. Without a limit, a file of brackets could exhaust the parser's \
            stack.
            """,
        bad: [String(repeating: "[", count: 64) + "⟦[⟧" + String(repeating: "]", count: 65)],
        good: [String(repeating: "[", count: 64) + String(repeating: "]", count: 64)]
    )

    package static let tooManyNodes = DiagnosticExplanation(
        code: "D014", name: "too-many-values",
        summary: "The file contains more than 100,000 values after its aliases are expanded.",
        rationale: """
            Aliases of aliases multiply: nine lines can stand for a billion values. Each alias therefore counts as \
            everything that it repeats, and a string as one more value for every 64 bytes.
            """,
        references: ["YAML 1.2.2, section 7.1"],
        bad: [
            """
            a: &a [x, x, x, x, x, x, x, x, x, x]
            b: &b [*a, *a, *a, *a, *a, *a, *a, *a, *a, *a]
            c: &c [*b, *b, *b, *b, *b, *b, *b, *b, *b, *b]
            d: &d [*c, *c, *c, *c, *c, *c, *c, *c, *c, *c]
            e: &e [*d, *d, *d, *d, *d, *d, *d, ⟦*d⟧, *d, *d]

            """
        ],
        good: ["a: &a [x, x]\nb: [*a, *a]\n"]
    )

    package static let scalarTooLong = DiagnosticExplanation(
        code: "D015", name: "text-too-long",
        summary: "One string is longer than 256 KiB, or has more than 30 combining characters in a row.",
        rationale: """
            The longest strings of a descriptor are samples of responses, a few kilobytes each. Comparing strings \
            sorts combining characters in a row, which takes quadratic time. No language needs 30 of them.
            """,
        references: ["Unicode Standard Annex #15, section 13"]
    )
}
