/// Encodes a value as a ``JSONTree``.
///
/// Unlike the standard library's encoder it accepts every number, so that encoding a record cannot fail.
struct JSONTreeEncoder: Encoder {
    let slot: JSONTree.Slot
    let codingPath: [any CodingKey] = []
    let userInfo: [CodingUserInfoKey: Any] = [:]

    /// Returns the tree of a value. If its `encode(to:)` throws, the tree is incomplete; none
    /// of the agent's types throws.
    static func tree(of value: some Encodable) -> JSONTree {
        let tree = JSONTree()
        do { try value.encode(to: JSONTreeEncoder(slot: tree.root)) } catch {}
        return tree
    }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        slot.makeObject()
        return KeyedEncodingContainer(JSONKeyedContainer(slot: slot))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        slot.makeArray()
        return JSONUnkeyedContainer(slot: slot)
    }

    func singleValueContainer() -> any SingleValueEncodingContainer { JSONSingleValueContainer(slot: slot) }
}

private struct JSONKeyedContainer<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let slot: JSONTree.Slot
    let codingPath: [any CodingKey] = []

    func encodeNil(forKey key: Key) { slot.addMember(key.stringValue).setNull() }
    // The common types, without a container of their own.
    func encode(_ value: Bool, forKey key: Key) { slot.addMember(key.stringValue).set(value) }
    func encode(_ value: String, forKey key: Key) { slot.addMember(key.stringValue).set(value) }
    func encode(_ value: Double, forKey key: Key) { slot.addMember(key.stringValue).set(value) }
    func encode(_ value: Int, forKey key: Key) { slot.addMember(key.stringValue).set(value) }
    func encode(_ value: Int64, forKey key: Key) { slot.addMember(key.stringValue).set(value) }
    func encode(_ value: some Encodable, forKey key: Key) throws {
        try value.encode(to: JSONTreeEncoder(slot: slot.addMember(key.stringValue)))
    }

    func nestedContainer<NestedKey: CodingKey>(
        keyedBy keyType: NestedKey.Type, forKey key: Key
    ) -> KeyedEncodingContainer<NestedKey> {
        JSONTreeEncoder(slot: slot.addMember(key.stringValue)).container(keyedBy: keyType)
    }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
        JSONTreeEncoder(slot: slot.addMember(key.stringValue)).unkeyedContainer()
    }

    func superEncoder() -> any Encoder { JSONTreeEncoder(slot: slot.addMember("super")) }
    func superEncoder(forKey key: Key) -> any Encoder { JSONTreeEncoder(slot: slot.addMember(key.stringValue)) }
}

private struct JSONUnkeyedContainer: UnkeyedEncodingContainer {
    let slot: JSONTree.Slot
    let codingPath: [any CodingKey] = []

    var count: Int { slot.itemCount }

    func encodeNil() { slot.appendItem().setNull() }
    func encode(_ value: some Encodable) throws { try value.encode(to: JSONTreeEncoder(slot: slot.appendItem())) }

    func nestedContainer<NestedKey: CodingKey>(
        keyedBy keyType: NestedKey.Type
    ) -> KeyedEncodingContainer<NestedKey> {
        JSONTreeEncoder(slot: slot.appendItem()).container(keyedBy: keyType)
    }

    func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
        JSONTreeEncoder(slot: slot.appendItem()).unkeyedContainer()
    }

    func superEncoder() -> any Encoder { JSONTreeEncoder(slot: slot.appendItem()) }
}

private struct JSONSingleValueContainer: SingleValueEncodingContainer {
    let slot: JSONTree.Slot
    let codingPath: [any CodingKey] = []

    func encodeNil() { slot.setNull() }
    func encode(_ value: Bool) { slot.set(value) }
    func encode(_ value: String) { slot.set(value) }
    func encode(_ value: Double) { slot.set(value) }
    func encode(_ value: Float) { slot.set(value) }
    func encode(_ value: Int) { slot.set(value) }
    func encode(_ value: Int8) { slot.set(value) }
    func encode(_ value: Int16) { slot.set(value) }
    func encode(_ value: Int32) { slot.set(value) }
    func encode(_ value: Int64) { slot.set(value) }
    func encode(_ value: UInt) { slot.set(value) }
    func encode(_ value: UInt8) { slot.set(value) }
    func encode(_ value: UInt16) { slot.set(value) }
    func encode(_ value: UInt32) { slot.set(value) }
    func encode(_ value: UInt64) { slot.set(value) }
    func encode(_ value: some Encodable) throws { try value.encode(to: JSONTreeEncoder(slot: slot)) }
}
