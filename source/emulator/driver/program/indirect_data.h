// The indirect data of a launch: what the machine lays in front of the kernel's threads.
#pragma once

#include "base/result.h"
#include "emulator/machine/dispatch.h"
#include "emulator/module/outcome.h"
#include "emulator/module/payload.h"

namespace zetl::emulator::driver {

/// Fills `indirect`, `argumentsAt`, `references`, `inlineData`, `preload...` and `slmBytes` of a launch:
///   [local-id table][implicit-argument record]   only for kernels that read them; the other way round with recordFrom
///   [cross-thread data][local ids of thread 0][local ids of thread 1]...
/// r0.0 gets the address of the record if the kernel wants it there, else of the cross-thread data; of the record later
/// if only functions want it there. Errors as module::crossThreadData.
module::Outcome<module::Done> layIndirectData(machine::Launch& launch, const module::KernelImage& kernel,
                                              const module::LaunchShape& shape,
                                              std::span<const module::ArgumentValue> arguments,
                                              const module::LaunchAddresses& addresses);

}  // namespace zetl::emulator::driver
