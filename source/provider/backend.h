// What a provider of device access states about itself, and what every function of the interface checks first. The
// sections are in headers of their own: an abstract class that the provider implements, and the C table that calls it.
#pragma once

#include <ze_tools_layer/device_access.h>

#include <concepts>
#include <cstdint>
#include <memory>
#include <utility>

#include "base/id_table.h"
#include "base/log.h"
#include "base/never_destroyed.h"
#include "provider/guarded.h"

namespace zetl::provider {

/// A provider: its log channel, its type of device, and its devices, whose ids are 1 to deviceCount(). lost() is true
/// in a forked child that does not have the devices. A provider with section "counters" also has a type `Lease` with a
/// member `source`.
template <class T>
concept Backend = requires(zetl_device_t id) {
    { T::kChannel } -> std::convertible_to<log::Channel>;
    { T::deviceCount() } -> std::convertible_to<std::size_t>;
    { T::deviceOf(id) } -> std::convertible_to<typename T::Device*>;  // null if there is none
    { T::lost() } -> std::same_as<bool>;
};

/// A new object, or why there is none.
template <class T>
struct Made {
    Made(zetl_status_t why) noexcept : status(why) {}
    template <std::derived_from<T> Derived>
    Made(std::shared_ptr<Derived> made) noexcept : status(ZETL_OK), object(std::move(made)) {}

    zetl_status_t status;
    std::shared_ptr<T> object;
};

/// The provider's objects of one type, by the ids that callers have.
template <Backend B, class T>
IdTable<T>& objects() {
    static NeverDestroyed<IdTable<T>> table;
    return *table;
}

/// Keeps an object that was made, and writes its id.
template <Backend B, class T>
zetl_status_t keep(Made<T> made, std::uint64_t* id) {
    if (made.status == ZETL_OK) *id = objects<B, T>().add(std::move(made.object));
    return made.status;
}

/// Runs the body of a function that needs the devices.
template <Backend B, class F>
zetl_status_t atWork(F&& body) noexcept {
    return guarded(B::kChannel, [&] { return B::lost() ? ZETL_LOST : body(); });
}

/// Runs the body with a device; GONE if there is none of that id.
template <Backend B, class F>
zetl_status_t onDevice(zetl_device_t id, F&& body) noexcept {
    return guarded(B::kChannel, [&] {
        auto* const device = B::deviceOf(id);
        return device ? body(*device) : ZETL_GONE;
    });
}

/// Runs the body with an object; GONE if there is none of that id.
template <Backend B, class T, class F>
zetl_status_t onObject(std::uint64_t id, F&& body) noexcept {
    return atWork<B>([&] {
        const auto object = objects<B, T>().find(id);
        return object ? body(*object) : ZETL_GONE;
    });
}

/// Ends an object. Its close() runs after its id has ended, outside of the table's lock, since that may take a while.
template <Backend B, class T>
zetl_status_t closeObject(std::uint64_t id) noexcept {
    return atWork<B>([&] {
        const auto object = objects<B, T>().remove(id);
        if (!object) return ZETL_GONE;
        object->close();
        return ZETL_OK;
    });
}

/// Runs the body with a lease of that source; GONE if there is none of that id.
template <Backend B, class F>
zetl_status_t onLease(zetl_lease_t id, zetl_source_t source, F&& body) noexcept {
    return atWork<B>([&] {
        const auto lease = objects<B, typename B::Lease>().find(id);
        return lease && lease->source == source ? body(lease) : ZETL_GONE;
    });
}

}  // namespace zetl::provider
