#if os(Linux) && canImport(Glibc)
    internal import CurlBinding
    import Foundation
    import Glibc

    /// Waits for libcurl's sockets and timer with epoll, because `curl_multi_perform` would examine all transfers.
    final class CurlPoller {
        private struct Socket {
            var wanted: UInt32 = 0
            var watched: UInt32 = 0
            var isOwn = false
        }

        private let multi: UnsafeMutableRawPointer
        private var epoll: Int32 = -1
        private var waker: Int32 = -1
        private var sockets: [Socket] = []
        private var events = [epoll_event](repeating: epoll_event(), count: 128)
        private var count = 0
        private var isPartlyBlind = false
        private var deadline = CurlClock.never

        private static let readable: UInt32 = 1
        private static let writable: UInt32 = 4
        private static let edge: UInt32 = 1 << 31
        private static let blindMilliseconds: Int32 = 5

        init(_ multi: UnsafeMutableRawPointer) {
            self.multi = multi
            let context = Unmanaged.passUnretained(self).toOpaque()
            swallow_curl_multi_set_socket_callback(multi, context) { _, descriptor, interest, context, _ in
                CurlPoller.of(context)?.want(descriptor, interest)
                return 0
            }
            swallow_curl_multi_set_timer_callback(multi, context) { _, milliseconds, context in
                CurlPoller.of(context)?.setDeadline(milliseconds)
                return 0
            }
        }

        deinit {
            if epoll >= 0 { Glibc.close(epoll) }
        }

        private static func of(_ context: UnsafeMutableRawPointer?) -> CurlPoller? {
            context.map { Unmanaged<CurlPoller>.fromOpaque($0).takeUnretainedValue() }
        }

        func wait(_ waker: Int32, _ limit: Int32) {
            guard prepare(waker) else {
                usleep(UInt32(min(limit, Self.blindMilliseconds)) * 1000)
                return look()
            }
            let limit = isPartlyBlind ? min(limit, Self.blindMilliseconds) : limit
            count = Int(max(0, epoll_wait(epoll, &events, Int32(events.count), min(limit, millisecondsLeft))))
        }

        func look() {
            if epoll >= 0 { count = Int(max(0, epoll_wait(epoll, &events, Int32(events.count), 0))) }
        }

        func act() {
            if epoll < 0 || isPartlyBlind { actBlindly() }
            for event in events[..<count] { act(on: event.data.fd, event.events) }
            count = 0
            guard deadline <= CurlClock.now else { return }
            deadline = CurlClock.never
            _ = swallow_curl_multi_act(multi, -1, 0)
        }

        private func actBlindly() {
            isPartlyBlind = false
            for index in sockets.indices where sockets[index].wanted != 0 && sockets[index].watched == 0 {
                _ = swallow_curl_multi_act(multi, Int32(index), 0)
                if sockets[index].watched == 0 { watch(Int32(index), sockets[index].wanted) }
            }
        }

        private func act(on descriptor: Int32, _ events: UInt32) {
            if descriptor == waker { return }
            let index = Int(descriptor)
            // An earlier event may have closed the socket.
            guard sockets[index].watched != 0 else { return }
            guard sockets[index].wanted != 0 else { return watch(descriptor, 0) }
            let isReadable: Int32 = events & Self.readable == 0 ? 0 : 1
            let isWritable: Int32 = events & Self.writable == 0 ? 0 : 2
            let isClear = events & ~(Self.readable | Self.writable) == 0
            _ = swallow_curl_multi_act(multi, descriptor, isClear ? isReadable | isWritable : 0)
        }

        private var millisecondsLeft: Int32 {
            guard deadline != CurlClock.never else { return .max }
            let now = CurlClock.now
            return deadline <= now ? 0 : Int32(min((deadline - now + 999_999) / 1_000_000, 60_000))
        }

        /// Returns `false` if epoll or the waker is missing. The waker is edge-triggered, so it needn't be read.
        private func prepare(_ waker: Int32) -> Bool {
            if epoll < 0 {
                epoll = epoll_create1(Int32(EPOLL_CLOEXEC))
                guard epoll >= 0 else { return false }
                for descriptor in sockets.indices { watch(Int32(descriptor), sockets[descriptor].wanted) }
            }
            if self.waker != waker, waker >= 0 {
                var event = epoll_event(events: Self.readable | Self.edge, data: epoll_data(fd: waker))
                guard epoll_ctl(epoll, EPOLL_CTL_ADD, waker, &event) == 0 else { return false }
                self.waker = waker
            }
            return waker >= 0
        }

        /// Registers a socket. Call `remove` before you close the socket.
        func adopt(_ descriptor: Int32) {
            makeRoom(for: descriptor)
            let wanted = sockets[Int(descriptor)].wanted
            sockets[Int(descriptor)] = Socket(wanted: wanted, isOwn: true)
            if wanted != 0 { watch(descriptor, wanted) }
        }

        func remove(_ descriptor: Int32) {
            guard sockets.indices.contains(Int(descriptor)) else { return }
            watch(descriptor, 0)
            sockets[Int(descriptor)] = Socket()
        }

        /// Whether libcurl currently waits neither to read from the socket nor to write to it.
        func isUnwanted(_ descriptor: Int32) -> Bool {
            sockets.indices.contains(Int(descriptor)) && sockets[Int(descriptor)].wanted == 0
        }

        private func makeRoom(for descriptor: Int32) {
            while sockets.count <= Int(descriptor) { sockets.append(Socket()) }
        }

        private func want(_ descriptor: Int32, _ interest: Int32) {
            makeRoom(for: descriptor)
            let index = Int(descriptor)
            let wanted: UInt32 =
                switch interest {
                case 1: Self.readable
                case 2: Self.writable
                case 3: Self.readable | Self.writable
                default: 0
                }
            sockets[index].wanted = wanted
            // The next request waits for the same event, so continuing to watch the socket saves two system calls.
            let staysWatched = wanted == 0 && sockets[index].isOwn && sockets[index].watched == Self.readable
            if !staysWatched { watch(descriptor, wanted) }
        }

        private func watch(_ descriptor: Int32, _ wanted: UInt32) {
            let index = Int(descriptor)
            // A socket that wasn't adopted may have been closed and opened again unnoticed.
            guard epoll >= 0, sockets[index].watched != wanted || !sockets[index].isOwn else { return }
            // libcurl 8.20 reports its own wake-up descriptor but never reads it, so it has to be edge-triggered.
            let edge = sockets[index].isOwn || wanted == 0 || Self.isSocket(descriptor) ? 0 : Self.edge
            var event = epoll_event(events: wanted | edge, data: epoll_data(fd: descriptor))
            sockets[index].watched = wanted
            guard wanted != 0 else {
                _ = epoll_ctl(epoll, EPOLL_CTL_DEL, descriptor, &event)
                return
            }
            // `MOD` fails if libcurl has closed the descriptor unnoticed, and a new socket has the same number.
            if epoll_ctl(epoll, EPOLL_CTL_MOD, descriptor, &event) == 0 { return }
            if epoll_ctl(epoll, EPOLL_CTL_ADD, descriptor, &event) == 0 { return }
            sockets[index].watched = 0
            isPartlyBlind = true
        }

        private static func isSocket(_ descriptor: Int32) -> Bool {
            var (type, size): (Int32, socklen_t) = (0, 4)
            return getsockopt(descriptor, SOL_SOCKET, SO_TYPE, &type, &size) == 0
        }

        private func setDeadline(_ milliseconds: Int) {
            deadline =
                milliseconds < 0
                ? CurlClock.never : CurlClock.moment(CurlClock.now, after: UInt64(milliseconds) * 1_000_000)
        }
    }

    /// The monotonic clock, in nanoseconds.
    enum CurlClock {
        static var now: UInt64 { DispatchTime.now().uptimeNanoseconds }

        static let never = UInt64.max

        private static let century = Duration.seconds(100 * 365 * 24 * 3600)

        static func nanoseconds(_ limit: Duration) -> UInt64 {
            let (seconds, attoseconds) = min(max(limit, .zero), century).components
            return UInt64(seconds) * 1_000_000_000 + UInt64(attoseconds / 1_000_000_000)
        }

        static func nanoseconds(timeout: TimeInterval) -> UInt64 {
            timeout > 0 && timeout < 3e9 ? UInt64(timeout * 1e9) : never
        }

        static func moment(_ start: UInt64, after limit: UInt64) -> UInt64 {
            let (moment, overflows) = start.addingReportingOverflow(limit)
            return overflows ? never : moment
        }
    }
#endif
