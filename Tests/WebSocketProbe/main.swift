// Measures the speed of WebSockets with an echo server, and the memory and descriptors that closed ones leave behind:
//
//     .ci/websockets swift run -c release WebSocketProbe

#if os(Linux) && canImport(Glibc)
    import Foundation
    import Swallow
    import SwallowWebSockets

    let environment = ProcessInfo.processInfo.environment

    func descriptors() -> Int {
        (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count) ?? 0
    }

    /// The resident memory in KiB.
    func residentSize() -> Int {
        let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
        let line = status.split(separator: "\n").first { $0.hasPrefix("VmRSS:") }
        return line.flatMap { Int($0.split(separator: " ").dropFirst().first ?? "") } ?? 0
    }

    func service(_ url: String) -> WebService {
        var configuration = CurlDataSource.Configuration()
        configuration.proxy = .none
        configuration.tls.certificateAuthorityFile = environment["SWALLOW_WEBSOCKETS_CA"]
        return WebService(baseURLString: url, dataSource: CurlDataSource(configuration: configuration))
    }

    /// The CPU time of this process so far, in microseconds.
    func processorTime() -> Int {
        var usage = rusage()
        getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
        return [usage.ru_utime, usage.ru_stime].reduce(0) { $0 + 1_000_000 * $1.tv_sec + Int($1.tv_usec) }
    }

    struct Start {
        let time = ContinuousClock.now
        let work = processorTime()
    }

    func report(_ name: String, _ count: Int, since start: Start) {
        let seconds = (ContinuousClock.now - start.time) / .seconds(1)
        let work = (processorTime() - start.work) / count
        print("\(name): \(Int(Double(count) / seconds)) a second, \(work) µs of CPU time each")
    }

    func measure(_ name: String, _ service: WebService) async throws {
        let message = WebSocket.Message.text(String(repeating: "x", count: 1024))
        var settings = WebSocket.Settings()
        settings.compresses = false
        let socket = service.webSocket("/feed", settings: settings)
        var messages = socket.messages.makeAsyncIterator()
        _ = try await socket.head
        var start = Start()
        for _ in 0..<5000 {
            try await socket.send(message)
            _ = try await messages.next()
        }
        report("\(name), echoes of 1 KB, one after the other", 5000, since: start)
        start = Start()
        let sender = Task { for _ in 0..<20_000 { try await socket.send(message) } }
        for _ in 0..<20_000 { _ = try await messages.next() }
        try await sender.value
        report("\(name), echoes of 1 KB, at the same time", 20_000, since: start)
        socket.close()
        _ = await socket.closeStatus
    }

    func open(_ count: Int, _ service: WebService) async throws {
        for _ in 0..<count {
            let socket = service.webSocket("/feed")
            try await socket.send(.text("hello"))
            var messages = socket.messages.makeAsyncIterator()
            _ = try await messages.next()
            socket.close()
            _ = await socket.closeStatus
        }
    }

    guard let plain = environment["SWALLOW_WEBSOCKETS"], let tls = environment["SWALLOW_WEBSOCKETS_TLS"]
    else {
        print("run .ci/websockets")
        exit(1)
    }
    try await measure("without TLS", service(plain))
    try await measure("TLS through nginx", service(tls))
    for url in [plain, tls] {
        let service = service(url)
        try await open(100, service)
        let (files, size) = (descriptors(), residentSize())
        let start = Start()
        try await open(1000, service)
        report("opened, used and closed", 1000, since: start)
        // The connections of the last sockets may still be closing.
        for _ in 0..<100 where descriptors() > files { try await Task.sleep(for: .milliseconds(50)) }
        print("descriptors: \(files) before, \(descriptors()) after")
        print("resident size: \(size) KB before, \(residentSize()) KB after")
    }
#endif
