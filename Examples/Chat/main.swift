// Sends the lines of standard input to a chat room, and prints the lines of others: `Chat URL ROOM NAME`.
//
// Without arguments, the program sends a few lines to a robot inside the program, and ends.

import Foundation
import Swallow
import SwallowWebSockets

func show(_ line: Line) { print("\(line.name): \(line.text)") }

func chat(_ service: WebService, room: String, name: String, lines: some AsyncSequence<String, any Error>)
    async throws
{
    let socket = service.chat(room: room)
    let printer = Task {
        for try await line in socket.messages(as: Line.self) { show(line) }
    }
    for try await text in lines { try await socket.send(json: Line(name: name, text: text)) }
    socket.close()
    try await printer.value
}

func chatWithRobot() async throws {
    let robot = Robot()
    async let answers: Void = robot.run()
    let socket = robot.service.chat(room: "lobby")
    var lines = socket.messages(as: Line.self).makeAsyncIterator()
    for text in ["hello", "is anybody there?"] {
        try await socket.send(json: Line(name: "ann", text: text))
        if let line = try await lines.next() { show(line) }
    }
    socket.close()
    await answers
}

do {
    let arguments = CommandLine.arguments.dropFirst()
    if arguments.count == 3 {
        let (url, room, name) = (arguments[1], arguments[2], arguments[3])
        let input = AsyncThrowingStream<String, any Error> { stream in
            Thread.detachNewThread {
                while let line = readLine() { stream.yield(line) }
                stream.finish()
            }
        }
        try await chat(WebService(baseURLString: url), room: room, name: name, lines: input)
    } else {
        try await chatWithRobot()
    }
} catch {
    try? FileHandle.standardError.write(contentsOf: Data("Chat: \(error)\n".utf8))
    exit(1)
}
