import CarnetFoundation

extension BrandColor {
    /// Whether black is easier to read on the colour than white. Either is read at 4.5 to 1 at least (WCAG 2.2, 1.4.3).
    package var takesDarkText: Bool {
        let luminance = relativeLuminance
        return (luminance + 0.05) / 0.05 >= 1.05 / (luminance + 0.05)
    }

    private var relativeLuminance: Double {
        func linear(_ channel: UInt8) -> Double {
            let value = Double(channel) / 255
            return value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4)
        }
        return 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue)
    }
}
