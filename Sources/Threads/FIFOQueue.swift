/// A queue, from whose beginning elements are removed in constant time. It frees its memory as it empties.
package struct FIFOQueue<Element>: Sequence {
    @usableFromInline var elements: [Element?] = []
    @usableFromInline var start = 0

    package init() {}

    @inlinable package var isEmpty: Bool { start == elements.count }
    @inlinable package var count: Int { elements.count - start }

    /// The oldest element; nil if there is none.
    @inlinable package var first: Element? { start < elements.count ? elements[start] : nil }

    @inlinable
    package mutating func append(_ element: Element) { elements.append(element) }

    /// Removes and returns the oldest element; nil if there is none.
    @inlinable @discardableResult
    package mutating func popFirst() -> Element? {
        guard start < elements.count else { return nil }
        let element = elements[start]
        elements[start] = nil
        start += 1
        if start == elements.count {
            // A small buffer is kept for the next elements.
            elements.removeAll(keepingCapacity: elements.capacity <= 64)
            start = 0
        } else if start > 1024, start > elements.count / 2 {
            elements.removeFirst(start)
            start = 0
        }
        return element
    }

    package func makeIterator() -> some IteratorProtocol<Element> {
        elements[start...].lazy.compactMap { $0 }.makeIterator()
    }
}

extension FIFOQueue: Sendable where Element: Sendable {}
