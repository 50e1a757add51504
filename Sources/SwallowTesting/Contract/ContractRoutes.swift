import Foundation
import Swallow

/// The responses to the requests of a case. A server or a stub sends them.
struct ContractRoutes: Sendable {
    static let parts = ["a", "b", "c", "d"].map { Data(String(repeating: $0, count: 2_000).utf8) }
    static let largeBody = Data((0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 / 251) })

    let arrivals = Tally()
    let gate = Gate()
    let partGate = Gate()

    private struct Answer {
        var status = 200
        var parts: [Data] = []
        var isHeld = false
        var arePartsHeld = false
        /// Whether the connection is lost after the parts.
        var isTorn = false
    }

    func openGates() {
        gate.open()
        partGate.open()
    }

    private func answer(_ method: String, _ path: String, field: String?, _ body: Data) -> Answer {
        if path.hasPrefix("/held") { arrivals.add() }
        switch path {
        case "/held": return Answer(parts: [Data("held".utf8)], isHeld: true)
        case "/parts": return Answer(parts: Self.parts)
        case "/held/parts": return Answer(parts: Self.parts, arePartsHeld: true)
        case "/large": return Answer(parts: [Self.largeBody])
        case "/empty": return Answer(status: 204)
        case "/missing": return Answer(status: 404, parts: [Data("missing".utf8)])
        case "/broken": return Answer(isTorn: true)
        case "/torn": return Answer(parts: [Self.parts[0]], isTorn: true)
        case "/echo":
            return Answer(parts: [
                Data("\(method) \(field ?? "") \(String(decoding: body, as: UTF8.self))".utf8)
            ])
        // For example, `/small` and `/number/7`.
        default: return Answer(parts: [Data(path.utf8)])
        }
    }
}

extension ContractRoutes {
    func makeStub() -> StubDataSource {
        StubDataSource().stub(
            .dynamic { request in
                let answer = answer(
                    request.httpMethod ?? "GET", request.url?.path ?? "",
                    field: request.value(forHTTPHeaderField: "X-Contract"), request.httpBody ?? Data())
                let response = stubResponse(answer)
                return answer.isHeld ? response.held(by: gate) : response
            })
    }

    private func stubResponse(_ answer: Answer) -> StubResponse {
        let failure = answer.isTorn ? URLError(.networkConnectionLost) : nil
        if let failure, answer.parts.isEmpty { return .failure(failure) }
        let headers: Headers = ["X-Contract": "kept"]
        if failure != nil || answer.parts.count > 1 {
            return .parts(
                answer.parts, headers: headers, heldBy: answer.arePartsHeld ? partGate : nil,
                failingWith: failure)
        }
        return .data(answer.parts.first ?? Data(), status: answer.status, headers: headers)
    }
}

extension ContractRoutes {
    func startServer() async throws -> TestServer {
        try await TestServer { request in
            let answer = answer(request.method, request.path, field: request["X-Contract"], request.body)
            let response = serverResponse(answer)
            return answer.isHeld ? response.held(by: gate) : response
        }
    }

    private func serverResponse(_ answer: Answer) -> TestServer.Response {
        let headers: Headers = ["X-Contract": "kept"]
        if answer.parts.count > 1 {
            return .chunks(answer.parts, headers: headers, heldBy: answer.arePartsHeld ? partGate : nil)
        }
        let body = answer.parts.first ?? Data()
        if !answer.isTorn { return .data(body, status: answer.status, headers: headers) }
        return body.isEmpty ? .status(200).closed(.beforeHead) : .data(body + body).closed(.inBody)
    }
}
