import OdographCivilTime
import OdographCrontab

/// Checks that any text is parsed or refused with a message, and that a parsed schedule gives consistent answers.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let text = String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
    do throws(ScheduleError) {
        let schedule = try Schedule(text)
        let instant = Timestamp(millisecondsSinceEpoch: 1_795_252_502_000)
        let next = schedule.nextChange(after: instant, in: newYork)
        let isOpen = schedule.isOpen(at: instant, in: newYork)
        if let next {
            precondition(next > instant)
            precondition(schedule.isOpen(at: next, in: newYork) != isOpen)
            precondition(schedule.isOpen(at: next.advanced(byMilliseconds: -1), in: newYork) == isOpen)
        }
    } catch {
        precondition(!error.reason.isEmpty && error.description.utf8.count < 2000)
    }
    return 0
}

private let newYork: ZoneRules = {
    guard let rules = try? ZoneRules(identifier: "New York", posix: "EST5EDT,M3.2.0,M11.1.0") else {
        preconditionFailure("a rule known to be right is refused")
    }
    return rules
}()
