import Foundation
import Swallow

extension WebService {
    func resource<Content: Sendable>(
        _ path: Request.Path, parameters: Parameters = [:], as type: Content.Type
    ) -> ServiceFuture<Content> {
        future(of: (any Sendable).self) {
            $0.GET(path, parameters: parameters)
        } reading: {
            try $0.value(as: type, takesParsed: true)
        }
    }

    /// Returns the URL of a GET request before `adaptRequest` changes it, or `nil` if it isn't valid.
    func address(_ path: Request.Path, _ parameters: Parameters = [:]) -> String? {
        var service = self
        service.startTasksImmediately = false
        service.log = nil
        return service.GET(path, parameters: parameters).address
    }
}
