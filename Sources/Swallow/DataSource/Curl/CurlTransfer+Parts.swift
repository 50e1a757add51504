#if os(Linux) && canImport(Glibc)
    internal import CurlBinding
    import Foundation
    import FoundationNetworking

    extension CurlTransfer {
        /// Bytes are handed on once so many have come, and at the end of each pass of the loop.
        private static let partSize = 64 * 1024

        /// Gives the head to the task, to be judged or delivered.
        func giveHead() {
            wasHeadGiven = true
            if isStreamed { task?.stream(head: head.bytes) } else { task?.receiveHead(head.bytes) }
        }

        /// Takes bytes for the receiver of the task.
        func keepPart(_ bytes: UnsafeRawBufferPointer) -> CurlContentDecoder.Flow {
            guard body.append(bytes) else { return .stop }
            if body.count >= Self.partSize { givePart() } else { deliverSoon() }
            return pauses.isFull ? .hold : .goOn
        }

        /// Makes the loop deliver the bytes received so far when its pass ends.
        func deliverSoon() {
            guard !isListed else { return }
            isListed = true
            commons.streaming.append(self)
        }

        /// Hands on what has come. Where too much waits to be delivered, the transfer pauses; libcurl may still have some
        /// of what it has read.
        func givePart() {
            guard isStreamed, let task, body.count > 0 else { return }
            guard task.stream(body.take()), !pauses.isFull else { return }
            pauses.isFull = true
            _ = applyPauses()
        }

        /// Tells the task how far it is, where it wants to know.
        func tellProgress() {
            if tellsProgress { task?.note(progress) }
        }

        var progress: TransferProgress {
            let hasLength = head.isComplete && mayHaveBody
            let length = hasLength ? swallow_curl_get_offset(easy, CurlInfo.contentLength) : -1
            return TransferProgress(
                sent: sentCount, received: received,
                expectedToSend: request?.bodyLength,
                expectedToReceive: length >= 0 ? length : nil)
        }

        /// Whether what came is not all unpacked.
        var isHolding: Bool { decoder?.isHolding == true }
    }
#endif
