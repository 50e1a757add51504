import Foundation

/// The thread or address sanitizer, under which tests take ten times as long.
package enum Sanitizer {
    /// Whether this process runs under one. Swift has no compilation condition for it.
    package static let isThere = has("__tsan_init") || has("__asan_init")

    /// How often to do what finds a race by repetition: a sanitizer sees it in far fewer rounds.
    package static func rounds(_ count: Int, sanitized: Int) -> Int {
        isThere ? sanitized : count
    }

    private static func has(_ symbol: String) -> Bool {
        dlsym(dlopen(nil, RTLD_NOW), symbol) != nil
    }
}
