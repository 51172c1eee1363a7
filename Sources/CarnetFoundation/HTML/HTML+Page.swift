extension HTML {
    /// A whole page, readable on a phone.
    ///
    /// - Parameters:
    ///   - head: The style sheet, and the other elements of the head.
    ///   - header: The part before the main part.
    package static func page(_ title: String, head: HTML, header: HTML? = nil, _ content: HTML) -> HTML {
        """
        <!DOCTYPE html>
        <html lang="en">
        <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <title>\(title)</title>
        \(head)
        </head>
        <body>
        \(header)<main>
        <h1>\(title)</h1>
        \(content)
        </main>
        </body>
        </html>

        """
    }
}
