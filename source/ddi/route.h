// Where a call goes that entered through one of our table entries.
#pragma once

#include <atomic>

#include "ddi/api.h"

namespace zetl::ddi {

using Address = void (*)();

/// The route of one function. A trampoline jumps to `entry`: to `through`, or to the detour while something observes
/// the calls. `through` is the gate, if calls may fail on purpose before they reach `next`, the rest of the loader's
/// chain; otherwise it is `next` itself. Readers take one relaxed load; writers may be concurrent.
class Route {
  public:
    Address entry() const noexcept { return entry_.load(std::memory_order_relaxed); }
    /// The rest of the chain; null until the loader has handed it over.
    Address next() const noexcept { return next_.load(std::memory_order_acquire); }

    /// Where calls of the program go behind the detour.
    Address through() const noexcept { return through_.load(std::memory_order_acquire); }

    void setNext(Address next) noexcept {
        next_.store(next);
        refresh();
    }
    void setGate(Address gate) noexcept {
        gate_.store(gate);
        refresh();
    }
    void setDetour(Address detour) noexcept {
        detour_.store(detour);
        refresh();
    }

  private:
    /// The last writer checks that what it stored is still right, so that two writers end with the newest state.
    void refresh() noexcept {
        for (;;) {
            const Address behind = behindDetour();
            const Address wanted = target();
            through_.store(behind);
            entry_.store(wanted);
            if (behindDetour() == behind && target() == wanted) return;
        }
    }
    Address behindDetour() const noexcept {
        const Address gate = gate_.load();
        return gate ? gate : next_.load();
    }
    Address target() const noexcept {
        const Address detour = detour_.load();
        return detour ? detour : behindDetour();
    }

    std::atomic<Address> entry_{nullptr};
    std::atomic<Address> next_{nullptr};
    std::atomic<Address> gate_{nullptr};
    std::atomic<Address> through_{nullptr};
    std::atomic<Address> detour_{nullptr};
};

/// One route per function; never destroyed.
inline constinit Route routes[kFunctions];

inline Route& route(Function function) noexcept { return routes[index(function)]; }

}  // namespace zetl::ddi
