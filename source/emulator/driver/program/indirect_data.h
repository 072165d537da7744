// The indirect data of a launch: what the machine lays in front of the kernel's threads.
#pragma once

#include "binary/outcome.h"
#include "emulator/driver/program/kernel_state.h"
#include "emulator/machine/dispatch.h"

namespace zetl::emulator::driver {

/// Fills `indirect`, `argumentsAt`, `references`, `inlineData`, `preload...`, `entryOffset` and `slmBytes` of a launch:
///   [local-id table][implicit-argument record]   only for kernels that read them; the other way round with recordFrom
///   [cross-thread data][local ids of thread 0][local ids of thread 1]...
/// r0.0 gets the address of the record if the kernel expects it there, else the address of the cross-thread data; it
/// gets the record's later if only functions expect it there. Returns the offset in `indirect` at which the
/// cross-thread data go on behind their inline part. Errors as for module::crossThreadData; none with arguments that
/// KernelState::check() has accepted.
binary::Outcome<std::uint32_t> layIndirectData(machine::Launch& launch, const KernelState& kernel,
                                               const module::LaunchShape& shape,
                                               const module::LaunchAddresses& addresses);

/// Tells a launch whose indirect data are laid of its tile's private memory.
void setPrivateBase(machine::Launch& launch, const binary::KernelImage& kernel, std::uint32_t crossThreadAt,
                    std::uint64_t base);

}  // namespace zetl::emulator::driver
