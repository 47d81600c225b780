/// Speeds over windows that are longer than a state lasts.
///
/// Between two fixes a minute apart, a vehicle in streets drives, crawls and halts. Its mean speed is then that over
/// these states, each for its share of the time. The shares follow from the transition rates: the times in two states
/// that change into each other are as the mean times to these changes (detailed balance, Kelly 1979).
extension MovementParameters {
    /// Returns the mean time in a state, seconds.
    func meanSeconds(in state: MovementState) -> Double {
        1 / transitionRates.reduce(0) { $1.from == state ? $0 + 1 / $1.seconds : $0 }
    }

    /// Returns the speeds over a window in which the state has changed, if it ends in this state.
    func speedComponentsWithChanges(of state: MovementState) -> [SpeedComponent] {
        switch state {
        case .driving, .crawling:
            let crawling = timeRatio(of: .crawling, to: .driving)
            let halting = crawling * timeRatio(of: .drivingHalt, to: .crawling)
            let total = 1 + crawling + halting
            return driving.map { component in
                SpeedComponent(
                    component.weight,
                    (component.meanMetersPerSecond + crawling * self.crawling.meanMetersPerSecond) / total,
                    component.deviationMetersPerSecond / total)
            }
        case .cycling:
            let total = 1 + timeRatio(of: .cyclingHalt, to: .cycling)
            return [
                SpeedComponent(
                    cycling.weight, cycling.meanMetersPerSecond / total, cycling.deviationMetersPerSecond / total)
            ]
        case .still, .walking, .pausing, .running, .cyclingHalt, .drivingHalt: return speedComponents(of: state)
        }
    }

    /// Returns the time in a state as a multiple of that in another one, with transitions both ways.
    private func timeRatio(of state: MovementState, to other: MovementState) -> Double {
        seconds(from: state, to: other) / seconds(from: other, to: state)
    }

    private func seconds(from: MovementState, to: MovementState) -> Double {
        transitionRates.first { $0.from == from && $0.to == to }?.seconds ?? .infinity
    }
}
