#include "emulator/machine/tools/usage_report.h"

#include "base/log.h"
#include "emulator/isa/usage.h"

namespace zetl::emulator::machine {
namespace {

struct Word {
    isa::Exactness exactness;
    const char* text;
};
constexpr Word kWords[] = {{isa::Exactness::unsupported, "unsupported"},
                           {isa::Exactness::approximate, "approximate"},
                           {isa::Exactness::exact, "exact"}};

}  // namespace

void UsageReport::add(const Tally::LineCounts& counts) {
    counts.eachLine([&](isa::Line line, std::uint64_t executed) {
        const isa::Usage use = isa::usageOf(*counts.program->program, line);
        Entry& entry = entries_[use.name];
        entry.exactness = use.exactness;
        entry.executed += executed;
    });
}

void UsageReport::write() const {
    for (const Word& word : kWords) {
        for (const auto& [name, entry] : entries_) {
            if (entry.exactness != word.exactness) continue;
            log::info(log::Channel::emulator, "executed {} times, {}: {}", entry.executed, word.text, name);
        }
    }
}

}  // namespace zetl::emulator::machine
