import Foundation
import Swallow
import SwallowWebSockets

/// The other side of the chat if there is no server. It sends each line back in capital letters.
struct Robot: Sendable {
    private let server = StubWebSocket(subprotocol: "chat")

    var service: WebService { WebService(baseURLString: "https://chat.example.com", dataSource: server) }

    func run() async {
        while let message = await server.next() {
            guard let line = try? JSONDecoder().decode(Line.self, from: message.data),
                let answer = try? JSONEncoder().encode(Line(name: "robot", text: line.text.uppercased()))
            else { continue }
            server.send(.text(String(decoding: answer, as: UTF8.self)))
        }
    }
}
