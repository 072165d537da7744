#include "emulator/machine/code/loaded_program.h"

#include <algorithm>
#include <new>

#include "base/log.h"
#include "emulator/isa/code.h"
#include "emulator/isa/observe.h"
#include "emulator/machine/code/schedule.h"
#include "emulator/translate/translation.h"

namespace zetl::emulator::machine {
namespace {

void addTo(std::vector<bool>& all, const std::vector<bool>& more) {
    all.resize(std::max(all.size(), more.size()));
    for (std::size_t line = 0; line < more.size(); ++line) all[line] = all[line] || more[line];
}

std::vector<const isa::LineObserver*> observersOf(std::span<const isa::Reported> reported) {
    std::vector<const isa::LineObserver*> observers;
    for (const isa::Reported& one : reported) observers.push_back(one.to);
    std::ranges::sort(observers);
    return observers;
}

}  // namespace

void RetiredLines::add(const Tile& tile, std::span<const LineStretch> executed) {
    if (executed.empty()) return;
    const Lock guard(mutex_);
    std::vector<std::uint64_t>& sum = counts_[&tile];
    sum.resize(std::max<std::size_t>(sum.size(), executed.back().end));
    for (const LineStretch& stretch : executed)
        for (isa::Line line = stretch.begin; line < stretch.end; ++line) sum[line] += stretch.executed;
}

std::vector<std::uint64_t> RetiredLines::of(const Tile& tile, std::size_t lines) const {
    const Lock guard(mutex_);
    const auto found = counts_.find(&tile);
    std::vector<std::uint64_t> sum = found == counts_.end() ? std::vector<std::uint64_t>() : found->second;
    sum.resize(lines);
    return sum;
}

LoadedProgram::LoadedProgram(std::span<const std::byte> code, const isa::LowerOptions& options)
    : program(isa::lower(code, options)),
      written(program->written()),
      code_(code.begin(), code.end()),
      options_(options) {
    lines.reserve(program->lineCount());
    for (isa::Line line = 0; line < program->lineCount(); ++line)
        lines.push_back(classify(program->instruction(line), *options.architecture));
    if (log::enabled(log::Channel::emulator, log::Level::debug))
        program->code().times = std::make_shared<isa::HostTimes>(program->lineCount());
}

LoadedProgram::~LoadedProgram() = default;

std::shared_ptr<LoadedProgram> LoadedProgram::makeTwin() const {
    auto twin = std::make_shared<LoadedProgram>(code_, options_);
    twin->original_ = this;
    twin->program->code().times = program->code().times;
    return twin;
}

void LoadedProgram::retire(const Tile& tile, std::span<const LineStretch> executed) const {
    retired.add(tile, executed);
    if (!counted) return;
    for (const LineStretch& stretch : executed)
        for (isa::Line line = stretch.begin; line < stretch.end; ++line) {
            const std::size_t word = (program->ipOf(line) - program->base()) / kCountedBytes;
            if (word < counted->size()) (*counted)[word].fetch_add(stretch.executed, std::memory_order_relaxed);
        }
}

void LoadedProgram::translate(std::uint32_t entry, std::uint32_t lanes, const std::string& kernel) const {
    if (!translate::obstacle().empty()) return;
    const Lock guard(translating_);
    try {
        const auto [known, fresh] = translated_.try_emplace({entry, lanes});
        if (!fresh) return;
        // Before the code can be entered: a thread that runs it later than this asks what it may write.
        translations_.fetch_add(1, std::memory_order_seq_cst);
        const translate::Report report = translate::translate(*program, entry, lanes, kernel);
        hostWritten_.add(report.written);
        known->second = report.group;
        addTo(reached_, report.reached);
        addTo(calling_, report.calling);
    } catch (const std::bad_alloc&) {  // the steps serve
    }
}

bool LoadedProgram::loadsBlocks(const isa::Prologue& prologue) const {
    const Lock guard(trying_);
    const auto known = loadsBlocks_.find(prologue);
    if (known != loadsBlocks_.end()) return known->second;
    const bool loads = isa::loadsBlocks(*program, prologue);
    try {
        loadsBlocks_[prologue] = loads;
    } catch (const std::bad_alloc&) {  // it is found out again
    }
    return loads;
}

bool LoadedProgram::mayWaitForOthers(std::uint32_t entry) const {
    const Lock guard(trying_);
    const auto known = mayWaitForOthers_.find(entry);
    if (known != mayWaitForOthers_.end()) return known->second;
    try {
        return mayWaitForOthers_[entry] = translate::mayWaitForOthers(*program, entry);
    } catch (const std::bad_alloc&) {  // it is found out again
        return true;
    }
}

std::shared_ptr<WarmUp> LoadedProgram::warmUp(std::uint32_t entry, std::uint32_t lanes) const {
    if (!translate::obstacle().empty()) return nullptr;
    const Lock guard(translating_);
    try {
        if (translated_.contains({entry, lanes})) return nullptr;
        std::shared_ptr<WarmUp>& known = warmUps_[{entry, lanes}];
        if (!known) {
            const std::uint64_t lines = translate::linesFrom(*program, entry);
            known = std::make_shared<WarmUp>(lines * translate::executionsThatPay());
        }
        return known;
    } catch (const std::bad_alloc&) {  // the steps serve
        return nullptr;
    }
}

void LoadedProgram::translateReporting(std::uint32_t entry, std::uint32_t lanes,
                                       std::span<const isa::Reported> reported, const std::string& kernel) const {
    if (!translate::obstacle().empty()) return;
    const Lock guard(translating_);
    try {
        if (!reporting_[{entry, lanes}].insert(observersOf(reported)).second) return;
        translations_.fetch_add(1, std::memory_order_seq_cst);
        const translate::Report report = translate::translateReporting(*program, entry, lanes, reported, kernel);
        hostWritten_.add(report.written);
        if (report.group) observed_[{entry, lanes}] = report.group;
        addTo(reached_, report.reached);
        addTo(calling_, report.calling);
    } catch (const std::bad_alloc&) {  // the steps serve
    }
}

isa::StateSlots LoadedProgram::hostWritten() const {
    const Lock guard(translating_);
    return hostWritten_;
}

std::vector<bool> LoadedProgram::hostLines() const {
    const Lock guard(translating_);
    std::vector<bool> host = reached_;
    host.resize(lines.size());
    for (std::size_t line = 0; line < std::min(host.size(), calling_.size()); ++line)
        host[line] = host[line] && !calling_[line];
    return host;
}

std::shared_ptr<const translate::GroupCode> LoadedProgram::groupCode(std::uint32_t entry, std::uint32_t lanes,
                                                                     isa::Handler entered) const {
    const Lock guard(translating_);
    const auto observed = observed_.find({entry, lanes});
    if (observed != observed_.end() && observed->second->entered == entered) return observed->second;
    const auto known = translated_.find({entry, lanes});
    return known == translated_.end() ? nullptr : known->second;
}

isa::StateSlots LoadedProgram::readFirst(std::uint32_t entry, std::uint32_t lanes) const {
    const Lock guard(translating_);
    const auto [known, fresh] = readFirst_.try_emplace({entry, lanes});
    if (fresh) known->second = program->readFirst(entry, lanes);
    return known->second;
}

const Schedule& LoadedProgram::makeSchedule(const TimingModel& timing) const {
    scheduled_.call([&] {
        schedule_ = std::make_unique<const Schedule>(*this, timing);
        madeSchedule_.store(schedule_.get(), std::memory_order_release);
    });
    return *schedule_;
}

}  // namespace zetl::emulator::machine
