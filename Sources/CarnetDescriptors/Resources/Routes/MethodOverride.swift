/// Headers that programs take for the method of a request, which then is not the method that was decided about.
package enum MethodOverride {
    package static let headers = ["X-HTTP-Method-Override", "X-HTTP-Method", "X-Method-Override"]
}
