import Foundation
import Swallow

/// The response of a ``StubDataSource``, which is an HTTP response, an error, a sequence of these, or a closure.
///
/// A `Content-Type` in `headers` takes precedence over the function's content type. No other field is added.
///
/// ```swift
/// stub.stub(.GET, "/stores", .json(["stores": []]))
/// stub.stub(.POST, "/stores", .status(201, headers: ["Location": "/stores/41"]))
/// stub.stub(.GET, "/slow", .text("at last").delayed(.seconds(1)))
/// stub.stub(
///     .GET, "/flaky", .sequence([.failure(URLError(.networkConnectionLost)), .status(503), .json([])]))
/// stub.stub(.PUT, "/echo", .dynamic { request in .data(request.httpBody ?? Data()) })
/// ```
public struct StubResponse: Sendable {
    private enum Content: Sendable {
        case message(Data, StubHead)
        case parts([Data], StubHead, Gate?, (any Error)?)
        case file(URL, StubHead)
        case failure(any Error)
        case sequence([StubResponse])
        case dynamic(@Sendable (URLRequest) throws -> StubResponse)
    }

    private let content: Content
    private var delay = Duration.zero
    private var gates: [Gate] = []

    private init(_ content: Content) {
        self.content = content
    }

    /// Returns the response with a delay before it. Several delays add up, and a negative one counts as zero.
    ///
    /// The service's clock measures the delay, which starts when the stub has received the complete request, or when
    /// the last gate opens. It continues while the task is suspended.
    public func delayed(_ delay: Duration) -> StubResponse {
        var response = self
        response.delay += min(max(delay, .zero), .century)
        return response
    }

    /// Returns the response, which a gate holds until the test opens the gate.
    ///
    /// Several gates hold it one after another. A delay starts after the last gate. A cancelled task leaves the gate.
    public func held(by gate: Gate) -> StubResponse {
        var response = self
        response.gates.append(gate)
        return response
    }
}

extension StubResponse {
    /// Returns a JSON document, by default with status 200 and `application/json`.
    public static func json(_ json: JSON, status: Int = 200, headers: Headers = [:]) -> StubResponse {
        .data(json.data, contentType: "application/json", status: status, headers: headers)
    }

    /// Returns a value encoded as JSON, by default with status 200 and `application/json`.
    ///
    /// Dates are ISO 8601 text, and members are sorted by name. If the value can't be encoded, each request fails with
    /// a `ServiceError` of reason `.invalidResponse`. If both overloads fit, Swift calls the one for `JSON`.
    @_disfavoredOverload
    public static func json(
        _ value: some Encodable, status: Int = 200, headers: Headers = [:]
    ) -> StubResponse {
        let encoder = JSONEncoder()
        encoder.dateEncodingStrategy = .iso8601
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        do {
            let data = try encoder.encode(value)
            return .data(data, contentType: "application/json", status: status, headers: headers)
        } catch {
            let detail = "the stub's \(type(of: value)) can't be encoded"
            return .failure(ServiceError(.invalidResponse, detail: detail, underlying: error))
        }
    }

    /// Returns text in UTF-8, by default with status 200 and `text/plain; charset=utf-8`.
    public static func text(_ text: String, status: Int = 200, headers: Headers = [:]) -> StubResponse {
        .data(Data(text.utf8), contentType: "text/plain; charset=utf-8", status: status, headers: headers)
    }

    /// Returns bytes, by default with status 200 and `application/octet-stream`. `nil` adds no `Content-Type`.
    public static func data(
        _ data: Data, contentType: String? = "application/octet-stream", status: Int = 200,
        headers: Headers = [:]
    ) -> StubResponse {
        StubResponse(
            .message(data, StubHead(status: status, contentType: contentType, headers: headers)))
    }

    /// Returns a body that arrives in parts, by default with status 200 and `application/octet-stream`.
    ///
    /// A task that streams receives the head and then one part after another. Any other task receives the complete
    /// body, or the failure, at the end. Empty parts are omitted. A response to HEAD ignores the parts, `gate` and
    /// `failure`.
    ///
    /// - Parameters:
    ///   - parts: The parts of the body, in order.
    ///   - contentType: The value of `Content-Type`, or `nil` to add none.
    ///   - status: The status code, by default 200.
    ///   - headers: More fields of the head. Empty by default.
    ///   - gate: A gate that holds each part until the test releases it with `gate.open(next: 1)`. `nil` by default.
    ///   - failure: The error with which the request fails after the last part. With `nil`, the default, it succeeds.
    public static func parts(
        _ parts: [Data], contentType: String? = "application/octet-stream", status: Int = 200,
        headers: Headers = [:], heldBy gate: Gate? = nil, failingWith failure: (any Error)? = nil
    ) -> StubResponse {
        let head = StubHead(status: status, contentType: contentType, headers: headers)
        return StubResponse(.parts(parts, head, gate, failure))
    }

