// The printed values, by number.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "core/module.h"
#include "core/value.h"

namespace zetl::debugger {

class ValueHistory {
  public:
    /// Keeps the value as it is now, without its place, and returns its number, from 1 on. `types`: the module that
    /// owns its type, or null.
    std::size_t add(Value value, std::shared_ptr<const Module> types);
    /// A value by number, or by distance from the last. Throw Failure if there is none.
    const Value& at(std::uint64_t number) const;
    const Value& before(std::uint64_t steps) const;
    std::size_t size() const noexcept { return entries_.size(); }

  private:
    struct Entry {
        Value value;
        std::shared_ptr<const Module> types;
    };
    std::vector<Entry> entries_;
};

}  // namespace zetl::debugger
