extension Duration {
    package var timeInterval: Double { Double(components.seconds) + Double(components.attoseconds) / 1e18 }
}
