import CarnetDescriptors
import CarnetWeb
import Foundation
import Testing

@Suite("Text on a brand's colour")
struct ContrastTests {
    @Test(
        "is white on what is dark and black on what is bright",
        arguments: [
            ("#000000", "#ffffff"), ("#ffffff", "#000000"), ("#2457a6", "#ffffff"), ("#ffcc00", "#000000"),
        ])
    func ends(color: String, text: String) throws {
        #expect(try #require(BrandColor(color)).textColor == text)
    }

    @Test("can be read on every colour, at 4.5 to 1 at least")
    func allColors() throws {
        for red in stride(from: 0, through: 255, by: 15) {
            for green in stride(from: 0, through: 255, by: 15) {
                for blue in stride(from: 0, through: 255, by: 51) {
                    let color = try #require(BrandColor("#" + [red, green, blue].map(hexadecimal).joined()))
                    let text: Double = color.textColor == "#ffffff" ? 1 : 0
                    let luminances = [luminance([red, green, blue]), text].sorted()
                    #expect((luminances[1] + 0.05) / (luminances[0] + 0.05) >= 4.5, "\(color)")
                }
            }
        }
    }

    private func hexadecimal(_ number: Int) -> String { (number < 16 ? "0" : "") + String(number, radix: 16) }

    /// The relative luminance of WCAG 2.2.
    private func luminance(_ channels: [Int]) -> Double {
        let linear = channels.map { channel -> Double in
            let value = Double(channel) / 255
            return value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4)
        }
        return zip(linear, [0.2126, 0.7152, 0.0722]).reduce(0) { $0 + $1.0 * $1.1 }
    }
}
