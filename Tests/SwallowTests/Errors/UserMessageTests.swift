import Foundation
import TestSupport
import Testing

import Swallow

@Suite("An app's messages for errors")
struct UserMessageTests {
    private func service(_ answer: ScriptedDataSource.Answer) -> WebService {
        .scripted(ScriptedDataSource(answer)) { configuration in
            configuration.userMessage = { error in
                switch error.reason {
                case .unacceptableStatus where error.statusCode == 404: "Das gibt es nicht."
                case .transport: "Keine Verbindung: \(error.userMessage)"
                case .unparsable: "Kein JSON von \(error.request?.urlString ?? "")"
                default: nil
                }
            }
        }
    }

    @Test("The message that the configured closure returns is the error's message")
    func words() async {
        let error = await service(.status(404)).GET("/").finalError
        #expect(error?.userMessage == "Das gibt es nicht.")
        #expect(error?.localizedDescription == "Das gibt es nicht.")
        let json = await { () async -> ServiceError? in
            do throws(ServiceError) {
                _ = try await service(.status(200, body: "{")).GET("/a").json
                return nil
            } catch { return error }
        }()
        #expect(json?.userMessage == "Kein JSON von http://service.test/a")
    }

    @Test("The closure can use the standard message, and keeps it by returning nil")
    func standard() async {
        let error = await service(.error(.notConnectedToInternet)).GET("/").finalError
        #expect(error?.userMessage == "Keine Verbindung: There is no connection to the internet.")
        #expect(
            await service(.status(403)).GET("/").finalError?.userMessage == "You are not allowed to do this.")
    }

    @Test("A message that a transformer has set isn't replaced")
    func own() async {
        var service = service(.status(404))
        service.configure {
            $0.pipeline[.cleanup].add(
                ErrorTransformer { error in
                    var error = error
                    error.userMessage = "From the server."
                    return error
                })
        }
        #expect(await service.GET("/").finalError?.userMessage == "From the server.")
    }

    private struct ErrorTransformer: ResponseTransformer {
        let change: @Sendable (ServiceError) -> ServiceError
        var description: String { "error" }
        func process(_ outcome: Outcome) -> Outcome { outcome.mapError(change) }
    }
}
