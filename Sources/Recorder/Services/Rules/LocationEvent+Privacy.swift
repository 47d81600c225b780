import OdographWire

extension LocationEvent {
    /// Whether the use of the vehicle was private: the record has the tag `private`. In private time there is none.
    var isOfPrivateUse: Bool { tag == TimelineEventRevision.privateTag }
}
