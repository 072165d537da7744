// The live objects of one type, owned, and found by handle.
#pragma once

#include <memory>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/synchronized.h"

namespace zetl {

/// Owns every T (a HandleObject) from add() to remove(). find() hands out shared ownership, so an object that another
/// thread removes stays whole until its last user is done. A handle that is not in the set, stale or foreign, is not
/// dereferenced. Thread-safe.
template <class T>
class ObjectSet {
  public:
    using Handle = typename T::Handle;

    Handle add(std::shared_ptr<T> object) {
        const auto handle = object->handle();
        content_.write([&](Content& content) { content.emplace(handle, std::move(object)); });
        return handle;
    }
    /// Null if unknown.
    std::shared_ptr<T> find(Handle handle) const {
        return content_.read([&](const Content& content) -> std::shared_ptr<T> {
            const auto found = content.find(handle);
            return found == content.end() ? nullptr : found->second;
        });
    }
    /// The object that was removed, or null.
    std::shared_ptr<T> remove(Handle handle) {
        return content_.write([&](Content& content) -> std::shared_ptr<T> {
            const auto node = content.extract(handle);
            return node.empty() ? nullptr : node.mapped();
        });
    }
    std::vector<std::shared_ptr<T>> all() const {
        return content_.read([](const Content& content) {
            std::vector<std::shared_ptr<T>> objects;
            for (const auto& [handle, object] : content) objects.push_back(object);
            return objects;
        });
    }

  private:
    using Content = std::unordered_map<Handle, std::shared_ptr<T>>;
    Synchronized<Content> content_;
};

}  // namespace zetl
