import OdographCivilTime
import OdographCrontab

/// Checks that any bytes are a zone or are refused with a message, and that a zone answers at any time.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = Array(UnsafeBufferPointer(start: start, count: count))
    do throws(ZoneRulesError) {
        check(try ZoneRules(identifier: "fuzz", tzif: bytes))
    } catch {
        precondition(!error.reason.isEmpty)
    }
    // The footer's rule alone, which mutations reach more often.
    if let rules = try? ZoneRules(identifier: "fuzz", posix: String(decoding: bytes, as: UTF8.self)) { check(rules) }
    return 0
}

private func check(_ rules: ZoneRules) {
    for milliseconds in [Int64.min, -3_000_000_000_000, 0, 1_795_252_502_123, 5_000_000_000_000, .max] {
        let instant = Timestamp(millisecondsSinceEpoch: milliseconds)
        let offset = rules.utcOffsetSeconds(at: instant)
        precondition((-89_999...93_599).contains(offset))
        _ = rules.instants(of: rules.localTime(at: instant))
        if let next = schedule?.nextChange(after: instant, in: rules) {
            precondition(schedule?.isOpen(at: next, in: rules) != schedule?.isOpen(at: instant, in: rules))
        }
    }
}

private let schedule = try? Schedule("30-59 2 1-20 3,10,11 0")
