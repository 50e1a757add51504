import Observation
import Testing

@testable import Swallow

@Suite("A published state")
@MainActor
struct PublishedStateTests {
    @Test("If an observer publishes the next state, that state remains")
    func nested() {
        let published = PublishedState(0)
        withObservationTracking {
            _ = published.state
        } onChange: {
            published.publish(.init(2))
        }
        published.publish(.init(1))
        #expect(published.state == 2)
    }
}
