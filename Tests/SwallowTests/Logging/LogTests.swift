import Testing
import TestSupport

@testable import Swallow

@Suite("Log")
struct LogTests {
    @Test("An optional closure is spelled as a ready log, as a closure of one's own, or both")
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
