// Sends the lines of standard input to a chat room, and prints the lines of others: `Chat URL ROOM NAME`.
//
// Without arguments, the program sends a few lines to a robot inside the program, and ends.

import Foundation
import Swallow
import SwallowWebSockets

func chat(_ service: WebService, room: String, name: String, lines: some AsyncSequence<String, any Error>)
    async throws
{
    let socket = service.chat(room: room)
    let printer = Task {
        for try await line in socket.messages(as: Line.self) { print("\(line.name): \(line.text)") }
    }
    for try await text in lines { try await socket.send(json: Line(name: name, text: text)) }
    socket.close()
    try await printer.value
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
        let robot = Robot()
        async let answers: Void = robot.run()
        let lines = AsyncThrowingStream<String, any Error> { stream in
            for line in ["hello", "is anybody there?"] { stream.yield(line) }
            stream.finish()
        }
        try await chat(robot.service, room: "lobby", name: "ann", lines: lines)
        await answers
    }
} catch {
    try? FileHandle.standardError.write(contentsOf: Data("Chat: \(error)\n".utf8))
    exit(1)
}
