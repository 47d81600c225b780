/// Checks that any bytes are documents that apply or are refused with a message; see `DocumentOracle`.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    do {
        try oracle.check(Array(UnsafeBufferPointer(start: start, count: count)))
    } catch {
        preconditionFailure("\(error)")
    }
    return 0
}

private let oracle: DocumentOracle = {
    guard let oracle = try? DocumentOracle() else {
        preconditionFailure("a configuration known to be right is refused")
    }
    return oracle
}()
