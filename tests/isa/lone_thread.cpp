#include "lone_thread.h"

#include "emulator/isa/float_mode.h"

namespace zetl::test {

LoneThread::LoneThread() : local(4096), scratch(4096), payload(4096), thread_(std::make_unique<isa::Thread>()) {
    thread_->reset();
}

void LoneThread::load(const Code& code, std::uint32_t lanes, const isa::LowerOptions& options,
                      const isa::StepTable& table) {
    const auto again = [&] { return isa::lower(code, options, table); };
    program_ = again();
    execution_ = makeExecution(*program_, again);
    execution_->prepare(options.base, lanes == ~0u ? 32 : 16);
    thread_->environment = this;
    thread_->additions = &additions_;
    thread_->local = local;
    thread_->scratch = scratch;
    thread_->payload = payload;
    thread_->dispatched = lanes;
    setControl(isa::kKeepDoubleDenormals | isa::kKeepSingleDenormals | isa::kKeepHalfDenormals);
    thread_->enter(*program_, options.base);
}
isa::Status LoneThread::run(const Code& code, std::uint32_t lanes) {
    load(code, lanes);
    return resume();
}
isa::Status LoneThread::resume() {
    do execution_->resume(*thread_, memory());
    while (thread_->status == isa::Status::paused);
    return thread_->status;
}

MemoryRanges LoneThread::memory() {
    MemoryRanges list{local, scratch, payload};
    for (auto& area : areas_) list.emplace_back(area->bytes);
    return list;
}
std::vector<std::byte>& LoneThread::allocate(std::size_t bytes, bool writable) {
    return areas_.emplace_back(std::make_unique<Area>(Area{std::vector<std::byte>(bytes), writable}))->bytes;
}
bool LoneThread::findMemory(isa::Thread&, std::uint64_t address, std::uint64_t bytes, bool write,
                            isa::MemoryWindow& window) noexcept {
    for (const auto& a : areas_) {
        const std::uint64_t begin = addressOf(a->bytes);
        if (address < begin || address - begin > a->bytes.size() || bytes > a->bytes.size() - (address - begin))
            continue;
        if (write && !a->writable) return false;
        window = {begin, a->bytes.size(), a->bytes.data()};
        return true;
    }
    return false;
}
const isa::Program* LoneThread::findProgram(isa::Thread&, std::uint32_t ip) noexcept {
    if (program_->lineAt(ip) != isa::kNoLine) return program_.get();
    for (const auto& [base, program] : others)
        if (ip >= base && ip - base < program->codeBytes()) return program;
    return nullptr;
}

std::vector<const isa::StepTable*> usableTables() {
    std::vector<const isa::StepTable*> list;
    for (const char* name : {"sse4", "avx2", "avx512"})
        if (const isa::StepTable* t = isa::findTable(name)) list.push_back(t);
    return list;
}

}  // namespace zetl::test
