extension WebSocketMachine {
    /// Removes bytes from the front of `rest`. Returns the next event, or `nil` if there is none.
    mutating func nextEvent(in rest: inout UnsafeRawBufferPointer) -> Event? {
        while !hasEnded {
            do throws(WebSocketFailure) {
                if frame == nil, try !readHeader(&rest) { return nil }
                try readPayload(&rest)
                guard let frame, frame.received == frame.header.length else { return nil }
                self.frame = nil
                if let event = try finish(frame.header) { return event }
            } catch {
                fail(error)
                return .failure(error)
            }
        }
        return nil
    }

    /// Reads bytes, and calls a closure for each event before it reads on.
    package mutating func receive(_ bytes: [UInt8], _ handle: (inout Self, Event) -> Void) {
        bytes.withUnsafeBytes { bytes in
            var rest = bytes
            while let event = nextEvent(in: &rest) { handle(&self, event) }
        }
    }

    private mutating func readHeader(_ rest: inout UnsafeRawBufferPointer) throws(WebSocketFailure) -> Bool {
        while !rest.isEmpty {
            headerBytes.append(rest[0])
            rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst())
            if let header = try WebSocketFrameHeader.parse(headerBytes) {
                headerBytes.removeAll(keepingCapacity: true)
                try begin(header)
                return true
            }
        }
        return false
    }

    private mutating func begin(_ header: WebSocketFrameHeader) throws(WebSocketFailure) {
        switch (role, header.mask) {
        case (.client, .some): throw .protocolError("the server has masked a frame")
        case (.server, nil): throw .protocolError("the client hasn't masked a frame")
        case (.client, nil), (.server, .some): break
        }
        let mayCompress = deflate != nil && (header.opcode == .text || header.opcode == .binary)
        if header.isCompressed, !mayCompress { throw .protocolError("a frame has a reserved bit") }
        switch header.opcode {
        case .text, .binary:
            guard message == nil else { throw .protocolError("a message begins inside another message") }
            message = Message(isText: header.opcode == .text, isCompressed: header.isCompressed)
        case .continuation:
            guard message != nil else { throw .protocolError("a continuation has no message") }
        case .close, .ping, .pong: control.removeAll(keepingCapacity: true)
        }
        if let message, !header.opcode.isControl {
            guard header.length <= maximumMessageSize - message.bytes.count else {
                throw .tooLarge(maximumMessageSize)
            }
        }
        frame = Frame(header: header)
    }

    private mutating func readPayload(_ rest: inout UnsafeRawBufferPointer) throws(WebSocketFailure) {
        guard let frame, frame.header.length > frame.received, rest.count > 0 else { return }
        let count = min(rest.count, frame.header.length - frame.received)
        let part = UnsafeRawBufferPointer(rebasing: rest[..<count])
        rest = UnsafeRawBufferPointer(rebasing: rest[count...])
        self.frame?.received += count
        if frame.header.opcode.isControl {
            Self.append(part, to: &control, frame)
        } else if var message {
            // Moved out during use to avoid a copy-on-write copy.
            self.message = nil
            let start = message.bytes.count
            Self.append(part, to: &message.bytes, frame)
            let isValid =
                !message.isText || message.isCompressed
                || message.bytes.withUnsafeBytes { bytes in
                    message.validator.append(UnsafeRawBufferPointer(rebasing: bytes[start...]))
                }
            self.message = message
            if !isValid { throw .invalidText }
        }
    }

    private static func append(_ part: UnsafeRawBufferPointer, to bytes: inout [UInt8], _ frame: Frame) {
        let start = bytes.count
        bytes.append(contentsOf: part)
        guard let mask = frame.header.mask else { return }
        bytes.withUnsafeMutableBytes { bytes in
            mask.apply(
                to: UnsafeMutableRawBufferPointer(rebasing: bytes[start...]), offset: frame.received)
        }
    }

    private mutating func finish(_ header: WebSocketFrameHeader) throws(WebSocketFailure) -> Event? {
        switch header.opcode {
        case .ping:
            guard sendsPongs else { return .ping(control) }
            if output.count < Self.outputLimit { _ = send(.pong, control) } else { latePing = control }
            return .ping(control)
        case .pong: return .pong(control)
        case .close: return try finishClose()
        case .continuation, .text, .binary:
            guard header.isFinal, let message else { return nil }
            self.message = nil
            return try finish(message)
        }
    }

    private func finish(_ message: Message) throws(WebSocketFailure) -> Event {
        guard message.isCompressed, let deflate else {
            guard message.isText else { return .binary(message.bytes) }
            guard message.validator.isComplete else { throw .invalidText }
            return .text(String(decoding: message.bytes, as: UTF8.self))
        }
        let bytes = try deflate.decompressed(message.bytes, limit: maximumMessageSize)
        guard message.isText else { return .binary(bytes) }
        guard let text = UTF8Validator.text(of: bytes[...]) else { throw .invalidText }
        return .text(text)
    }

    private mutating func finishClose() throws(WebSocketFailure) -> Event {
        guard control.count != 1 else { throw .protocolError("a close frame has one byte") }
        let code = control.count >= 2 ? UInt16(control[0]) << 8 | UInt16(control[1]) : WebSocketCloseCode.none
        if control.count >= 2, !WebSocketCloseCode.maySend(code) {
            throw .protocolError("a close frame has the code \(code)")
        }
        guard let reason = UTF8Validator.text(of: control.dropFirst(2)) else { throw .invalidText }
        // The reply repeats the code (RFC 6455 §5.5.1).
        sendClose(Array(control.prefix(2)))
        hasEnded = true
        return .close(code: code, reason: reason)
    }

    private mutating func fail(_ failure: WebSocketFailure) {
        sendClose(code: failure.code, reason: failure.text)
        hasEnded = true
        (message, frame) = (nil, nil)
    }
}
