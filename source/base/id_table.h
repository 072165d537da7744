// Objects that others know by ids, such as those of device access.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <utility>

#include "base/never_destroyed.h"
#include "base/synchronized.h"

namespace zetl {

/// Objects by ids that are never used again. Objects are destroyed outside the table's lock, since that may take a
/// while. Thread-safe.
template <class T>
class IdTable {
  public:
    /// The process's table for that type; never destroyed.
    static IdTable& instance() {
        static NeverDestroyed<IdTable> table;
        return *table;
    }

    std::uint64_t add(std::shared_ptr<T> object) {
        return entries_.write([&](Entries& all) {
            all.byId.emplace(++all.last, std::move(object));
            return all.last;
        });
    }
    /// Null if no object has the id.
    std::shared_ptr<T> find(std::uint64_t id) const {
        return entries_.read([id](const Entries& all) {
            const auto found = all.byId.find(id);
            return found == all.byId.end() ? nullptr : found->second;
        });
    }
    /// The object that had the id; null if none had.
    std::shared_ptr<T> remove(std::uint64_t id) {
        const auto gone = entries_.write([id](Entries& all) { return all.byId.extract(id); });
        return gone.empty() ? nullptr : gone.mapped();
    }

  private:
    struct Entries {
        std::uint64_t last = 0;
        std::map<std::uint64_t, std::shared_ptr<T>> byId;
    };
    Synchronized<Entries> entries_;
};

}  // namespace zetl
