import Foundation

protocol BodyReader: AnyObject {
    func read(upTo count: Int) throws(ServiceError) -> Data?
}

// Unchecked: a lock or a queue passes the reader from thread to thread, and only one thread uses it at a time.
struct SentReader: @unchecked Sendable {
    let reader: any BodyReader
}

extension RequestBody {
    func measure() throws(ServiceError) -> Int64? {
        guard let length = try statedLength() else { return nil }
        guard length >= 0 else { throw .invalidRequest("a body can't have \(length) bytes") }
        return length
    }

    private func statedLength() throws(ServiceError) -> Int64? {
        switch form {
        case .data(let data): return Int64(data.count)
        case .file(let url): return try FileReader(url).size
        case .stream(let length, _): return length
        case .parts(let parts): return parts.length
        case .opened(_, let length): return length
        case .joined(let bodies):
            var sum: Int64 = 0
            for body in bodies {
                guard let length = try body.measure() else { return nil }
                let (longer, isTooLong) = sum.addingReportingOverflow(length)
                if isTooLong {
                    throw .invalidRequest(
                        "the stated lengths of the body's parts add up to more than \(Int64.max) bytes")
                }
                sum = longer
            }
            return sum
        }
    }

    func reader(length: Int64?) throws(ServiceError) -> any BodyReader {
        let reader: any BodyReader
        switch form {
        case .data(let data): return DataReader(data)
        case .file(let url): return try FileReader(url, length: length)
        case .parts: return try PartsReader(self)
        case .stream(_, let open):
            do { reader = StreamReader(try open()) } catch { throw .unreadable(underlying: error) }
        case .opened(let sent, _):
            guard let opened = sent.withLock({ $0.take() })?.reader else { throw .unrepeatable }
            reader = opened
        case .joined(let bodies): reader = JoinedReader(bodies)
        }
        guard let length else { return reader }
        return MeasuredReader(reader, length: length)
    }
}

extension ServiceError {
    static func unreadable(underlying error: (any Error)?) -> ServiceError {
        if let error = error as? ServiceError { return error }
        return invalidRequest("the stream of the body can't be read", underlying: error)
    }

    static var unrepeatable: ServiceError {
        invalidRequest("the body can be sent only once, but the request has to be sent again")
    }
}

extension RequestBody {
    static func once(_ stream: InputStream, length: Int64?) -> RequestBody {
        opened(StreamReader(stream), length: length)
    }

    private static func opened(_ reader: any BodyReader, length: Int64? = nil) -> RequestBody {
        RequestBody(form: .opened(Lock(SentReader(reader: reader)), length: length))
    }

    /// Reads the stream's beginning now, and the rest while sending. Throws `.cancelled` if `isWanted` returns false.
    package static func opening(
        _ stream: InputStream, length: Int64?, inMemory limit: Int, while isWanted: () -> Bool
    ) throws(ServiceError) -> RequestBody {
        let reader = StreamReader(stream)
        let (data, isComplete) = try reader.readAll(upTo: limit, while: isWanted)
        if isComplete { return .data(data) }
        return opened(JoinedReader([.data(data), opened(reader)]), length: length)
    }

    /// Reads the body on this thread. `nil` if it can be sent only once or has more bytes than the limit.
    package func bytes(upTo limit: Int) throws -> Data? {
        if let data { return data.count > limit ? nil : data }
        guard isRepeatable else { return nil }
        let (data, isComplete) = try reader(length: try measure()).readAll(upTo: limit)
        return isComplete ? data : nil
    }
}

extension BodyReader {
    fileprivate func readAll(
        upTo limit: Int, while isWanted: () -> Bool = { true }
    ) throws(ServiceError) -> (Data, isComplete: Bool) {
        var data = Data()
        while data.count <= limit {
            guard isWanted() else { throw ServiceError(.cancelled) }
            guard let next = try read(upTo: 64 * 1024) else { return (data, true) }
            data.append(next)
        }
        return (data, false)
    }
}
