#include "core/value_history.h"

#include "core/failure.h"

namespace zetl::debugger {

std::size_t ValueHistory::add(Value value, std::shared_ptr<const Module> types) {
    value.place.reset();
    entries_.push_back({std::move(value), std::move(types)});
    return entries_.size();
}

const Value& ValueHistory::at(std::uint64_t number) const {
    if (number == 0 || number > entries_.size())
        fail("there is no ${}: {} values were printed so far; info values shows them", number, entries_.size());
    return entries_[number - 1].value;
}

const Value& ValueHistory::before(std::uint64_t steps) const {
    if (steps >= entries_.size())
        fail("there is no $${}: {} values were printed so far; info values shows them", steps, entries_.size());
    return entries_[entries_.size() - 1 - steps].value;
}

}  // namespace zetl::debugger
