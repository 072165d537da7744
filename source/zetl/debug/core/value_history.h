// The values that were printed, by number.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "core/module.h"
#include "core/value.h"

namespace zetl::debugger {

class ValueHistory {
  public:
    /// Its number, from 1 on. What is kept is the value as it is now, without its place; `types`: the module that its
    /// type belongs to, or null.
    std::size_t add(Value value, std::shared_ptr<const Module> types);
    /// Throw Failure for what it does not reach: by number, and so many before the last.
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
