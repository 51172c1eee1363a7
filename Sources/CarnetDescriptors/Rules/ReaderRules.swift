/// What the reader finds: everything about a file before its keys have a meaning.
package enum ReaderRules {
    package static let all: [RuleExplanation] = [
        notUTF8, controlCharacter, fileTooLarge, syntaxError, tabIndentation, severalDocuments, emptyFile, duplicateKey,
        keyNotScalar, mergeKey, unsupportedTag, badAlias, tooDeep, tooManyNodes, scalarTooLong, unreadableFile,
    ]

    // MARK: Bytes

    package static let notUTF8 = RuleExplanation(
        code: "D001",
        name: "not-utf-8",
        summary: "The file is not UTF-8 text.",
        rationale: """
            YAML may be UTF-8, UTF-16 or UTF-32, and a reader that guesses the encoding can be made to see another text \
            than the author's editor shows. A descriptor is UTF-8, with or without a byte order mark; overlong forms and \
            surrogates are not UTF-8 either.
            """,
        references: ["YAML 1.2.2, section 5.2", "RFC 3629, section 3"],
        good: ["name: Gärtnerei 🌱\n"]
    )

    package static let controlCharacter = RuleExplanation(
        code: "D002",
        name: "control-character",
        summary: "The file contains a null byte, a control character, or a line break that only some readers know.",
        rationale: """
            Control characters do not show in an editor, and a terminal obeys them. U+0085, U+2028 and U+2029 end a line \
            in YAML 1.1 but not in YAML 1.2, so that two readers find different keys in the same file. A byte order mark \
            is part of the file at its start alone; elsewhere it is a character that nobody sees. Between double quotes \
            each of them can be written as an escape.
            """,
        references: ["YAML 1.2.2, section 5.1", "YAML 1.2.2, section 5.2", "YAML 1.2.2, section 5.4"],
        bad: [
            "name: Acme⟦\u{7F}⟧\n", "name: Acme⟦\u{2028}⟧issuer: https://id.acme.example\n",
            "id: acme\n⟦\u{FEFF}⟧name: Acme\n",
        ],
        good: [#"name: "Acme\u2028""# + "\n"]
    )

    package static let fileTooLarge = RuleExplanation(
        code: "D003",
        name: "file-too-large",
        summary: "The file is larger than 1 MiB.",
        rationale: """
            A descriptor takes a few kilobytes. The limit keeps a file that was put into a provider folder by mistake, or \
            on purpose, from costing every start of the program.
            """
    )

    package static let unreadableFile = RuleExplanation(
        code: "D016",
        name: "unreadable-file",
        summary: "The file does not exist, is no regular file, or may not be read.",
        rationale: """
            Only regular files are read: a FIFO would wait for its writer for ever, and a device has no end. The other \
            files of the folder are read all the same.
            """
    )

    // MARK: Syntax

    package static let syntaxError = RuleExplanation(
        code: "D004",
        name: "syntax-error",
        summary: "The file is not YAML.",
        rationale: """
            After the place where the text stops being YAML nothing can be told for certain about the rest, so the whole \
            file is left unused. The place is where the reader gave up; when the mistake is likely to be where the \
            construct began, that place is shown instead.
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

    package static let tabIndentation = RuleExplanation(
        code: "D005",
        name: "tab-indentation",
        summary: "A line is indented with a tab.",
        rationale: """
            How wide a tab is depends on the editor, so YAML does not let one take part in indentation. Set the editor to \
            indent YAML with spaces.
            """,
        references: ["YAML 1.2.2, section 6.1"],
        bad: ["client:\n⟦\t⟧default: none\n", "scopes:\n  default: [openid]\n⟦\t⟧required: [openid]\n"],
        good: ["client:\n  default: none\t# a tab before a comment does no harm\n"]
    )

    package static let severalDocuments = RuleExplanation(
        code: "D006",
        name: "several-documents",
        summary: "The file holds more than one YAML document.",
        rationale: """
            One file is one descriptor, so that an id has one place and an error names one file. What follows the second \
            '---' would silently be ignored.
            """,
        references: ["YAML 1.2.2, section 9.2"],
        bad: ["carnet: 1\nid: acme\n⟦---⟧\ncarnet: 1\nid: other\n"],
        good: ["---\ncarnet: 1\nid: acme\n"]
    )

    package static let emptyFile = RuleExplanation(
        code: "D007",
        name: "empty-file",
        summary: "The file is empty, or has nothing but comments.",
        rationale: "An empty file in a provider folder is most often one that was not saved, or not finished.",
        bad: ["⟦⟧", "⟦⟧# to be done\n", "⟦⟧---\n"],
        good: ["carnet: 1\n"]
    )

    // MARK: Keys

    package static let duplicateKey = RuleExplanation(
        code: "D008",
        name: "duplicate-key",
        summary: "A mapping has the same key twice.",
        rationale: """
            The keys of a mapping are unique. Readers that do not check take the last one, others the first, and whoever \
            reviews the file sees one of the two.
            """,
        references: ["YAML 1.2.2, section 3.2.1.3"],
        bad: ["id: acme\n⟦id⟧: other\n", #"token: { body: form, ⟦"body"⟧: json }"#],
        good: ["token: { body: form }\nrefresh: { body: form }\n"]
    )

    package static let keyNotScalar = RuleExplanation(
        code: "D009",
        name: "key-not-scalar",
        summary: "A key is a list, a mapping, or missing.",
        rationale:
            "Every key of a descriptor is a word. Anything else is most often a bracket or a quote in the wrong place.",
        references: ["YAML 1.2.2, section 8.2.2"],
        bad: ["⟦[openid, profile]⟧: default\n", "authorization:\n  ?⟦⟧\n  : x\n"],
        good: ["'openid profile': default\n"]
    )

    package static let mergeKey = RuleExplanation(
        code: "D010",
        name: "merge-key",
        summary: "The merge key '<<' is used.",
        rationale: """
            '<<' is an extension of YAML 1.1 that YAML 1.2 no longer knows; readers differ on which value wins. Repeat the \
            keys, or let one descriptor build on another with 'extends'.
            """,
        references: ["YAML 1.2.2, section 1.2"],
        bad: ["token: &t { body: form }\nrefresh:\n  ⟦<<⟧: *t\n"],
        good: ["token: { body: form }\nrefresh: { body: form }\n"]
    )

    // MARK: Tags and aliases

    package static let unsupportedTag = RuleExplanation(
        code: "D011",
        name: "unsupported-tag",
        summary: "A value has a tag, or the file a directive, that Carnet does not know.",
        rationale: """
            Tags make other readers build objects of the author's choice. Here a value's kind follows from how it is \
            written: quotes make a text, 'true' and 'false' are booleans. Only '!!str', '!!seq' and '!!map' on a value of \
            that kind are accepted.
            """,
        references: ["YAML 1.2.2, section 6.8", "YAML 1.2.2, section 10.3"],
        bad: ["name: ⟦!!binary QWNtZQ==⟧\n", "⟦%TAG ! tag:example.com,2026:⟧\n---\nname: Acme\n"],
        good: ["name: !!str 42\n"]
    )

    package static let badAlias = RuleExplanation(
        code: "D012",
        name: "bad-alias",
        summary: "An alias names no anchor before it, or the value that it stands in.",
        rationale: """
            An alias repeats a value that was given an anchor earlier in the same file. A plain text cannot start with \
            '*', so a host pattern such as '*.acme.example' needs quotes.
            """,
        references: ["YAML 1.2.2, section 7.1"],
        bad: ["refresh: ⟦*token⟧\n", "token: &t { headers: ⟦*t⟧ }\n"],
        good: ["token: &t { body: form }\nrefresh: *t\n"]
    )

    // MARK: Limits

    package static let tooDeep = RuleExplanation(
        code: "D013",
        name: "too-deep",
        summary: "Lists and mappings are nested deeper than 64 levels.",
        rationale:
            "No descriptor comes near. Without a limit, a file of brackets could exhaust the stack of whatever reads it.",
        bad: [String(repeating: "[", count: 64) + "⟦[⟧" + String(repeating: "]", count: 65)],
        good: [String(repeating: "[", count: 64) + String(repeating: "]", count: 64)]
    )

    package static let tooManyNodes = RuleExplanation(
        code: "D014",
        name: "too-many-values",
        summary: "The file holds more than 100,000 values once its aliases are expanded.",
        rationale: """
            Aliases of aliases multiply: nine lines can stand for a billion values. Each alias therefore counts with \
            everything that it repeats.
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

    package static let scalarTooLong = RuleExplanation(
        code: "D015",
        name: "text-too-long",
        summary: "One text is longer than 256 KiB, or has more than 30 combining characters in a row.",
        rationale: """
            The longest texts of a descriptor are samples of responses, a few kilobytes each. Combining characters in a \
            row are sorted whenever a text is compared, which takes time with the square of their number; no language \
            needs 30 of them.
            """,
        references: ["Unicode Standard Annex #15, section 13"]
    )
}
