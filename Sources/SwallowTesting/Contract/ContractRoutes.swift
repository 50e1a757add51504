import Foundation
import Swallow

/// The responses to the requests of a case. A server or a stub sends them.
struct ContractRoutes: Sendable {
    static let parts = ["a", "b", "c", "d"].map { Data(String(repeating: $0, count: 2_000).utf8) }
    static let largeBody = Data((0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 / 251) })

    let arrivals = Tally()
    let gate = Gate()
    let partGate = Gate()

    func openGates() {
        gate.open()
        partGate.open()
    }

    private func response(
        to method: String, _ path: String, field: String?, _ body: Data
    ) -> TestServer.Response {
        if path.hasPrefix("/held") { arrivals.add() }
        return switch path {
        case "/held": .text("held").held(by: gate)
        case "/parts": .chunks(Self.parts)
        case "/held/parts": .chunks(Self.parts, heldBy: partGate)
        case "/large": .data(Self.largeBody)
        case "/empty": .status(204)
        case "/missing": .text("missing", status: 404)
        case "/broken": .status(200).closed(.beforeHead)
        case "/torn": .data(Self.parts[0] + Self.parts[0]).closed(.inBody)
        case "/echo": .text("\(method) \(field ?? "") \(String(decoding: body, as: UTF8.self))")
        // For example, `/small` and `/number/7`.
        default: .text(path, headers: ["X-Contract": "kept"])
        }
    }
}

extension ContractRoutes {
    func startServer() async throws -> TestServer {
        try await TestServer { request in
            response(to: request.method, request.path, field: request["X-Contract"], request.body)
        }
    }

    func makeStub() -> StubDataSource {
        StubDataSource().stub(
            .dynamic { request in
                let response = response(
                    to: request.httpMethod ?? "GET", request.url?.path ?? "",
                    field: request.value(forHTTPHeaderField: "X-Contract"), request.httpBody ?? Data())
                return response.gates.reduce(stub(response)) { $0.held(by: $1) }
            })
    }

    private func stub(_ response: TestServer.Response) -> StubResponse {
        var headers = Headers()
        for (name, value) in response.headers { headers.append(value, for: Headers.Name(name)) }
        let failure = response.interruption.map { _ in URLError(.networkConnectionLost) }
        return switch (response.body, failure) {
        case (.chunks(let parts, _, let gate), _): .parts(parts, headers: headers, heldBy: gate)
        case (.data(let data), let failure?):
            .parts([data.prefix(data.count / 2)], headers: headers, failingWith: failure)
        case (.data(let data), nil): .data(data, status: response.status, headers: headers)
        case (_, let failure?): .failure(failure)
        case (_, nil): .status(response.status, headers: headers)
        }
    }
}
