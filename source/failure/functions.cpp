#include "failure/functions.h"

#include <fnmatch.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <type_traits>

#include "base/result_name.h"
#include "ze_tools_layer/level_zero.h"

namespace zetl::failure {
namespace {

template <class R, class... A>
constexpr bool returnsCode(R(ZE_APICALL*)(A...)) noexcept {
    return std::is_same_v<R, ze_result_t>;
}

template <class F>
constexpr bool kReturnsCode = returnsCode(static_cast<F*>(nullptr));

constexpr std::array<bool, ddi::kTraced> kCanFail{
#define TABLE(api, table, c_name)
#define SLOT(api, table, index, object, member, minor) kReturnsCode<decltype(api##object##member)>,
#include "ddi/core_api.def"
#undef TABLE
#undef SLOT
};

struct GroupRow {
    std::string_view name;
    std::array<const char*, 5> patterns;
};

constexpr GroupRow kGroups[] = {
    {"any", {"*"}},
    {"memory", {"zeMemAllocDevice", "zeMemAllocShared", "zeMemAllocHost"}},
    {"compile", {"zeModuleCreate", "zeModuleDynamicLink"}},
    {"launch", {"zeCommandListAppendLaunch*"}},
    {"wait",
     {"zeCommandQueueSynchronize", "zeCommandListHostSynchronize", "zeFenceHostSynchronize", "zeEventHostSynchronize",
      "zeDeviceSynchronize"}},
};

constexpr GroupRow kOfDevice = {
    "", {"zeCommandListAppend*", "zeCommandQueueExecute*", "*Synchronize", "zeMemAlloc*", "zeDeviceGetStatus"}};

constexpr SizedFunction kSized[] = {
    {ddi::Function::zeMemAllocDevice, 2, 5},
    {ddi::Function::zeMemAllocShared, 3, 6},
    {ddi::Function::zeMemAllocHost, 2, 4},
    {ddi::Function::zeVirtualMemReserve, 2, 0},
    {ddi::Function::zeCommandListAppendMemoryCopy, 3, 0},
    {ddi::Function::zeCommandListAppendMemoryFill, 4, 0},
};

struct CodeRange {
    std::uint32_t first;
    std::uint32_t last;
};
/// Where Level Zero has result codes (ze_tools_layer/result_name.h).
constexpr CodeRange kCodes[] = {{0x1, 0x1},
                                {0x70000001, 0x7000000f},
                                {0x70010000, 0x7001000f},
                                {0x70020000, 0x7002000f},
                                {0x78000001, 0x7800004f},
                                {0x7ff00001, 0x7ff0000f},
                                {0x7ffffffe, 0x7ffffffe}};

void addMatching(const char* pattern, Functions& functions) {
    for (std::size_t i = 0; i < ddi::kTraced; ++i)
        if (kCanFail[i] && fnmatch(pattern, ddi::kFunctionRows[i].name, 0) == 0) functions.set(i);
}

Functions functionsOf(const GroupRow& group) {
    Functions functions;
    for (const char* const pattern : group.patterns)
        if (pattern != nullptr) addMatching(pattern, functions);
    return functions;
}

template <class Visit>
void forEachCode(Visit visit) {
    for (const CodeRange& range : kCodes)
        for (std::uint32_t code = range.first; code <= range.last; ++code)
            if (!resultName(code).empty()) visit(code);
}

}  // namespace

Functions functionsNamed(std::string_view name) {
    const auto* const group = std::ranges::find(kGroups, name, &GroupRow::name);
    if (group != std::end(kGroups)) return functionsOf(*group);
    Functions functions;
    addMatching(std::string(name).c_str(), functions);
    return functions;
}

std::vector<std::string> functionNames() {
    std::vector<std::string> names;
    names.reserve(std::size(kGroups) + ddi::kTraced);
    for (const GroupRow& group : kGroups) names.emplace_back(group.name);
    for (std::size_t i = 0; i < ddi::kTraced; ++i)
        if (kCanFail[i]) names.emplace_back(ddi::kFunctionRows[i].name);
    return names;
}

std::optional<std::uint32_t> codeNamed(std::string_view name) {
    std::optional<std::uint32_t> found;
    forEachCode([&](std::uint32_t code) {
        const std::string_view whole = resultName(code);
        constexpr std::string_view kPrefix = "ZE_RESULT_";
        if (name == shortResultName(code) || name == whole || name == whole.substr(kPrefix.size())) found = code;
    });
    return found;
}

std::vector<std::string> codeNames() {
    std::vector<std::string> names;
    forEachCode([&](std::uint32_t code) { names.emplace_back(shortResultName(code)); });
    return names;
}

const Functions& functionsOfDevice() {
    static const Functions functions = functionsOf(kOfDevice);
    return functions;
}

const SizedFunction* sizedFunction(ddi::Function function) noexcept {
    const auto* const found = std::ranges::find(kSized, function, &SizedFunction::function);
    return found == std::end(kSized) ? nullptr : found;
}

std::vector<std::string> sizedFunctionNames() {
    std::vector<std::string> names;
    names.reserve(std::size(kSized));
    for (const SizedFunction& each : kSized) names.emplace_back(ddi::row(each.function).name);
    return names;
}

}  // namespace zetl::failure