    /// Returns a response without a body, by default without header fields.
    public static func status(_ status: Int, headers: Headers = [:]) -> StubResponse {
        .data(Data(), contentType: nil, status: status, headers: headers)
    }

    /// Returns the bytes of a file, by default with status 200. The file is read again for each request.
    ///
    /// If the file can't be read, the request fails with a `ServiceError` of reason `.invalidResponse`.
    ///
    /// - Parameters:
    ///   - url: The URL of the file.
    ///   - contentType: The content type. With `nil`, the default, the file name's extension determines it. For an
    ///     unknown extension, it is `application/octet-stream`.
    ///   - status: The status code, by default 200.
    ///   - headers: More fields of the head. Empty by default.
    public static func file(
        _ url: URL, contentType: String? = nil, status: Int = 200, headers: Headers = [:]
    ) -> StubResponse {
        let contentType = contentType ?? FileContentType.of(url)
        return StubResponse(
            .file(url, StubHead(status: status, contentType: contentType, headers: headers)))
    }

    /// Returns a failure. Pass a `URLError` for a network failure, or the `ServiceError` with which the task fails.
    public static func failure(_ error: any Error) -> StubResponse {
        StubResponse(.failure(error))
    }

    /// Returns one response for each request, in order. The last response is repeated for all further requests.
    ///
    /// Each stub counts its own requests. A sequence within a sequence is replaced by its elements. If the sequence is
    /// empty, each request fails with a `ServiceError` of reason `.invalidResponse`.
    public static func sequence(_ responses: [StubResponse]) -> StubResponse {
        StubResponse(
            .sequence(
                responses.flatMap { response in
                    guard case .sequence(let elements) = response.content else { return [response] }
                    return elements.map {
                        response.gates.reduce($0.delayed(response.delay)) { $0.held(by: $1) }
                    }
                }))
    }

    /// Returns a response that a closure creates from the request, which has its body in `httpBody`.
    ///
    /// The closure runs inside `resume()`, or on another thread if the body is an asynchronous sequence. If it throws
    /// an error, the request fails with that error. If it returns a sequence, only the first element is used.
    public static func dynamic(
        _ respond: @escaping @Sendable (URLRequest) throws -> StubResponse
    ) -> StubResponse {
        StubResponse(.dynamic(respond))
    }
}

extension StubResponse {
    /// - Parameter turn: The number of earlier requests, which selects the element of a sequence.
    func answer(to request: URLRequest, turn: Int) -> StubAnswer {
        var answer: StubAnswer
        do {
            answer = try immediateAnswer(to: request, turn: turn)
        } catch {
            answer = StubAnswer(failure: error)
        }
        answer.delay += delay
        answer.gates += gates
        return answer
    }

    private func immediateAnswer(to request: URLRequest, turn: Int) throws -> StubAnswer {
        switch content {
        case .message(let data, let head): return StubAnswer(data, head, to: request)
        case .parts(let parts, let head, let gate, let failure):
            return StubAnswer(parts: parts, head, heldBy: gate, failingWith: failure, to: request)
        case .file(let file, let head): return StubAnswer(try Self.contents(of: file), head, to: request)
        case .failure(let error): throw error
        case .sequence(let responses):
            guard let response = turn < responses.count ? responses[turn] : responses.last else {
                throw ServiceError(.invalidResponse, detail: "the stub's sequence is empty")
            }
            return response.answer(to: request, turn: 0)
        case .dynamic(let respond): return try respond(request).answer(to: request, turn: 0)
        }
    }

    private static func contents(of file: URL) throws(ServiceError) -> Data {
        do {
            return try Data(contentsOf: file)
        } catch {
            let detail = "the stub's file \(file.path) can't be read"
            throw ServiceError(.invalidResponse, detail: detail, underlying: error)
        }
    }
}
