// The allocations of one context, as the application sees them (core specification, "Memory").
#pragma once

#include <level_zero/ze_api.h>

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "base/result.h"
#include "base/synchronized.h"
#include "driver/description.h"
#include "driver/refusal.h"

namespace zetl::driver {

/// The common facts about an allocation; each driver adds its own in a struct derived from this one.
template <class Device>
struct Allocation {
    std::uint64_t begin = 0;
    std::uint64_t bytes = 0;
    std::uint64_t id = 0;  ///< never reused
    ze_memory_type_t type = ZE_MEMORY_TYPE_UNKNOWN;
    std::shared_ptr<Device> device;  ///< null for host memory and for shared memory without a preferred device
    bool imported = false;           ///< from another process, or made from a file descriptor
};

/// Finds the allocation that contains an address. `A` derives from Allocation. Thread-safe.
template <class A>
class Allocations {
  public:
    void insert(A allocation) {
        const std::uint64_t begin = allocation.begin;
        byBegin_.write([&](auto& all) { all.emplace(begin, std::move(allocation)); });
    }

    /// Takes out the allocation that begins there. INVALID_ARGUMENT if there is none, or none of that kind.
    Result<A> take(const void* begin, bool imported) {
        auto taken = byBegin_.write([&](auto& all) -> std::optional<A> {
            const auto found = all.find(reinterpret_cast<std::uint64_t>(begin));
            if (found == all.end() || found->second.imported != imported) return std::nullopt;
            return std::move(all.extract(found).mapped());
        });
        if (taken) return *std::move(taken);
        return refuse(ZE_RESULT_ERROR_INVALID_ARGUMENT,
                      "{} is not the beginning of a live {} of this context: freed twice, or from elsewhere", begin,
                      imported ? "IPC import" : "allocation");
    }

    /// Takes out the allocations that a context still has when it is destroyed.
    std::map<std::uint64_t, A> takeLeft() {
        std::map<std::uint64_t, A> left;
        byBegin_.write([&](auto& all) { left.swap(all); });
        if (!left.empty())
            log::warn(description().log, "a context is destroyed with {} allocations in it; they are freed",
                      left.size());
        return left;
    }

    std::vector<A> list() const {
        return byBegin_.read([](const auto& all) {
            std::vector<A> listed;
            listed.reserve(all.size());
            for (const auto& [begin, allocation] : all) listed.push_back(allocation);
            return listed;
        });
    }

    /// The allocation that contains the pointer.
    std::optional<A> find(const void* pointer) const {
        return byBegin_.read([&](const auto& all) -> std::optional<A> {
            const auto found = at(all, pointer);
            return found == all.end() ? std::nullopt : std::optional(found->second);
        });
    }

    /// Calls change(A&) for the allocation that contains the pointer; other threads do not see it half done. Returns
    /// false if there is none.
    template <class F>
    bool change(const void* pointer, F&& change) {
        return byBegin_.write([&](auto& all) {
            const auto found = at(all, pointer);
            if (found != all.end()) change(found->second);
            return found != all.end();
        });
    }

  private:
    template <class Map>
    static auto at(Map& all, const void* pointer) {
        const auto address = reinterpret_cast<std::uint64_t>(pointer);
        const auto after = all.upper_bound(address);
        if (after == all.begin()) return all.end();
        const auto candidate = std::prev(after);
        return address - candidate->second.begin < candidate->second.bytes ? candidate : all.end();
    }

    Synchronized<std::map<std::uint64_t, A>> byBegin_;
};

}  // namespace zetl::driver
