import Foundation
import Observation
import Swallow

struct News: Decodable, Identifiable, Sendable {
    let id: Int
    let title: String
}

@MainActor @Observable
final class Feed {
    private(set) var news: [News] = []
    private(set) var message = ""
    private let source: EventSource

    init(_ service: WebService) {
        source = service.eventSource { $0.GET("/feed") }
    }

    var status: String {
        switch source.state {
        case .connecting, .waiting: "Reconnecting…"
        case .open: "Live"
        case .ended: "Offline"
        }
    }

    func run() async {
        do throws(ServiceError) {
            for try await event in source where event.event == "news" {
                news.insert(try event.decoded(as: News.self), at: 0)
            }
        } catch {
            if !error.isCancelled { message = error.userMessage }
        }
    }
}
