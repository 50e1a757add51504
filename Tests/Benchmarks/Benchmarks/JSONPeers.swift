import Foundation

/// JSON parsers in C and C++. They are in the library that `Tests/Benchmarks/json-peers` builds.
struct JSONPeers: Sendable {
    private typealias Load = @convention(c) (UnsafeRawPointer, Int) -> OpaquePointer?
    private typealias Run = @convention(c) (OpaquePointer) -> Int

    /// A document in the library's memory. It is never freed. It is unchecked because only one thread at a time uses
    /// it.
    private struct Document: @unchecked Sendable {
        let pointer: OpaquePointer
    }

    private let load: Load
    private let parsers: [(name: String, run: Run)]
    private let readEveryValue: Run

    /// Loads the library that `SWALLOW_JSON_PEERS` names. Returns `nil` if the variable isn't set.
    init?() {
        guard let path = ProcessInfo.processInfo.environment["SWALLOW_JSON_PEERS"] else { return nil }
        guard let library = dlopen(path, RTLD_NOW) else { fail("\(path) can't be loaded") }
        func function<Function>(_ name: String) -> Function {
            guard let symbol = dlsym(library, name) else { fail("\(path) has no \(name)") }
            return unsafeBitCast(symbol, to: Function.self)
        }
        load = function("peers_load")
        parsers = [
            ("yyjson with a pool", function("peers_yyjson")), ("simdjson's DOM", function("peers_simdjson")),
        ]
        readEveryValue = function("peers_every_value")
    }

    func parsing(_ data: Data) -> [(name: String, parse: @Sendable () -> Void)] {
        parsers.map { name, run in (name, runner(run, data)) }
    }

    /// Returns a closure that parses the document and reads all of its values.
    func everyValue(_ data: Data) -> @Sendable () -> Void {
        runner(readEveryValue, data)
    }

    private func runner(_ run: @escaping Run, _ data: Data) -> @Sendable () -> Void {
        guard let pointer = data.withUnsafeBytes({ $0.baseAddress.flatMap { load($0, data.count) } }) else {
            fail("the peers can't load a document")
        }
        let document = Document(pointer: pointer)
        return { if run(document.pointer) < 0 { fail("a peer can't read a document") } }
    }
}
