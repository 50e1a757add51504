import Foundation
import Swallow
import TestSupport
import Testing

@Suite("Status codes that are a success")
struct StatusCodesTests {
    @Test("are ranges, lists and unions of both")
    func spellings() {
        let list: StatusCodes = [200, 304]
        #expect(
            [200, 304].allSatisfy(list.contains) && ![199, 201, 303, 305].contains(where: list.contains))
        let open: StatusCodes = 200..<300
        #expect(open.contains(200) && open.contains(299) && !open.contains(300) && !open.contains(199))
        let closed: StatusCodes = 200...300
        #expect(closed.contains(300) && !closed.contains(301))
        let mixed: StatusCodes = [304, 200..<300, 404...410]
        #expect(
            [204, 304, 404, 410].allSatisfy(mixed.contains)
                && ![300, 303, 411].contains(where: mixed.contains))
        #expect(open.union([304]) == [200..<300, 304] && open.union(250..<305) == (200..<305 as StatusCodes))
        #expect(StatusCodes(200..<300) == open && StatusCodes(200...299) == open)
        #expect([201, 200] as StatusCodes == (200...201 as StatusCodes))
        #expect("\(mixed)" == "200..<300, 304, 404..<411")
    }

    @Test("never trap")
    func extremes() {
        let none: [StatusCodes] = [500..<200, 500...200, StatusCodes(5..<5), []]
        #expect(none.allSatisfy { !$0.contains(300) && !$0.contains(0) })
        let all: [StatusCodes] = [StatusCodes(0...Int.max), StatusCodes(Int.min...Int.max)]
        #expect(all.allSatisfy { $0.contains(Int.max - 1) })
    }

    @Test("are equal if they contain the same codes")
    func comparing() {
        let codes: StatusCodes = [200..<250, 250..<300]
        #expect(codes == [200..<300] && codes == [200...299] && codes == StatusCodes(200..<300))
        #expect(codes != [200..<301] && codes != [200..<250, 260..<300])
        #expect(StatusCodes(5..<5) == [])
    }

    @Test("leave other ranges to Swift")
    func ranges() {
        let open = 0..<5
        let closed = 1...3
        #expect(open.count == 5 && closed.count == 3 && (0..<5).map { $0 } == [0, 1, 2, 3, 4])
        #expect([1, 2, 3][0..<2] == [1, 2])
        var sum = 0
        for index in 0..<3 { sum += index }
        #expect(sum == 3)
    }

    @Test("decide about a response, as options and configured")
    func deciding() async throws {
        let source = ManualDataSource(answersInResume: { $0.answer(status: 304) })
        var service = WebService.test(source)
        #expect(await reason(service.GET("/")) == .unacceptableStatus)
        #expect(await reason(service.GET("/", options: [.acceptableStatusCodes([200, 304])])) == nil)
        service.configure { $0.acceptableStatusCodes = [200..<300, 304] }
        #expect(await reason(service.GET("/")) == nil)
    }

    private func reason(_ task: ServiceTask) async -> ServiceError.Reason? {
        if case .failure(let error) = await task.result { error.reason } else { nil }
    }
}
