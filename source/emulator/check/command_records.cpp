#include "emulator/check/command_records.h"

#include <utility>

namespace zetl::emulator::check {

void CommandRecords::add(std::shared_ptr<CommandRecord> record) {
    const std::uint64_t number = record->number;
    const Lock guard(mutex_);
    records_[number] = std::move(record);
    if (records_.size() > kMost) records_.erase(records_.begin());
}

std::shared_ptr<CommandRecord> CommandRecords::find(std::uint64_t number) const {
    const Lock guard(mutex_);
    const auto found = records_.find(number);
    return found == records_.end() ? nullptr : found->second;
}

}  // namespace zetl::emulator::check
