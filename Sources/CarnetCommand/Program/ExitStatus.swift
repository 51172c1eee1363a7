/// What the program says to the shell. Thrown by a command whose answer is printed already.
enum ExitStatus: Int32, Error {
    case done = 0
    /// The check found something, or the login or call failed.
    case failed = 1
    case usage = 2
    /// The program itself failed.
    case broken = 3
    /// Ctrl-C: 128 and the number of SIGINT.
    case interrupted = 130
}
