#include "emulator/driver/execution/code_checks.h"

#include <fmt/format.h>

#include <new>
#include <sstream>
#include <string>

#include "base/log.h"
#include "emulator/check/missing_waits.h"
#include "emulator/driver/execution/checks.h"
#include "emulator/driver/program/source_line.h"
#include "emulator/machine/code/loaded_program.h"

namespace zetl::emulator::driver {
namespace {

using zetl::check::Access;
using What = check::MissingWait::What;

/// The kernel that the address, which counts from the instruction base, belongs to; null for functions in front of all.
const binary::KernelImage* kernelAt(const Module& module, std::uint32_t ip) {
    const binary::KernelImage* found = nullptr;
    for (const binary::KernelImage& kernel : module.image().kernels) {
        const std::uint32_t begin = module.linked().kernelOffset(kernel);
        if (begin <= ip && (found == nullptr || begin > module.linked().kernelOffset(*found))) found = &kernel;
    }
    return found;
}

zetl::check::Side codeSideOf(const Module& module, std::uint32_t ip, Access access) {
    zetl::check::Side side;
    side.access = access;
    side.ip = ip;
    if (const binary::KernelImage* const kernel = kernelAt(module, ip)) {
        side.kernel = kernel->name;
        side.ip = ip - module.linked().kernelOffset(*kernel);
    }
    std::istringstream lines(sourceChain(module, module.code()->address() - module.code()->offset() + ip));
    std::getline(lines, side.source);
    for (std::string caller; std::getline(lines, caller);) side.inlinedAt.push_back(caller);
    return side;
}

zetl::check::Finding codeFindingOf(const Module& module, const isa::Program& program,
                                   const check::MissingWait& missing) {
    struct Words {
        const char* does;
        const char* before;
        Access now;
        Access other;
        const char* wait;
    };
    constexpr Words kWords[] = {{"is read", "has written it", Access::read, Access::write, "dst"},
                                {"is written", "has written it", Access::write, Access::write, "dst"},
                                {"is written", "has read it", Access::write, Access::read, "src"}};
    const Words& words = kWords[static_cast<std::size_t>(missing.what)];
    zetl::check::Finding finding;
    finding.kind = zetl::check::Kind::missingWait;
    finding.message = fmt::format("r{} {} before the other instruction {}: the wait for ${}.{} is missing",
                                  missing.registerNumber, words.does, words.before, missing.token, words.wait);
    finding.sides = {codeSideOf(module, program.instruction(missing.line).ip, words.now),
                     codeSideOf(module, program.instruction(missing.other).ip, words.other)};
    finding.hint = "the compiler or the assembler made this code; hardware may compute something else each time";
    return finding;
}

}  // namespace

void checkCode(const Module& module) noexcept try {
    Checks* const all = checks();
    if (all == nullptr || !all->groups.has(zetl::check::Group::code)) return;
    const machine::LoadedProgram* const loaded = module.code()->program();
    if (loaded == nullptr || !all->modules.add(module.id())) return;
    for (const check::MissingWait& missing : check::missingWaits(*loaded->program))
        all->file.write(codeFindingOf(module, *loaded->program, missing));
} catch (const std::bad_alloc&) {
    log::error(log::Channel::emulator, "check: no host memory to look at a module's code; it is not checked");
}

}  // namespace zetl::emulator::driver
