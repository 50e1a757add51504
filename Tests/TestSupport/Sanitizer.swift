import Foundation

/// The thread sanitizer or the address sanitizer. Tests take ten times as long under one.
package enum Sanitizer {
    /// Whether this process runs under a sanitizer. Swift has no compilation condition for it.
    package static let isThere = has("__tsan_init") || has("__asan_init")

    /// Returns the number of rounds for a test that finds a race by repetition. A sanitizer finds it in far
    /// fewer rounds.
    package static func rounds(_ count: Int, sanitized: Int) -> Int {
        isThere ? sanitized : count
    }

    private static func has(_ symbol: String) -> Bool {
        dlsym(dlopen(nil, RTLD_NOW), symbol) != nil
    }
}
