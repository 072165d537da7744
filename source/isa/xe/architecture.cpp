#include "isa/xe/architecture.h"

#include <algorithm>
#include <iterator>

#include "isa/xe/compaction.h"

namespace zetl::isa::xe {
namespace {

constexpr std::uint32_t kSmallOrLarge[] = {128, 256};
constexpr std::uint32_t kSixteenOr32[] = {16, 32};
constexpr std::uint32_t kSixteen = 16;
constexpr std::uint32_t igaVersion(std::uint32_t major, std::uint32_t minor) { return major << 24 | minor; }

constexpr OpcodeSet kEveryOpcode = [] {
    OpcodeSet all;
#define ZETL_ISA_ADD(id, number, mnemonic, format, sources, exactness) all.add(Opcode::id);
    ZETL_ISA_OPCODES(ZETL_ISA_ADD)
#undef ZETL_ISA_ADD
    return all;
}();

constexpr ThreadStart kWithHeapOffset{
    .arguments = 0, .group = {1, 6, 7}, .number = 2, .threadsShift = 24, .scratch = 5, .scratchShift = 10};
constexpr ThreadStart kWithSubsliceInMessage = [] {
    ThreadStart start = kWithHeapOffset;
    start.subsliceInMessage = true;
    return start;
}();

constexpr NamesByNumber kRegisterNames = {"null", "a", "acc", "f",   "ce", "msg", "sp", "sr",
                                          "cr",   "n", "ip",  "tdr", "tm", "fc",  "?",  "dbg"};
constexpr NamesByNumber kFunctionNames = {"null", "ugml", "smpl", "gtwy", "dc2", "rc",  "urb", "btd",
                                          "rta",  "dcro", "dc0",  "pixi", "dc1", "tgm", "slm", "ugm"};

constexpr const Product* kXeHpcProducts[] = {&kPvc};
constexpr const Product* kXe2Products[] = {&kBmg, &kLnl};
constexpr const Architecture* kAll[] = {&kXeHpc, &kXe2};

const Product* findIf(auto&& fits) noexcept {
    for (const Architecture* architecture : kAll)
        for (const Product* product : architecture->products)
            if (fits(*product)) return product;
    return nullptr;
}

}  // namespace

constinit const Product kPvc{
    .name = "pvc",
    .productFamily = 1271,
    .coreFamily = 3080,
    .ip = {12, 60, 7},
    .architecture = &kXeHpc,
};
constinit const Product kBmg{
    .name = "bmg",
    .productFamily = 1274,
    .coreFamily = 3081,
    .ip = {20, 1, 0},
    .architecture = &kXe2,
};
constinit const Product kLnl{
    .name = "lnl",
    .productFamily = 1275,
    .coreFamily = 3081,
    .ip = {20, 4, 4},
    .architecture = &kXe2,
};
constinit const Architecture kXeHpc{
    .name = "xe-hpc",
    .title = "Xe-HPC",
    .registerBytes = kRegisterBytes,
    .registerCounts = kSmallOrLarge,
    .subGroupSizes = kSixteenOr32,
    .engineLanes = kSixteen,
    .opcodes = kEveryOpcode,
    .compaction = &kXeHpcCompaction,
    .messages = MessageForm::send,
    .start = kWithHeapOffset,
    .registerNames = kRegisterNames,
    .functionNames = kFunctionNames,
    .igaPlatform = igaVersion(1, 4),
    .nativeFormat = "zebin-xehpc-1.20",
    .chip = "emulated-xe-hpc",
    .products = kXeHpcProducts,
    .executes = true,
};
constinit const Architecture kXe2{
    .name = "xe2",
    .title = "Xe2",
    .registerBytes = kRegisterBytes,
    .registerCounts = kSmallOrLarge,
    .subGroupSizes = kSixteenOr32,
    .engineLanes = kSixteen,
    .opcodes = kEveryOpcode,
    .compaction = &kXe2Compaction,
    .messages = MessageForm::sendWithOffset,
    .start = kWithSubsliceInMessage,
    .registerNames = kRegisterNames,
    .functionNames = kFunctionNames,
    .igaPlatform = igaVersion(2, 0),
    .nativeFormat = "zebin-xe2hpg-1.7",
    .chip = "emulated-xe2",
    .products = kXe2Products,
    .executes = true,
};

std::span<const Architecture* const> allArchitectures() noexcept { return kAll; }

const Architecture* findArchitecture(std::string_view name) noexcept {
    const auto found = std::ranges::find(kAll, name, &Architecture::name);
    return found == std::end(kAll) ? nullptr : *found;
}

const Product* findProduct(std::string_view name) noexcept {
    return findIf([&](const Product& each) { return each.name == name; });
}

const Product* findProduct(const IpVersion& ip) noexcept {
    return findIf([&](const Product& each) { return each.ip.major == ip.major && each.ip.minor == ip.minor; });
}

const Product* findProduct(std::uint32_t productFamily, std::uint32_t coreFamily) noexcept {
    return findIf([&](const Product& each) {
        return productFamily != 0 ? each.productFamily == productFamily
                                  : coreFamily != 0 && each.coreFamily == coreFamily;
    });
}

}  // namespace zetl::isa::xe
