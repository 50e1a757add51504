import Testing
import TestSupport

@testable import Swallow

@Suite("Log")
struct LogTests {
    @Test("A log can be a predefined log, a closure, or both")
    func spellings() {
        let events = Recorder<LogEvent>()
        var sink: (@Sendable (LogEvent) -> Void)? = .standardError(.error)
        let standardError = sink
        sink = { event in
            standardError?(event)
            events.append(event)
        }
        sink?(
            .cacheHit(
                LogEvent.Request(Request(.GET, baseURLString: "x"), id: 1, redaction: .standard), stage: "s"))
        #expect(standardError != nil)
        #expect(events.values.count == 1)
    }
}
