#if os(Linux) && canImport(Glibc)
    import Testing

    @testable import CurlEngine

    @Suite("The framing of a response")
    struct CurlFramingTests {
        @Test(
            "A line that begins with a space or a tab continues the field before (RFC 9112 §5.2)",
            arguments: [(" 0", true), ("\t0", true), (")0: 1", false), ("I: 1", false)])
        func continuation(line: String, isRefused: Bool) {
            var framing = CurlFraming()
            #expect(check("HTTP/1.1 200 OK", { framing.checkStatus($0) }) == nil)
            #expect(check("Content-Length: 1", { framing.check($0) }) == nil)
            #expect((check(line, { framing.check($0) }) != nil) == isRefused)
        }

        private func check(_ line: String, _ body: (UnsafeRawBufferPointer) -> String?) -> String? {
            Array(line.utf8).withUnsafeBytes(body)
        }
    }
#endif
