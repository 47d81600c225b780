import Glibc

/// Checks that any sequence of fixes, interruptions and restarts keeps the rules of timelines and of the odometer.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let problems = StepSequence(bytes: UnsafeBufferPointer(start: start, count: count)).problems
    // A release build does not print the message of a precondition.
    for problem in problems { print(problem) }
    fflush(nil)
    precondition(problems.isEmpty)
    return 0
}
