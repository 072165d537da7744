#include "emulator/access/command_streams.h"

#include <algorithm>

#include "base/never_destroyed.h"
#include "emulator/access/device_ref.h"
#include "emulator/access/event_memory.h"
#include "emulator/driver/device/tool_observer.h"

namespace zetl::emulator::access {
namespace {

zetl_command_kind_t commandKindOf(driver::CommandKind kind) {
    constexpr zetl_command_kind_t kKinds[] = {ZETL_COMMAND_OTHER, ZETL_COMMAND_KERNEL, ZETL_COMMAND_COPY,
                                              ZETL_COMMAND_BARRIER};
    return kKinds[static_cast<std::size_t>(kind)];
}

}  // namespace

bool RecordedCommands::follows(const driver::Device& device, std::uint32_t tile) const {
    return &rootOf(device_) == &rootOf(device) && (!device_.isSubDevice() || device_.firstTile() == tile);
}

void RecordedCommands::run(bool running) {
    const Lock guard(mutex_);
    running_ = running;
}

bool RecordedCommands::running() const {
    const Lock guard(mutex_);
    return running_;
}

void RecordedCommands::add(const zetl_command_record_t& record) noexcept {
    const Lock guard(mutex_);
    if (!running_) return;
    if (count_ == ring_.size()) {
        const auto time = ring_[first_].time;
        if (loss_.kind == ZETL_LOSS_NONE) loss_.begin = time;
        loss_.kind = ZETL_LOSS_GAP;
        loss_.end = time;
        ++loss_.reports;
        first_ = (first_ + 1) % ring_.size();
        --count_;
    }
    ring_[(first_ + count_++) % ring_.size()] = record;
}

zetl_status_t RecordedCommands::start() {
    CommandStreams::instance().start(*this);
    return ZETL_OK;
}

zetl_status_t RecordedCommands::stop() {
    run(false);
    return ZETL_OK;
}

void RecordedCommands::close() { CommandStreams::instance().close(*this); }

std::uint64_t RecordedCommands::pending() {
    const Lock guard(mutex_);
    return count_;
}

std::uint64_t RecordedCommands::drain(std::uint64_t capacity, zetl_command_record_t* records, zetl_loss_t& loss) {
    const Lock guard(mutex_);
    const auto taken = std::min<std::uint64_t>(capacity, count_);
    for (std::uint64_t i = 0; i < taken; ++i) records[i] = ring_[(first_ + i) % ring_.size()];
    first_ = (first_ + taken) % ring_.size();
    count_ -= taken;
    loss = loss_;
    loss_ = {sizeof loss_, ZETL_LOSS_NONE, 0, 0, 0};
    return taken;
}

CommandStreams& CommandStreams::instance() {
    static NeverDestroyed<CommandStreams> value;
    return *value;
}

std::shared_ptr<RecordedCommands> CommandStreams::open(driver::Device& device, std::size_t capacity) {
    auto stream = std::make_shared<RecordedCommands>(device, capacity);
    const Lock guard(mutex_);
    streams_.push_back(stream);
    driver::commandsFollowed() = true;
    return stream;
}

void CommandStreams::close(const RecordedCommands& stream) {
    const Lock guard(mutex_);
    std::erase_if(streams_, [&](const auto& each) { return each.get() == &stream; });
    driver::commandsFollowed() = !streams_.empty();
}

void CommandStreams::start(RecordedCommands& stream) {
    const Lock guard(mutex_);
    const auto ofDevice = [&](const auto& each) {
        return each->running() && &rootOf(each->device()) == &rootOf(stream.device());
    };
    auto* const memory = EventMemory::existing(stream.device());
    if (memory && std::ranges::none_of(streams_, ofDevice)) std::ranges::for_each(memory->words(), EventMemory::take);
    stream.run(true);
}

void CommandStreams::tell(const driver::Device& device, zetl_command_record_t record) noexcept {
    for (const auto& stream : streams_)
        if (stream->follows(device, record.parent_index)) stream->add(record);
}

void CommandStreams::executed(driver::Device& device, const driver::ExecutedCommand& command) noexcept {
    const auto width = device.profile().timestampWidth();
    const auto kind = static_cast<std::uint32_t>(commandKindOf(command.kind));
    const Lock guard(mutex_);
    ++commands_;
    for (const auto& part : command.parts) {
        const auto tile = device.firstTile() + part.tile;
        tell(device, {width.cut(part.begin), commands_, kind, 0, tile, 0});
        tell(device, {width.cut(part.end), commands_, kind, 1, tile, 0});
    }
    auto* const memory = EventMemory::existing(device);
    if (!memory || command.parts.empty()) return;
    const auto& last = command.parts.back();
    zetl_command_record_t left{width.cut(last.end), commands_, ZETL_COMMAND_WORD, 1, device.firstTile() + last.tile, 0};
    for (auto& word : memory->words()) {
        left.word = EventMemory::take(word);
        if (left.word != 0) tell(device, left);
    }
}

}  // namespace zetl::emulator::access
