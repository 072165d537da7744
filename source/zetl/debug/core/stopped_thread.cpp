#include "core/stopped_thread.h"

#include <algorithm>

#include "core/failure.h"
#include "core/level_zero.h"

namespace zetl::debugger {
std::optional<Bytes> StoppedThread::read(std::uint32_t type, std::uint32_t first, std::uint32_t count) {
    const auto& sets = link_.registerSets();
    const auto set = std::ranges::find(sets, type, &zet_debug_regset_properties_t::type);
    if (set == sets.end() || count == 0) return std::nullopt;
    Bytes values;
    for (std::uint32_t i = 0; i < count; ++i)
        if (const auto known = known_.find({type, first + i}); known != known_.end())
            values.insert(values.end(), known->second.begin(), known->second.end());
    if (values.size() == std::size_t{count} * set->byteSize) return values;
    values.resize(std::size_t{count} * set->byteSize);
    if (link_.readRegisters(id_, type, first, count, values.data()) != ZE_RESULT_SUCCESS) return std::nullopt;
    for (std::uint32_t i = 0; i < count; ++i)
        known_[{type, first + i}] = {values.begin() + i * set->byteSize, values.begin() + (i + 1) * set->byteSize};
    return values;
}

void StoppedThread::write(std::uint32_t type, std::uint32_t first, std::uint32_t count, const Bytes& values) {
    known_.clear();
    if (const auto result = link_.writeRegisters(id_, type, first, count, values.data()); result != ZE_RESULT_SUCCESS)
        fail("cannot write the register ({}); change a variable instead", resultText(result));
}

Bytes StoppedThread::must(std::uint32_t type, std::uint32_t first, std::uint32_t count) {
    auto values = read(type, first, count);
    if (!values)
        fail("thread {} is not stopped, so its registers cannot be read; type threads for those that are stopped",
             textOf(id_));
    return *std::move(values);
}

}  // namespace zetl::debugger
