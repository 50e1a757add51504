#if os(Linux) && canImport(Glibc)
    import LoopbackServer
    import Swallow
    import SwallowTesting

    extension WebService {
        static func socketTest(
            _ server: LoopbackServer, path: String = "", dataSource: CurlDataSource = CurlDataSource()
        ) -> WebService {
            var service = WebService(baseURLString: server.baseURLString + path, dataSource: dataSource)
            service.unhandledError = nil
            // On a busy machine, the timeout of a close could pass before the close frame is sent.
            service.clock = ManualClock()
            return service
        }
    }
#endif
