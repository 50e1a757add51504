import Foundation
import Swallow

extension DataSourceContract {
    static let startCases: [Case] = [
        Case("Nothing before resume()", "A task sends nothing and calls nothing before resume().") { run in
            let call = try await run.call("/held").streaming()
            try await run.settle()
            try run.expect(run.routes.arrivals.count == 0, "the request was sent")
            try run.expect(call.completions.isEmpty, "the completion was called")
            try run.expect(call.partCount == 0, "the receiver was called")
        },
        Case(
            "One completion",
            "A task completes exactly once, however often its functions are called before and after."
        ) { run in
            let call = try await run.call("/small")
            for _ in 0..<3 { try await call.resume() }
            try await run.expectCompletion(of: call) { $0.error == nil }
            try await call.cancel()
            try await call.suspend()
            try await call.resume()
            try await run.settle()
            try run.expectOneCompletion(call)
        },
        Case(
            "Each request has its own response",
            "Concurrent tasks complete with the responses to their requests."
        ) { run in
            let calls = try await run.calls(20) { "/number/\($0)" }
            for call in calls { try await call.resume() }
            for (number, call) in calls.enumerated() {
                let completion = try await run.completion(of: call)
                try run.expect(
                    completion.text == "/number/\(number)",
                    "request \(number) completed with \(completion), “\(completion.text)”")
            }
        },
    ]

    static let responseCases: [Case] = [
        Case("The response", "A task completes with the status, the header fields, the URL and the body.") {
            run in
            let request = run.request("/number/7")
            let completion = try await run.expectCompletion(of: run.call(request).resumed()) {
                $0.response?.statusCode == 200 && $0.error == nil
            }
            let response = completion.response
            try run.expect(
                response?.value(forHTTPHeaderField: "x-contract") == "kept", "a header field is missing")
            try run.expect(
                response?.url == request.url, "the URL is \(response?.url?.absoluteString ?? "missing")")
            try run.expect(completion.text == "/number/7", "the body is “\(completion.text)”")
        },
        Case("Any status is a response", "A response with status 404 isn't an error, and has its body.") {
            run in
            try await run.expectCompletion(of: run.call("/missing").resumed()) {
                $0.response?.statusCode == 404 && $0.text == "missing" && $0.error == nil
            }
        },
        Case(
            "An empty body is empty data",
            "A response without a body completes with empty data, which isn't nil."
        ) { run in
            for request in [run.request("/empty"), run.request("/small", "HEAD")] {
                let completion = try await run.completion(of: run.call(request).resumed())
                try run.expect(
                    completion.data == Data() && completion.response != nil && completion.error == nil,
                    "\(request.httpMethod ?? "") completed with \(completion)")
            }
        },
        Case("A large body", "A large body arrives complete and in order.") { run in
            try await run.expectCompletion(of: run.call("/large").resumed()) {
                $0.data == ContractRoutes.largeBody
            }
        },
        Case("The request", "The method, the header fields and the body are sent unchanged.") { run in
            for (method, body) in [
                ("GET", nil), ("POST", "x=1"), ("PUT", "text"), ("PATCH", "x"), ("DELETE", nil),
                ("POST", nil),
            ] {
                var request = run.request("/echo", method, body: body)
                request.setValue("field", forHTTPHeaderField: "X-Contract")
                let text = try await run.completion(of: run.call(request).resumed()).text
                try run.expect(text == "\(method) field \(body ?? "")", "\(method) arrived as “\(text)”")
            }
        },
        Case("A body stream", "The stream in httpBodyStream is sent as the body.") { run in
            var request = run.request("/echo", "POST")
            request.httpBodyStream = InputStream(data: Data("streamed".utf8))
            let text = try await run.completion(of: run.call(request).resumed()).text
            try run.expect(text == "POST  streamed", "the request arrived as “\(text)”")
        },
        Case(
            "Errors",
            "A lost connection completes the task with a URLError or a ServiceError, and without data."
        ) { run in
            for path in ["/broken", "/torn"] {
                try await run.expectCompletion(of: run.call(path).resumed()) {
                    ($0.error is URLError || $0.error is ServiceError) && $0.data == nil
                }
            }
        },
    ]

    static let suspensionCases: [Case] = [
        Case("suspend() before the start", "A task that is suspended and then resumed starts normally.") {
            run in
            let call = try await run.call("/held")
            try await call.suspend()
            try await run.settle()
            try run.expect(run.routes.arrivals.count == 0, "the request was sent before resume()")
            try await call.resume()
            try await run.arrival()
            run.routes.gate.open()
            try await run.expectCompletion(of: call) { $0.text == "held" }
        },
        Case(
            "suspend() and resume()",
            "A suspended task keeps its response, and completes with it after resume()."
        ) { run in
            let call = try await run.call("/held").resumed()
            try await run.arrival()
            try await call.suspend()
            run.routes.gate.open()
            try await run.settle()
            try run.expect(call.completions.isEmpty, "the completion was called while the task was suspended")
            try await call.resume()
            try await run.expectCompletion(of: call) { $0.text == "held" }
        },
    ]
}
