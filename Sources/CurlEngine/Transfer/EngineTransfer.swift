#if os(Linux) && canImport(Glibc)
    internal import CurlBinding
    import Foundation
    import SwallowLock

    /// One HTTP request and its response on the wire. Any thread may call the functions.
    // Unchecked: only the loop's thread uses the variables.
    package final class EngineTransfer: @unchecked Sendable {
        enum Command: Sendable {
            case start(CurlRequest, inParts: Bool, any EngineTransferOwner)
            case deliverParts
            case setPause(TransferPause)
            case answer(HeadAnswer)
            case cancel
            case fail(EngineFailure, any EngineTransferOwner)
            case countProgress
            case continueBody
            case continueDecoding
        }

        enum Stage {
            case created(TransferPause)
            case waiting(CurlQueue.Waiting)
            case active(EasyTransfer)
            case over
        }

        /// Doesn't keep the loop alive, so that a completed transfer can outlive its data source.
        private let inbox: CurlInbox?
        var stage = Stage.created(.none)
        /// `nil` before the start and after the last event.
        var owner: (any EngineTransferOwner)?
        var deliversParts = false
        var countsProgress = false
        /// `nil` until the facts are first read or reported.
        private let knownFacts = Lock<EngineFacts?>(nil)

        package init(on loop: EngineLoop) {
            inbox = loop.inbox
        }

        /// The loop holds the owner until the completion or cancellation. If this throws, no event follows.
        package func start(
            _ request: CurlRequest, inParts: Bool, for owner: any EngineTransferOwner
        ) throws(EngineFailure) {
            let isSent: Bool?
            do {
                isSent = try inbox?.add(.command(.start(request, inParts: inParts, owner), self))
            } catch {
                throw .noThread(error)
            }
            if isSent != true { throw .transport(.unsupportedURL) }
        }

        /// Fails the transfer, even if it wasn't started. If this returns `false`, no event follows.
        package func fail(with failure: EngineFailure, for owner: any EngineTransferOwner) -> Bool {
            send(.fail(failure, owner))
        }

        package func deliverParts() { send(.deliverParts) }

        package func setPause(_ pause: TransferPause) { send(.setPause(pause)) }

        package func answer(_ answer: HeadAnswer) { send(.answer(answer)) }

        package func cancel() { send(.cancel) }

        package func continueBody() { send(.continueBody) }

        func continueDecoding() { send(.continueDecoding) }

        /// The loop updates the progress only after the first read.
        package var facts: EngineFacts {
            let known = knownFacts.withLock { facts in
                defer { facts = facts ?? .progress(EngineProgress()) }
                return facts
            }
            if let known { return known }
            send(.countProgress)
            return .progress(EngineProgress())
        }

        func note(_ facts: EngineFacts) { knownFacts.withLock { $0 = facts } }

        @discardableResult
        private func send(_ command: Command) -> Bool {
            (try? inbox?.add(.command(command, self))) ?? false
        }
    }

    /// The event loop calls these functions on its thread. They must not block, and must not run the app's code.
    package protocol EngineTransferOwner: AnyObject, Sendable {
        func receiveHead(_ head: EngineHead) -> HeadAnswer
        func receiveBodyPart(_ bodyPart: Data) -> Flow
        /// Called before a collected body is dropped, because the command `deliverParts` may still be waiting.
        var wantsParts: Bool { get }
        func receiveCompletion(_ result: EngineResult)
    }

    package protocol EngineBodySource: AnyObject, Sendable {
        var length: Int64? { get }
        var hasTrailers: Bool { get }
        /// Whether the bytes follow a 101 response. Then they aren't the request's body, and nothing frames them.
        var isTunnel: Bool { get }
        var isReady: Bool { get }
        func start()
        /// After this returns `.later`, `EngineTransfer.continueBody()` must be called once the wait for bytes is over.
        func fill(_ buffer: UnsafeMutableRawBufferPointer) -> BodyPiece
        func cancel()
        func startedOver() -> (any EngineBodySource)?
    }

    extension EngineBodySource {
        package var isTunnel: Bool { false }
    }

    package enum EngineResult: Sendable {
        case success(Data)
        case failure(EngineFailure, EngineHead? = nil)
    }

    package enum EngineFacts: Sendable {
        case progress(EngineProgress)
        case report(EngineReport)
    }

    package struct EngineProgress: Sendable {
        package var sent: Int64 = 0
        package var received: Int64 = 0
        package var expectedToSend: Int64?
        package var expectedToReceive: Int64?
    }

    package struct EngineReport: Sendable {
        /// Microseconds since libcurl received the request. 0 marks a step that is unknown or didn't take place.
        package struct Times: Sendable {
            package let nameLookup: Int64
            package let connection: Int64
            package let tls: Int64
            package let request: Int64
            package let firstByte: Int64
            package let lastByte: Int64
        }

        package let progress: EngineProgress
        package let times: Times
        /// The nanoseconds from the start until libcurl received the request.
        package let waited: UInt64
        package var protocolName: String? { Self.protocols[version] }
        package let address: String
        package let port: Int
        package let isReused: Bool
        package let sendings: Int
        private let start: UInt64
        private let version: Int
        private let trailerLines: [UInt8]

        private static let protocols = [1: "http/1.0", 2: "http/1.1", 3: "h2", 30: "h3"]

        init(
            _ easy: UnsafeMutableRawPointer, _ progress: EngineProgress, start: UInt64, waited: UInt64,
            sendings: Int, trailerLines: [UInt8]
        ) {
            self.progress = progress
            (self.start, self.waited, self.sendings) = (start, waited, sendings)
            self.trailerLines = trailerLines
            times = Times(
                nameLookup: swallow_curl_get_offset(easy, CurlInfo.nameLookUpTime),
                connection: swallow_curl_get_offset(easy, CurlInfo.connectTime),
                tls: swallow_curl_get_offset(easy, CurlInfo.tlsTime),
                request: swallow_curl_get_offset(easy, CurlInfo.requestTime),
                firstByte: swallow_curl_get_offset(easy, CurlInfo.firstByteTime),
                lastByte: swallow_curl_get_offset(easy, CurlInfo.totalTime))
            version = swallow_curl_get_long(easy, CurlInfo.httpVersion)
            let text = swallow_curl_get_pointer(easy, CurlInfo.address)?.assumingMemoryBound(to: CChar.self)
            address = text.map { String(cString: $0) } ?? ""
            port = swallow_curl_get_long(easy, CurlInfo.port)
            isReused = swallow_curl_get_long(easy, CurlInfo.newConnections) == 0
        }

        package var age: UInt64 { CurlClock.now - min(start, CurlClock.now) }

        /// The fields after the body, except invalid fields and continued lines (RFC 9112 §5.2).
        package var trailers: [(name: String, value: String)] {
            trailerLines.split(separator: 0x0A).compactMap { line in
                let line = line.last == 0x0D ? line.dropLast() : line
                guard let colon = line.firstIndex(of: UInt8(ascii: ":")),
                    !HTTPText.isBlank(line[line.startIndex])
                else { return nil }
                let (name, value) = (
                    HTTPText.decoded(HTTPText.trimmed(line[..<colon])),
                    HTTPText.decoded(HTTPText.trimmed(line[(colon + 1)...]))
                )
                return HTTPText.isToken(name) && HTTPText.isFieldValue(value) ? (name, value) : nil
            }
        }
    }
#endif
