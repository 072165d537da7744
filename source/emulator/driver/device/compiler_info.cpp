#include "emulator/driver/device/compiler_info.h"

#include <cstring>
#include <span>

#include "emulator/driver/shared_parts.h"

namespace zetl::emulator::driver {
namespace {

enum Question : std::uint32_t { capabilities = 1, extensions = 2, compilerOptions = 3, driverOptions = 4 };

/// The numbers of SPIR-V's capabilities that every compiler which builds for the device takes: Addresses, Linkage,
/// Kernel, Vector16, Float16Buffer, Float16, Float64, Int64, Int64Atomics, Groups, GenericPointer, Int16, Int8,
/// SubgroupDispatch. Which extensions it takes depends on the compiler that is installed, and none tells.
constexpr std::uint32_t kCapabilities[] = {4, 5, 6, 7, 8, 9, 10, 11, 12, 18, 22, 38, 39, 58};

Status give(std::span<const std::byte> answer, std::size_t& size, void* out) {
    if (out && size >= answer.size() && !answer.empty()) std::memcpy(out, answer.data(), answer.size());
    size = answer.size();
    return ZE_RESULT_SUCCESS;
}

}  // namespace

Status compilerInfo(Device&, std::uint32_t what, const void* parameters, std::size_t& size, void* out) {
    if (what == 0 || what > driverOptions) return ZE_RESULT_ERROR_INVALID_ENUMERATION;
    if (parameters) return refuse(ZE_RESULT_ERROR_UNSUPPORTED_FEATURE, "pNext must be null: there are no parameters");
    if (what == capabilities) return give(std::as_bytes(std::span(kCapabilities)), size, out);
    if (what == extensions) return give({}, size, out);
    return refuseProbe(ZE_RESULT_ERROR_UNSUPPORTED_ENUMERATION, "the compiler does not list its options");
}

}  // namespace zetl::emulator::driver
