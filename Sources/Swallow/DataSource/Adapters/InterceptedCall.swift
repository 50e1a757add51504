import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

struct InterceptedCall: Sendable {
    enum Outcome: Sendable {
        case head(HTTPURLResponse)
        /// The base doesn't stream, or has failed before the head.
        case end(DataTaskResult)
    }

    typealias Caller = CheckedContinuation<Outcome, Never>
    typealias Reader = CheckedContinuation<DataTaskResult, Never>

    struct Deliveries: Sendable {
        var caller: (Caller, Outcome)?
        var readers: [Reader] = []
        var result = DataTaskResult(nil, nil, nil)

        /// Whether `next(request)` returns the complete response, so that the call isn't needed any more.
        var isComplete: Bool { if case .end = caller?.1 { true } else { false } }

        func deliver() {
            if let (caller, outcome) = caller { caller.resume(returning: outcome) }
            for reader in readers { reader.resume(returning: result) }
        }
    }

    let base = BaseDataTask()
    private var caller: Caller?
    private var readers: [Reader] = []
    private(set) var body = Data()
    private(set) var result: DataTaskResult?

    init(_ caller: Caller) {
        self.caller = caller
    }

    var isUnread: Bool { caller == nil && readers.isEmpty }

    mutating func receive(_ part: ResponsePart) -> Deliveries {
        guard result == nil else { return Deliveries() }
        switch part {
        case .head(let head): return Deliveries(caller: caller.take().map { ($0, .head(head)) })
        case .bytes(let bytes):
            if body.isEmpty { body = bytes } else { body.append(bytes) }
            return Deliveries()
        }
    }

    mutating func receive(_ new: DataTaskResult) -> Deliveries {
        guard result == nil else { return Deliveries() }
        if let data = new.data { body.append(data) }
        let complete = new.error == nil ? DataTaskResult(body, new.response, nil) : new
        result = complete
        defer { readers = [] }
        return Deliveries(caller: caller.take().map { ($0, .end(new)) }, readers: readers, result: complete)
    }

    mutating func takeBody() -> Data {
        defer { body = Data() }
        return body
    }

    mutating func read(_ reader: Reader) -> DataTaskResult? {
        if let result { return result }
        readers.append(reader)
        return nil
    }
}

/// The body of an intercepted response. When the last copy is released, the rest of the transfer is cancelled.
final class InterceptedBody: Sendable {
    let operation: InterceptOperation
    let call: Int

    init(_ operation: InterceptOperation, call: Int) {
        (self.operation, self.call) = (operation, call)
    }

    deinit {
        operation.drop(call)
    }
}
