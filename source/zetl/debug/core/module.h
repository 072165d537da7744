// A module of the debuggee, as its debug image describes it.
#pragma once

#include <level_zero/zet_api.h>

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/code_flow.h"
#include "core/debug_info.h"
#include "core/elf_image.h"
#include "core/frame_table.h"
#include "core/kernel_table.h"
#include "core/sass_registers.h"

namespace zetl::debugger {

class Module {
  public:
    /// Throws Failure if the image is not an ELF file.
    Module(unsigned number, const zet_debug_event_t& loaded, std::vector<std::uint8_t> image);

    unsigned number() const noexcept { return number_; }
    /// True for the event of the same module.
    bool is(const zet_debug_event_t& event) const noexcept;
    std::uint64_t load() const noexcept { return loaded_.info.module.load; }
    const ElfImage& elf() const noexcept { return elf_; }
    const DebugInfo& debug() const noexcept { return debug_; }
    const FrameTable& frames() const noexcept { return frames_; }
    const std::vector<KernelInfo>& kernels() const noexcept { return kernels_; }
    /// Of a cubin.
    const SassRegisters& sassRegisters() const noexcept { return sassRegisters_; }
    /// The build options say so.
    bool isOptimised() const;

    bool contains(std::uint64_t address) const;
    /// The section of code that holds the address; null if none does.
    const ElfImage::Code* codeAt(std::uint64_t address) const;
    /// Of a section of Intel's code. Null if the image does not hold it.
    const CodeFlow* flowOf(const ElfImage::Code& code, const isa::xe::Architecture& architecture) const;
    /// The kernel whose code section holds the address; null for functions that several kernels share.
    const KernelInfo* kernelAt(std::uint64_t address) const;
    /// The kernel's address; 0 if it has no symbol.
    std::uint64_t entryOf(const std::string& kernel) const;
    /// The first instruction that every thread of the kernel executes. Some threads skip the code that loads ids.
    std::uint64_t doorOf(const std::string& kernel) const;
    /// "saxpy", "saxpy+0x20"; empty if the address is not in the module.
    std::string symbolAt(std::uint64_t address) const;
    const Symbol* functionSymbol(const std::string& name) const;

  private:
    const unsigned number_;
    const zet_debug_event_t loaded_;
    const ElfImage elf_;
    const DebugInfo debug_;
    const FrameTable frames_;
    const std::vector<KernelInfo> kernels_;
    const SassRegisters sassRegisters_;
    mutable std::map<std::uint64_t, std::unique_ptr<CodeFlow>> flows_;  ///< by where the code begins
};

}  // namespace zetl::debugger
