import Foundation
import Swallow

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// What a ``StubDataSource`` answers: a response, an error, or a way to choose between several.
///
/// A response gets its default `Content-Type` unless `headers` has one; no other field is added.
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

    /// The same answer, that much later; delays add up.
    ///
    /// The request is recorded and its answer found when it is resumed. A cancelled task doesn't wait, and a
    /// suspended one gets its answer when it is resumed and the delay has passed. The delay counts from the
    /// first `resume()`; a negative one counts as zero. It goes by the service's clock, on whose thread the answer
    /// comes: for a `ManualClock`, the thread that moves it.
    public func delayed(_ delay: Duration) -> StubResponse {
        var response = self
        response.delay += min(max(delay, .zero), .century)
        return response
    }

    /// The same answer, held by a gate until the test opens it; several gates hold it one after another, and a delay
    /// counts from when the last of them was opened.
    ///
    /// The request is recorded and its answer found when it is resumed; a cancelled task leaves the gate.
    public func held(by gate: Gate) -> StubResponse {
        var response = self
        response.gates.append(gate)
        return response
    }
}

extension StubResponse {
    /// A JSON document: status 200 and `application/json` by default.
    public static func json(_ json: JSON, status: Int = 200, headers: Headers = [:]) -> StubResponse {
        .data(json.data, contentType: "application/json", status: status, headers: headers)
    }

    /// The JSON of a value, dates as ISO 8601: status 200 and `application/json` by default.
    ///
    /// A literal counts as JSON instead, in the order written. A value that can't be encoded fails each request with a
    /// `ServiceError` of reason `.invalidResponse`.
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

    /// Text in UTF-8: status 200 and `text/plain; charset=utf-8` by default.
    public static func text(_ text: String, status: Int = 200, headers: Headers = [:]) -> StubResponse {
        .data(Data(text.utf8), contentType: "text/plain; charset=utf-8", status: status, headers: headers)
    }

    /// Bytes: status 200 and `application/octet-stream` by default; a `contentType` of nil sends none.
    public static func data(
        _ data: Data, contentType: String? = "application/octet-stream", status: Int = 200,
        headers: Headers = [:]
    ) -> StubResponse {
        StubResponse(
            .message(data, StubHead(status: status, contentType: contentType, headers: headers)))
    }

    /// A body that comes in parts: status 200 and `application/octet-stream` by default.
    ///
    /// A task that streams gets the head, then one part after another, on a queue of the data source's; any other task
    /// gets the whole, or the failure, at the end. Empty parts are left out.
    ///
    /// - Parameters:
    ///   - parts: the body's, in order.
    ///   - contentType: goes into `Content-Type`; nil for none.
    ///   - status: 200 by default.
    ///   - headers: more of the head's fields; none by default.
    ///   - gate: holds each part until the test opens it for that one: `gate.open(next: 1)`. None by default.
    ///   - failure: what breaks the body off after the last part, as ``failure(_:)`` has it; nil, the default, is its end.
    public static func parts(
        _ parts: [Data], contentType: String? = "application/octet-stream", status: Int = 200,
        headers: Headers = [:], heldBy gate: Gate? = nil, failingWith failure: (any Error)? = nil
    ) -> StubResponse {
        let head = StubHead(status: status, contentType: contentType, headers: headers)
        return StubResponse(.parts(parts, head, gate, failure))
    }

    /// A status and header fields without a body; no header field by default.
    public static func status(_ status: Int, headers: Headers = [:]) -> StubResponse {
        .data(Data(), contentType: nil, status: status, headers: headers)
    }

    /// The bytes that a file has when a request asks for them: status 200 by default.
    ///
    /// A file that can't be read fails the request with a `ServiceError` of reason `.invalidResponse` that names it.
    ///
    /// - Parameters:
    ///   - url: where the file is.
    ///   - contentType: nil, the default, goes by the file name's extension, and is `application/octet-stream` for one that
    ///     isn't known.
    ///   - status: 200 by default.
    ///   - headers: more of the head's fields; none by default.
    public static func file(
        _ url: URL, contentType: String? = nil, status: Int = 200, headers: Headers = [:]
    ) -> StubResponse {
        let contentType = contentType ?? FileContentType.of(url)
        return StubResponse(
            .file(url, StubHead(status: status, contentType: contentType, headers: headers)))
    }

    /// An error in place of a response: a `URLError` for what a network does, or a `ServiceError`, which becomes
    /// the task's own.
    public static func failure(_ error: any Error) -> StubResponse {
        StubResponse(.failure(error))
    }

    /// One answer for each request, in order; the last one answers all that follow.
    ///
    /// Each stub counts for itself. A sequence within a sequence stands for its elements. An empty one fails
    /// each request with a `ServiceError` of reason `.invalidResponse`.
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

    /// An answer made of the request, which has its body in `httpBody`.
    ///
    /// The closure runs inside `resume()`, on the thread that calls it. What it throws is the answer. Of a
    /// sequence that it returns, the first element answers.
    public static func dynamic(
        _ respond: @escaping @Sendable (URLRequest) throws -> StubResponse
    ) -> StubResponse {
        StubResponse(.dynamic(respond))
    }
}

extension StubResponse {
    /// The answer to a request.
    ///
    /// - Parameter turn: takes the next position in a sequence.
    func answer(to request: URLRequest, turn: () -> Int) -> StubAnswer {
        var answer =
            switch content {
            case .message(let data, let head): StubAnswer(data, head, to: request)
            case .parts(let parts, let head, let gate, let failure):
                StubAnswer.parts(parts, head, heldBy: gate, failingWith: failure, to: request)
            case .file(let file, let head): Self.answer(file, head, to: request)
            case .failure(let error): StubAnswer(failure: error)
            case .sequence(let responses): Self.answer(responses, turn(), to: request)
            case .dynamic(let respond): Self.answer(respond, to: request)
            }
        answer.delay += delay
        answer.gates += gates
        return answer
    }

    private static func answer(_ file: URL, _ head: StubHead, to request: URLRequest) -> StubAnswer {
        do {
            return StubAnswer(try Data(contentsOf: file), head, to: request)
        } catch {
            let detail = "the stub's file \(file.path) can't be read"
            return StubAnswer(failure: ServiceError(.invalidResponse, detail: detail, underlying: error))
        }
    }

    private static func answer(
        _ responses: [StubResponse], _ turn: Int, to request: URLRequest
    ) -> StubAnswer {
        guard let response = turn < responses.count ? responses[turn] : responses.last else {
            return StubAnswer(failure: ServiceError(.invalidResponse, detail: "the stub's sequence is empty"))
        }
        return response.answer(to: request) { 0 }
    }

    private static func answer(
        _ respond: @Sendable (URLRequest) throws -> StubResponse, to request: URLRequest
    ) -> StubAnswer {
        do {
            return try respond(request).answer(to: request) { 0 }
        } catch {
            return StubAnswer(failure: error)
        }
    }
}
