import Foundation
import Swallow
import TestSupport
import Testing

@Suite("Invalid URLs")
struct BadURLTests {
    static let bases = [
        "", " ", "/", "not a url", "h", "h/v1", "//h/v1", "ftp://h", "file:///etc", "mailto:a@b",
        "javascript:alert(1)",
        "http:", "http:/", "http://", "http:///", "http:///x", "https://exa mple.com",
        "https://exa%20mple.com",
        "http://?x", "http://#x", "http://:80", "http://@", "http://u:p@/", "http://h:abc", "http://h:-1",
        "http://h:99999",
        "http://[::1", "http://h\nx", "http://h\0",
        "http://h\tx/",
        "http://h%00", "http://h%2Fx", "http://h%40evil.com", "http://h\\", "http://h<x>", "http://h|x",
        "http://h^",
        "\u{FEFF}http://h", " http://h", "http ://h", "http://h/%", "http://h/\r\nX: y", "http://h/?%zz",
        "http//h", "://h",
    ]

    @Test("A base URL that isn't a valid HTTP URL fails with .invalidURL for every path", arguments: bases)
    func base(_ base: String) {
        for path: Request.Path in ["", "/stores", "x?y=1", "//evil.com/x", "@evil.com"] {
            let error = failure { () throws(ServiceError) in try built(base: base, path, parameters: ["a": 1])
            }
            #expect(error?.reason == .invalidURL)
            #expect(error?.request != nil)
        }
    }

    @Test(
        "An absolute path that isn't a valid HTTP URL fails with .invalidURL",
        arguments: bases.filter { $0.lowercased().hasPrefix("http://") })
    func absolute(_ text: String) {
        #expect(
            failure { () throws(ServiceError) in try built(path: Request.Path(text)) }?.reason == .invalidURL)
    }

    @Test(
        "A task with an invalid URL fails, and nothing is sent",
        arguments: ["", "not a url", "ftp://h", "https://exa mple.com", "http:///x"])
    func task(base: String) async {
        let source = ManualDataSource()
        let task = WebService(baseURLString: base, dataSource: source).GET("/stores")
        guard case .failure(let error) = await task.result else {
            Issue.record("the task succeeded")
            return
        }
        #expect(error.reason == .invalidURL)
        #expect(!error.userMessage.isEmpty)
        #expect(source.exchanges.values.isEmpty)
    }

    @Test(
        "A value that is interpolated as the host can't lead to another URL",
        arguments: ["evil.com/", "a@evil.com", "evil.com?", "h:80/", ""])
    func interpolatedHost(host: String) {
        let path: Request.Path = "https://\(host)/x"
        let error = failure { () throws(ServiceError) in try built(path: path) }
        #expect(error?.reason == .invalidURL)
    }

    @Test("A path can be very long")
    func long() throws {
        let text = String(repeating: "/é", count: 50_000)
        #expect(try built(path: Request.Path(text)).url?.absoluteString.utf8.count == 8 + 7 * 50_000)
    }
}
