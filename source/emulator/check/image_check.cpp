#include "emulator/check/image_check.h"

#include <bit>

#include "emulator/isa/image_plan.h"
#include "emulator/isa/surface.h"
#include "emulator/machine/execution/device_runtime.h"
#include "emulator/machine/execution/work_group.h"
#include "emulator/machine/tools/hardware_thread.h"

namespace zetl::emulator::check {

using zetl::check::Kind;

ImageCheck::ImageCheck(machine::Machine& machine) : memory_(machine.memory()) {
    for (std::uint32_t index = 0; index < machine.devices(); ++index)
        holds_.push_back(static_cast<machine::DeviceRuntime&>(machine.device(index)).observers().hold(*this));
}

std::vector<bool> ImageCheck::linesOf(const machine::LoadedProgram& loaded) const {
    std::vector<bool> lines(loaded.program->lineCount());
    for (isa::Line line = 0; line < lines.size(); ++line)
        lines[line] = isa::ImagePlan::of(loaded.program->instruction(line)).has_value();
    return lines;
}

void ImageCheck::beforeLine(isa::Thread& thread, isa::Line line) noexcept {
    const machine::HardwareThread& context = machine::HardwareThread::of(thread);
    if (context.loaded == nullptr || context.loaded->program.get() != thread.program) return;
    const isa::Instruction& in = thread.program->instruction(line);
    const auto plan = isa::ImagePlan::of(in);
    const std::uint32_t on = plan ? isa::lanesOf(thread, line) : 0;
    if (on == 0) return;
    isa::Surface::Failure failure;
    const auto surface = isa::Surface::find(thread, plan->surface(thread), failure);
    if (!surface) return;  // the message itself ends in a fault
    std::uint32_t outside = on;
    for (std::uint32_t lanes = on; lanes != 0; lanes &= lanes - 1) {
        const auto lane = static_cast<std::uint32_t>(std::countr_zero(lanes));
        if (surface->holds(surface->placeOf(plan->coordinates(thread, lane)))) outside &= ~(1u << lane);
    }
    if (outside == 0) return;
    const machine::WorkGroup& group = machine::WorkGroup::of(context);
    const auto lane = static_cast<std::uint32_t>(std::countr_zero(outside));
    const Access access = plan->message().writes() ? Access::write : Access::read;
    Observation observation;
    observation.kind = Kind::image;
    observation.launch = group.dispatch().id();
    observation.program = context.loaded;
    observation.now = {access, line, context.index, numberOf(group.id(), gridOf(group.dispatch().launch())),
                       static_cast<std::int8_t>(lane + in.offset)};
    observation.image = SeenImage{plan->surface(thread), surface->state(), plan->coordinates(thread, lane),
                                  plan->message().bySampler()};
    observations_.add(observation);
}

std::vector<zetl::check::Finding> ImageCheck::take(const machine::Dispatch& dispatch, const SourceOf& source,
                                                   const GivenImages& images) {
    std::vector<zetl::check::Finding> findings;
    for (const Observations::Seen& seen : observations_.take(dispatch.id())) {
        if (images.samplers && seen.first.image->bySampler) continue;
        findings.push_back(findingOf(seen, dispatch.launch(), memory_, source));
        if (findings.back().object && images.nameOf)
            findings.back().object->argument = images.nameOf(seen.first.image->surface);
    }
    return findings;
}

}  // namespace zetl::emulator::check
