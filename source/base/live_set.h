// The objects that exist: a handle is valid exactly while its object is in the set of its type.
#pragma once

#include <array>
#include <cassert>
#include <cstdint>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <type_traits>
#include <unordered_map>
#include <vector>

namespace zetl {

/// Owns every live T (a HandleObject) and finds out whether an address is one of them without reading through the
/// address: a handle that is stale, foreign or garbage is not dereferenced. find() shares ownership, so an object that
/// another thread removes stays whole until its last user is done. A lookup takes a shared lock of one of sixteen
/// shards. Thread-safe. A later object of the same type may get the address of an earlier one; until then a stale
/// handle is recognised.
template <class T>
class LiveSet {
  public:
    using Handle = typename T::Handle;

    /// Makes `object` reachable through its handle.
    Handle add(std::shared_ptr<T> object) {
        static_assert(!std::is_polymorphic_v<T>,
                      "a vtable pointer would take the place of the words that a loader reads there");
        T* address = object.get();
        assert(static_cast<void*>(address->handle()) == static_cast<void*>(address));
        Shard& shard = shardOf(address);
        std::unique_lock guard(shard.mutex);
        shard.objects.emplace(address, std::move(object));
        return address->handle();
    }

    /// The object behind `handle`, or null if the handle is stale, foreign or garbage.
    std::shared_ptr<T> find(Handle handle) const {
        const T* address = T::from(handle);
        const Shard& shard = shardOf(address);
        std::shared_lock guard(shard.mutex);
        const auto found = shard.objects.find(address);
        return found == shard.objects.end() ? nullptr : found->second;
    }

    /// Takes the object out of the set; null if it is not (or no longer) in it. Exactly one caller gets the object.
    std::shared_ptr<T> remove(Handle handle) {
        const T* address = T::from(handle);
        Shard& shard = shardOf(address);
        std::unique_lock guard(shard.mutex);
        const auto found = shard.objects.find(address);
        if (found == shard.objects.end()) return nullptr;
        auto object = std::move(found->second);
        shard.objects.erase(found);
        return object;
    }

    /// Returns an object for which the predicate holds, or null. Allocates nothing, so that calls that end objects may
    /// use it. The predicate must not call back into the set.
    template <class Predicate>
    std::shared_ptr<T> findIf(Predicate&& holds) const {
        for (const Shard& shard : shards_) {
            std::shared_lock guard(shard.mutex);
            for (const auto& [address, object] : shard.objects)
                if (holds(*object)) return object;
        }
        return nullptr;
    }

    /// Every object that was live at some moment during the call.
    std::vector<std::shared_ptr<T>> all() const {
        std::vector<std::shared_ptr<T>> result;
        for (const Shard& shard : shards_) {
            std::shared_lock guard(shard.mutex);
            for (const auto& [address, object] : shard.objects) result.push_back(object);
        }
        return result;
    }

  private:
    struct Shard {
        mutable std::shared_mutex mutex;
        std::unordered_map<const T*, std::shared_ptr<T>> objects;
    };
    static constexpr std::size_t kShards = 16;

    Shard& shardOf(const T* address) const {
        return shards_[(reinterpret_cast<std::uintptr_t>(address) >> 6) % kShards];
    }
    mutable std::array<Shard, kShards> shards_;
};

}  // namespace zetl
