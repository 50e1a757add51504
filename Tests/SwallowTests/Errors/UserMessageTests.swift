import Foundation
import TestSupport
import Testing

import Swallow

@Suite("An app's own words for errors")
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

    @Test("The configured closure's words are the error's")
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

    @Test("It may use the standard words, and leaves them by returning nil")
    func standard() async {
        let error = await service(.error(.notConnectedToInternet)).GET("/").finalError
        #expect(error?.userMessage == "Keine Verbindung: There is no connection to the internet.")
        #expect(
            await service(.status(403)).GET("/").finalError?.userMessage == "You are not allowed to do this.")
    }

    @Test("Words that a transformer has set stay")
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
        func process(_ response: Response) -> Response { response.mapError(change) }
    }
}
