/// The numbers that system calls leave in `errno`.
package enum SystemError {
    /// The system's words for a number, e.g. `Connection refused`.
    package static func message(_ number: Int32) -> String {
        strerror(number).map { String(cString: $0) } ?? "error \(number)"
    }
}
