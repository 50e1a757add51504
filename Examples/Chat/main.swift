// Chats in the terminal. `Chat URL ROOM NAME` joins a room of a server, sends the lines of standard input, and prints the
// lines of all guests.
//
// Without arguments, the program starts its own server on this machine, where two guests and a robot talk.

import Foundation
import Swallow
import SwallowWebSockets

do {
    let arguments = Array(CommandLine.arguments.dropFirst())
    switch arguments.count {
    case 0:
        // If the environment names a proxy that doesn't reach this machine, the WebSockets would try to connect forever.
        DispatchQueue.global().asyncAfter(deadline: .now() + 20) { fail("The server can't be reached.") }
        try await runDemo()
    case 3: try await chat(WebService(baseURLString: arguments[0]), room: arguments[1], name: arguments[2])
    default: throw Usage()
    }
} catch {
    fail((error as? ServiceError)?.userMessage ?? "\(error)")
}

func fail(_ message: String) -> Never {
    try? FileHandle.standardError.write(contentsOf: Data("Chat: \(message)\n".utf8))
    exit(1)
}

func chat(_ service: WebService, room: String, name: String) async throws {
    let socket = service.chat(room: room, name: name)
    let sender = Task {
        for await text in typedLines() { try await socket.send(json: Line(name: name, text: text)) }
        socket.close()
    }
    print("connecting…")
    _ = try await socket.head
    print("connected")
    for try await line in socket.messages(as: Line.self) { print(line) }
    sender.cancel()
}

/// The lines of standard input. A thread waits for them, because a Swift task must not block.
func typedLines() -> AsyncStream<String> {
    AsyncStream { lines in
        Thread.detachNewThread {
            while let line = readLine() { lines.yield(line) }
            lines.finish()
        }
    }
}

struct Usage: Error, CustomStringConvertible {
    let description = "usage: Chat [URL ROOM NAME]"
}
