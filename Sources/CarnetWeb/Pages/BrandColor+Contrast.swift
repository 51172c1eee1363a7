import Carnet
import CarnetDescriptors

extension BrandColor {
    /// Black or white, whichever has more contrast on the colour: at least 4.5 to 1 (WCAG 2.2, success criterion
    /// 1.4.3).
    package var textColor: String { takesDarkText ? "#000000" : "#ffffff" }
}
