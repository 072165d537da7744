// Asks the compiler to leave registers for an instrumentation tool, and asks the driver which ones are free:
// `-zet-profile-flags` at the build, then zetKernelGetProfileInfo. The call itself reports which flags were honoured.
// The list of free registers needs an extension, because the call does not say how much room there is behind the
// structure: ze_tools_layer/profile_tokens.h.
//
// Exit code 0: the flags were honoured; 1: they were not, or an error.
#include <level_zero/zet_api.h>
#include <ze_tools_layer/profile_tokens.h>

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <vector>

#include "session/check.h"
#include "session/metrics.h"
#include "session/session.h"
#include "session/spirv.h"

namespace {

const char* const kSource = R"(
kernel void scale(global float* data, float factor) {
    const size_t i = get_global_id(0);
    data[i] = data[i] * factor + 1.0f;
})";

/// A module built with the driver's own flags, which the compiler of OpenCL C does not know.
class Profiled {
  public:
    Profiled(const session::Session& session, const char* flags) {
        const auto spirv = session::compileToSpirv(kSource);
        const ze_module_desc_t description{ZE_STRUCTURE_TYPE_MODULE_DESC,
                                           nullptr,
                                           ZE_MODULE_FORMAT_IL_SPIRV,
                                           spirv.size(),
                                           spirv.data(),
                                           flags,
                                           nullptr};
        CHECK(zeModuleCreate(session.context, session.device, &description, &module_, nullptr));
        const ze_kernel_desc_t kernel{ZE_STRUCTURE_TYPE_KERNEL_DESC, nullptr, 0, "scale"};
        CHECK(zeKernelCreate(module_, &kernel, &kernel_));
    }
    ~Profiled() {
        zeKernelDestroy(kernel_);
        zeModuleDestroy(module_);
    }
    Profiled(const Profiled&) = delete;
    Profiled& operator=(const Profiled&) = delete;

    /// The flags that were honoured; with `chained`, also what an extension returns there.
    zet_profile_flags_t flags(void* chained = nullptr) const {
        zet_profile_properties_t properties{ZET_STRUCTURE_TYPE_PROFILE_PROPERTIES, chained, 0, 0};
        CHECK(zetKernelGetProfileInfo(kernel_, &properties));
        return properties.flags;
    }

    /// All tokens, one behind the other: the first call says how many bytes they take.
    std::vector<std::uint8_t> tokens() const {
        zetl_profile_tokens_t room{ZETL_STRUCTURE_TYPE_PROFILE_TOKENS, nullptr, 0, nullptr, ZETL_TOKENS_NONE};
        flags(&room);
        std::vector<std::uint8_t> bytes(room.size);
        room.tokens = bytes.data();
        if (!bytes.empty()) flags(&room);
        return bytes;
    }

  private:
    ze_module_handle_t module_ = nullptr;
    ze_kernel_handle_t kernel_ = nullptr;
};

bool listsTokens(ze_driver_handle_t driver) {
    for (const auto& extension : session::listOf(zeDriverGetExtensionProperties, driver))
        if (std::strcmp(extension.name, ZETL_PROFILE_TOKENS_EXTENSION) == 0) return true;
    return false;
}

template <class T>
T structAt(const std::vector<std::uint8_t>& bytes, std::size_t offset) {
    T value{};
    if (offset + sizeof value <= bytes.size()) std::memcpy(&value, bytes.data() + offset, sizeof value);
    return value;
}

/// A token is followed by its sequences of free bytes in the register file.
void printFreeRegisters(const std::vector<std::uint8_t>& tokens) {
    for (std::size_t at = 0; at < tokens.size();) {
        const auto token = structAt<zet_profile_free_register_token_t>(tokens, at);
        for (std::uint32_t i = 0; i < token.count; ++i) {
            const auto sequence = structAt<zet_profile_register_sequence_t>(
                tokens, at + sizeof token + i * sizeof(zet_profile_register_sequence_t));
            std::printf("  bytes %u to %u of the register file are free\n", sequence.start,
                        sequence.start + sequence.count - 1);
        }
        if (token.size == 0) return;
        at += token.size;
    }
}

void print(const char* flags, const Profiled& profiled, bool withTokens) {
    const auto honoured = profiled.flags();
    std::printf("built with '%s': registers reallocated: %s, free registers listed: %s\n", flags,
                (honoured & ZET_PROFILE_FLAG_REGISTER_REALLOCATION) != 0 ? "yes" : "no",
                (honoured & ZET_PROFILE_FLAG_FREE_REGISTER_INFO) != 0 ? "yes" : "no");
    if (withTokens) printFreeRegisters(profiled.tokens());
}

}  // namespace

int main() {
    const session::Session session;
    const bool withTokens = listsTokens(session.driver);
    constexpr const char* kFlags = "-zet-profile-flags 3";
    const Profiled plain(session, "");
    const Profiled profiled(session, kFlags);
    print("", plain, withTokens);
    print(kFlags, profiled, withTokens);
    const auto honoured = profiled.flags();
    std::printf("profile_info: the driver honoured flags %#x\n", honoured);
    return honoured != 0 ? 0 : 1;
}
