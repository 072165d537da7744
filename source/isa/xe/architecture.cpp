#include "isa/xe/architecture.h"

#include <algorithm>
#include <iterator>

#include "isa/xe/compaction.h"

namespace zetl::isa::xe {
namespace {

constexpr std::uint32_t kSmallOrLarge[] = {128, 256};
constexpr std::uint32_t kXe3Counts[] = {32, 64, 96, 128, 160, 192, 256};
constexpr std::uint32_t kXe3PCounts[] = {32, 64, 96, 128, 160, 192, 256, 320, 448, 512};
constexpr std::uint32_t kSixteenOr32[] = {16, 32};
constexpr std::uint32_t kSixteen = 16;
constexpr std::uint32_t igaVersion(std::uint32_t major, std::uint32_t minor) { return major << 24 | minor; }

/// All that were there before Xe3P.
constexpr OpcodeSet kFirstOpcodes = [] {
    OpcodeSet all;
#define ZETL_ISA_ADD(id, number, mnemonic, format, sources, exactness) all.add(Opcode::id);
    ZETL_ISA_OPCODES(ZETL_ISA_ADD)
#undef ZETL_ISA_ADD
    for (const Opcode later : {Opcode::sendg, Opcode::sendgc, Opcode::sendgx, Opcode::sendgxc, Opcode::lfsr,
                               Opcode::shfl, Opcode::dnscl, Opcode::bdpas, Opcode::mullh})
        all.remove(later);
    return all;
}();
constexpr OpcodeSet kXe3Opcodes = [] {
    OpcodeSet set = kFirstOpcodes;
    set.remove(Opcode::brd);
    set.remove(Opcode::brc);
    return set;
}();
constexpr OpcodeSet kXe3POpcodes = [] {
    OpcodeSet set = kXe3Opcodes;
    for (const Opcode gone : {Opcode::mac, Opcode::mach, Opcode::macl}) set.remove(gone);
    for (const Opcode added : {Opcode::sendg, Opcode::sendgc, Opcode::sendgx, Opcode::sendgxc, Opcode::lfsr,
                               Opcode::shfl, Opcode::dnscl, Opcode::bdpas, Opcode::mullh})
        set.add(added);
    return set;
}();

constexpr ThreadStart kWithHeapOffset{
    .arguments = 0, .group = {1, 6, 7}, .number = 2, .threadsShift = 24, .scratch = 5, .scratchShift = 10};
constexpr ThreadStart kWithSubsliceInMessage = [] {
    ThreadStart start = kWithHeapOffset;
    start.subsliceInMessage = true;
    return start;
}();

constexpr ThreadStart kWithArgumentsAddress = [] {
    ThreadStart start = kWithSubsliceInMessage;
    start.argumentsAddress = 14;
    return start;
}();

constexpr RegisterNames kRegisterNames = {"null", "a",  "acc", "f",  "ce", "msg", "sp",  "sr", "cr",
                                          "n",    "ip", "tdr", "tm", "fc", "?",   "dbg", "s"};
constexpr FunctionNames kFunctionNames = {"null", "ugml", "smpl", "gtwy", "dc2", "rc",  "urb", "btd",
                                          "rta",  "dcro", "dc0",  "pixi", "dc1", "tgm", "slm", "ugm"};

constexpr const Product* kXeHpcProducts[] = {&kPvc};
constexpr const Product* kXe2Products[] = {&kBmg, &kLnl};
constexpr const Product* kXe3Products[] = {&kPtl, &kWcl, &kNvlS, &kNvlU};
constexpr const Product* kXe3PProducts[] = {&kCri, &kNvlP};
constexpr const Architecture* kAll[] = {&kXeHpc, &kXe2, &kXe3, &kXe3P};

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
constinit const Product kPtl{
    .name = "ptl",
    .productFamily = 1300,
    .coreFamily = 0x1e00,
    .ip = {30, 0, 4},
    .architecture = &kXe3,
};
constinit const Product kWcl{
    .name = "wcl",
    .productFamily = 1300,
    .coreFamily = 0x1e00,
    .ip = {30, 3, 1},
    .architecture = &kXe3,
};
constinit const Product kNvlS{
    .name = "nvl-s",
    .productFamily = 1340,
    .coreFamily = 0x1e00,
    .ip = {30, 4, 4},
    .architecture = &kXe3,
};
constinit const Product kNvlU{
    .name = "nvl-u",
    .productFamily = 1340,
    .coreFamily = 0x1e00,
    .ip = {30, 5, 4},
    .architecture = &kXe3,
};
constinit const Product kCri{
    .name = "cri",
    .productFamily = 1380,
    .coreFamily = 0x2300,
    .ip = {35, 11, 0},
    .architecture = &kXe3P,
};
constinit const Product kNvlP{
    .name = "nvl-p",
    .productFamily = 1360,
    .coreFamily = 0x2300,
    .ip = {35, 10, 4},
    .architecture = &kXe3P,
};
// Arc B580 was measured: docs/measured/calibration.md. Xe3 is assumed to be like it.
constexpr std::uint32_t kOneDouble = 1;
constexpr std::uint32_t kHalfRate = 2;

constinit const Architecture kXeHpc{
    .name = "xe-hpc",
    .title = "Xe-HPC",
    .registerBytes = kRegisterBytes,
    .registerCounts = kSmallOrLarge,
    .subGroupSizes = kSixteenOr32,
    .engineLanes = kSixteen,
    .opcodes = kFirstOpcodes,
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
    .doubleLanes = kOneDouble,
    .matrixCycles = kHalfRate,
    .opcodes = kFirstOpcodes,
    .compaction = &kXe2Compaction,
    .messages = MessageForm::sendWithOffset,
    .start = kWithSubsliceInMessage,
    .registerNames = kRegisterNames,
    .functionNames = kFunctionNames,
    .igaPlatform = igaVersion(2, 0),
    .nativeFormat = "zebin-xe2hpg-1.7",
    .chip = "emulated-xe2",
    .products = kXe2Products,
    .images = true,
    .executes = true,
};

constinit const Architecture kXe3{
    .name = "xe3",
    .title = "Xe3",
    .registerBytes = kRegisterBytes,
    .registerCounts = kXe3Counts,
    .scalarBytes = 32,
    .subGroupSizes = kSixteenOr32,
    .engineLanes = kSixteen,
    .doubleLanes = kOneDouble,
    .matrixCycles = kHalfRate,
    .opcodes = kXe3Opcodes,
    .compaction = &kXe2Compaction,
    .messages = MessageForm::sendWithOffset,
    .start = kWithSubsliceInMessage,
    .registerNames = kRegisterNames,
    .functionNames = kFunctionNames,
    .igaPlatform = igaVersion(3, 0),
    .nativeFormat = "zebin-xe3lpg-1.7",
    .chip = "emulated-xe3",
    .products = kXe3Products,
    .images = true,
    .executes = true,
};
constinit const Architecture kXe3P{
    .name = "xe3p",
    .title = "Xe3P",
    .registerBytes = kRegisterBytes,
    .registerCounts = kXe3PCounts,
    .addressBytes = 64,
    .scalarBytes = 64,
    .subGroupSizes = kSixteenOr32,
    .engineLanes = kSixteen,
    .localBytes = 384 << 10,
    .opcodes = kXe3POpcodes,
    .compaction = nullptr,
    .operands = OperandForm::nineBit,
    .messages = MessageForm::sendWithOffset,
    .start = kWithArgumentsAddress,
    .registerNames = kRegisterNames,
    .functionNames = kFunctionNames,
    .igaPlatform = igaVersion(3, 3),
    .nativeFormat = "zebin-xe3pxp-1.7",
    .chip = "emulated-xe3p",
    .products = kXe3PProducts,
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
