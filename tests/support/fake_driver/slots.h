// The functions behind the fake driver's tables.
#pragma once

#include "support/fake_driver/control.h"

namespace zetl::test {

extern FakeDriverControl control;

/// The armed path of every function: counts, runs the hook, and yields the chosen result.
ze_result_t enter(int slot);

/// What a table's entry is filled with if nothing better exists: takes any arguments, returns zero of any type.
template <int slot>
std::uint64_t answer() {
    if (control.armed.load(std::memory_order_relaxed)) [[unlikely]]
        return static_cast<std::uint64_t>(enter(slot));
    return 0;
}

/// Function with the control's test in front.
template <int slot, auto function>
struct Controlled;
template <int slot, class... A, ze_result_t (*function)(A...)>
struct Controlled<slot, function> {
    static ze_result_t ZE_APICALL call(A... arguments) {
        if (control.armed.load(std::memory_order_relaxed)) [[unlikely]]
            if (const auto result = enter(slot); result != ZE_RESULT_SUCCESS) return result;
        return function(arguments...);
    }
};

/// An entry with a function of its own.
struct Implemented {
    int slot;
    void* function;
};

template <int slot, auto function>
Implemented implement() {
    return {slot, reinterpret_cast<void*>(&Controlled<slot, function>::call)};
}

}  // namespace zetl::test
