// The fake driver's exported getters: each fills its table up to the caller's specification version.
#include <array>
#include <cstdlib>
#include <cstring>
#include <string>
#include <utility>

#include "support/fake_driver/objects.h"

namespace zetl::test {

FakeDriverControl control;

ze_result_t enter(int slot) {
    control.calls[slot].fetch_add(1, std::memory_order_relaxed);
    if (auto* hook = control.hook.load()) hook(slot);
    return control.results[slot].load(std::memory_order_relaxed);
}

namespace {

using Entries = std::array<void*, kSlotCount>;

template <int... slots>
Entries answers(std::integer_sequence<int, slots...>) {
    return {reinterpret_cast<void*>(&answer<slots>)...};
}

const Entries& entries() {
    static const Entries all = [] {
        auto filled = answers(std::make_integer_sequence<int, kSlotCount>());
        for (const auto& functions : {implementedFunctions(), debugFunctions()})
            for (const auto& [slot, function] : functions) filled[static_cast<std::size_t>(slot)] = function;
        return filled;
    }();
    return all;
}

bool leftOut(const char* getter) {
    static const char* const prefix = std::getenv("ZETL_FAKE_WITHOUT");
    return prefix && std::strncmp(getter, prefix, std::strlen(prefix)) == 0;
}

ze_result_t leftOutResult() {
    const char* const value = std::getenv("ZETL_FAKE_GETTER_RESULT");
    return value ? static_cast<ze_result_t>(std::stoul(value, nullptr, 0)) : ZE_RESULT_SUCCESS;
}

ze_result_t fill(int table, ze_api_version_t version, void** out) {
    if (leftOut(kTables[table].getter)) return leftOutResult();
    const auto count = static_cast<std::size_t>(kTables[table].entries(ZE_MINOR_VERSION(version)));
    std::memcpy(out, entries().data() + firstSlot(table), count * sizeof(void*));
    return ZE_RESULT_SUCCESS;
}

}  // namespace
}  // namespace zetl::test

extern "C" {
#define TABLE(getter, steps, ...)                                                        \
    ZE_APIEXPORT ze_result_t ZE_APICALL getter(ze_api_version_t version, void** table) { \
        return zetl::test::fill(zetl::test::findTable(#getter), version, table);         \
    }
#include "support/tables.def"
#undef TABLE

ZE_APIEXPORT zetl::test::FakeDriverControl* zetlFakeDriverControl() { return &zetl::test::control; }
}
