import Testing

@testable import Odograph

@Suite("A control session")
struct ControlSessionTests {
    private let start = ContinuousClock.now

    /// Feeds bytes to a session as the kernel would, as long as it wants input.
    /// - Returns: The number of bytes that the session did not take.
    private func feed(_ bytes: [UInt8], to conversation: inout ControlSession) -> Int {
        var rest = bytes[...]
        while !rest.isEmpty, conversation.wantsInput, conversation.nextStep() == nil {
            let count = conversation.receive(at: start) { buffer in
                let count = min(buffer.count, rest.count)
                buffer.copyBytes(from: rest.prefix(count))
                return count
            }
            rest = rest.dropFirst(count)
        }
        return rest.count
    }

    @Test("A command begins only after the previous answer was sent, and nothing is read meanwhile")
    func turns() {
        var conversation = ControlSession(at: start)
        _ = feed(Array("\n\none\n\ntwo\nthr".utf8), to: &conversation)
        #expect(conversation.nextStep() == .handle(Array("one".utf8)))
        #expect(conversation.nextStep() == nil)
        #expect(!conversation.wantsInput)
        #expect(conversation.deadline == nil)
        conversation.enqueueResponse([1, 2, 3], at: start)
        #expect(conversation.nextStep() == nil)
        #expect(!conversation.wantsInput)
        conversation.advanceOutput(by: 2, at: start)
        #expect(conversation.withOutput { Array($0) } == [3])
        #expect(conversation.deadline == start + ControlSession.sendTimeout)
        conversation.advanceOutput(by: 1, at: start)
        #expect(conversation.nextStep() == .handle(Array("two".utf8)))
        conversation.enqueueResponse([], at: start)
        #expect(conversation.nextStep() == nil)
        #expect(conversation.wantsInput)
        #expect(!conversation.isFinished)
    }

    @Test("The commands of a closed client are executed, and no answers are sent")
    func gone() {
        var conversation = ControlSession(at: start)
        _ = feed(Array("one\ntwo\n".utf8), to: &conversation)
        #expect(conversation.nextStep() == .handle(Array("one".utf8)))
        conversation.closeOutput()
        conversation.enqueueResponse([1], at: start)
        #expect(!conversation.hasOutput)
        #expect(conversation.nextStep() == .handle(Array("two".utf8)))
        conversation.enqueueResponse([1], at: start)
        #expect(conversation.nextStep() == nil)
        #expect(!conversation.isFinished)
        #expect(conversation.receive(at: start) { _ in 0 } == 0)
        #expect(conversation.nextStep() == nil)
        #expect(conversation.isFinished)
    }

    @Test("A bounded part of endless input is read", arguments: ["x", "{\"id\":\"1\"}\n", "\u{0}"])
    func bounds(piece: String) {
        var conversation = ControlSession(at: start)
        let bytes = Array(String(repeating: piece, count: (4 << 20) / piece.utf8.count).utf8)
        let rest = feed(bytes, to: &conversation)
        #expect(bytes.count - rest <= 1 << 18)
    }

    @Test("A line that is too long is refused and ends the session")
    func tooLong() {
        var conversation = ControlSession(at: start)
        _ = feed([UInt8](repeating: UInt8(ascii: "x"), count: 1 << 19), to: &conversation)
        // `feed` already took the step that reports the line.
        conversation.enqueueResponse([1], at: start)
        #expect(conversation.hasOutput)
        conversation.advanceOutput(by: 1, at: start)
        #expect(conversation.nextStep() == nil)
        #expect(conversation.isFinished)
    }
}
