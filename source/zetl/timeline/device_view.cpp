#include "timeline/device_view.h"

#include <fmt/format.h>

#include <cstring>

namespace zetl::command {

std::string textOf(const std::uint64_t* payload, std::uint16_t words) {
    const auto* text = reinterpret_cast<const char*>(payload);
    return {text, strnlen(text, words * sizeof(std::uint64_t))};
}

RecordedSpan spanOf(const Record& record) {
    RecordedSpan span;
    std::memcpy(&span, record.payload(), sizeof span);
    return span;
}

DeviceView::DeviceView(const RecordingFile& recording) {
    recording.forEach([&](const Record& record) {
        if (record.function == kKernelName) kernels_[record.thread] = textOf(record.payload(), record.words);
        if (record.function == kStream) std::memcpy(&streams_[record.thread], record.payload(), sizeof(RecordedStream));
    });
    for (const auto& [number, stream] : streams_)
        devices_.try_emplace(stream.device, static_cast<std::uint32_t>(devices_.size()));
}

const char* kindOf(const RecordedSpan& span) { return kKindsOfWork[span.work % std::size(kKindsOfWork)]; }

std::string DeviceView::nameOf(const RecordedSpan& span) const {
    const auto found = kernels_.find(span.kernel);
    return span.work == 0 && found != kernels_.end() ? found->second : kindOf(span);
}

std::uint64_t DeviceView::deviceOf(std::uint32_t stream) const {
    const auto found = streams_.find(stream);
    return found == streams_.end() ? 0 : found->second.device;
}

std::string DeviceView::trackName(std::uint32_t stream) const {
    const auto found = streams_.find(stream);
    if (found == streams_.end()) return fmt::format("device stream {}", stream);
    const auto& [handle, device, ordinal, index, immediate, unused] = found->second;
    return fmt::format("device {}, engine {}.{}: {} {:#x}", devices_.at(device), ordinal, index,
                       immediate ? "immediate list" : "queue", handle);
}

}  // namespace zetl::command
