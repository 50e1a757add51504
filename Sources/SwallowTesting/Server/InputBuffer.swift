import Foundation

/// Received bytes that the connection hasn't used yet. All requests of a connection share the storage.
struct InputBuffer {
    private var storage = [UInt8](repeating: 0, count: 32 * 1024)
    private var used = 0..<0

    var count: Int { used.count }

    /// Blocks until bytes arrive. The storage grows only if it is full.
    mutating func fill(from socket: Socket) throws(ConnectionFailure) {
        makeRoom()
        let end = used.upperBound
        // This uses a Result because `withUnsafeMutableBytes` would lose the type of the error.
        let received = storage.withUnsafeMutableBytes { bytes in
            Result { () throws(ConnectionFailure) in
                try socket.receive(into: UnsafeMutableRawBufferPointer(rebasing: bytes[end...]))
            }
        }
        used = used.lowerBound..<(end + (try received.get()))
    }

    func withBytes<Value>(_ body: (UnsafeBufferPointer<UInt8>) -> Value) -> Value {
        storage.withUnsafeBufferPointer { body(UnsafeBufferPointer(rebasing: $0[used])) }
    }

    mutating func drop(_ count: Int) {
        used = (used.lowerBound + count)..<used.upperBound
        if used.isEmpty { used = 0..<0 }
    }

    mutating func take(upTo limit: Int) -> Data {
        let bytes = Data(storage[used].prefix(limit))
        drop(bytes.count)
        return bytes
    }

    private mutating func makeRoom() {
        guard used.upperBound == storage.count else { return }
        if used.lowerBound > 0 {
            storage.removeSubrange(..<used.lowerBound)
            used = 0..<used.count
            storage.append(contentsOf: repeatElement(0, count: storage.capacity - storage.count))
        } else {
            storage.append(contentsOf: repeatElement(0, count: storage.count))
        }
    }
}
