#include "metrics/calculation/export_data.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/log.h"
#include "metrics/calculation/descriptor_text.h"
#include "metrics/calculation/equation.h"

namespace zetl::metrics {
namespace {

ze_result_t refuse(ze_result_t code, std::string_view why) {
    log::warn(log::Channel::metrics, "exported metric data are refused: {}", why);
    return code;
}

/// SUCCESS if head, descriptor and raw data are all there.
ze_result_t check(const ExportHead& head, std::size_t bytes) {
    if (head.version != ExportHead::kVersion || head.headBytes < sizeof head)
        return refuse(ZE_RESULT_ERROR_INVALID_ARGUMENT, "they are of another version; use the one that exported them");
    if (head.descriptorBytes > ExportHead::kMostDescriptorBytes)
        return refuse(ZE_RESULT_ERROR_INVALID_ARGUMENT, "their description is too long");
    if (head.headBytes > bytes || head.descriptorBytes > bytes - head.headBytes ||
        head.rawBytes > bytes - head.headBytes - head.descriptorBytes)
        return refuse(ZE_RESULT_ERROR_INVALID_SIZE, "their end is missing");
    return ZE_RESULT_SUCCESS;
}

}  // namespace

std::size_t exportedBytes(const Descriptor& descriptor, std::size_t rawBytes) {
    return sizeof(ExportHead) + textOf(descriptor).size() + rawBytes;
}

void exportData(const Descriptor& descriptor, std::span<const std::byte> raw, std::byte* target) {
    const auto text = textOf(descriptor);
    ExportHead head;
    head.descriptorBytes = text.size();
    head.rawBytes = raw.size();
    std::memcpy(target, &head, sizeof head);
    std::memcpy(target + sizeof head, text.data(), text.size());
    std::ranges::copy(raw, target + sizeof head + text.size());
}

bool isExportedData(std::span<const std::byte> bytes) noexcept {
    const ExportHead expected;
    return bytes.size() >= sizeof expected.magic &&
           std::memcmp(bytes.data(), expected.magic, sizeof expected.magic) == 0;
}

Result<ExportedData> readExportedData(std::span<const std::byte> bytes) {
    ExportHead head;
    if (bytes.size() >= sizeof head.magic && !isExportedData(bytes))
        return refuse(ZE_RESULT_ERROR_INVALID_ARGUMENT, "they are not what zetMetricGroupGetExportDataExp gave");
    if (bytes.size() < sizeof head) return refuse(ZE_RESULT_ERROR_INVALID_SIZE, "they are shorter than their head");
    std::memcpy(&head, bytes.data(), sizeof head);
    if (const auto result = check(head, bytes.size()); result != ZE_RESULT_SUCCESS) return result;
    const auto* const text = reinterpret_cast<const char*>(bytes.data() + head.headBytes);
    try {
        auto calculator = std::make_unique<const Calculator>(descriptorFrom({text, head.descriptorBytes}));
        return ExportedData{std::move(calculator), bytes.subspan(head.headBytes + head.descriptorBytes, head.rawBytes)};
    } catch (const DescriptionError& error) {
        return refuse(ZE_RESULT_ERROR_INVALID_ARGUMENT, error.what());
    }
}

}  // namespace zetl::metrics
