#include "core/kernel_table.h"

#include <ze_tools_layer/correlation.h>

#include <algorithm>
#include <charconv>

namespace zetl::debugger {
namespace {

/// One line of the compiler's YAML, which has one entry per line: "  - name:   value".
struct Entry {
    std::size_t indent = 0;
    bool beginsItem = false;
    std::string_view key;
    std::string_view value;
};

std::string_view trimmed(std::string_view text) {
    const auto first = text.find_first_not_of(" '\r");
    if (first == std::string_view::npos) return {};
    return text.substr(first, text.find_last_not_of(" '\r") - first + 1);
}

std::optional<Entry> entryFrom(std::string_view line) {
    Entry entry;
    entry.indent = std::min(line.find_first_not_of(' '), line.size());
    entry.beginsItem = line.substr(entry.indent).starts_with("- ");
    if (entry.beginsItem) entry.indent += 2;
    const auto colon = line.find(':', entry.indent);
    if (colon == std::string_view::npos) return std::nullopt;
    entry.key = trimmed(line.substr(entry.indent, colon - entry.indent));
    entry.value = trimmed(line.substr(colon + 1));
    return entry;
}

std::uint32_t numberIn(std::string_view text) {
    std::uint32_t value = 0;
    std::from_chars(text.data(), text.data() + text.size(), value);
    return value;
}

constexpr std::uint32_t kDataGranularity = 32;

class KernelReader {
  public:
    void take(const Entry& entry) {
        if (entry.indent == 0) {
            endArgument();
            inKernels_ = entry.key == "kernels";
        }
        if (!inKernels_) return;
        if (entry.indent == 4 && entry.beginsItem) begin(entry);
        if (kernels_.empty()) return;
        if (entry.indent == 4) {
            section_ = std::string(entry.key);
            endArgument();
        }
        if (entry.indent > 4) field(entry);
    }
    std::vector<KernelInfo> end() {
        endArgument();
        for (auto& each : kernels_)
            each.crossThreadBytes =
                (each.crossThreadBytes + kDataGranularity - 1) / kDataGranularity * kDataGranularity;
        return std::move(kernels_);
    }

  private:
    void begin(const Entry& entry) {
        endArgument();
        kernels_.emplace_back();
        if (entry.key == "name") kernels_.back().name = entry.value;
    }
    void field(const Entry& entry) {
        auto& kernel = kernels_.back();
        if (section_ == "execution_env") {
            if (entry.key == "simd_size") kernel.simd = numberIn(entry.value);
            if (entry.key == "grf_count") kernel.registers = numberIn(entry.value);
        } else if (section_.ends_with("payload_arguments")) {
            if (entry.beginsItem) endArgument();
            if (entry.key == "arg_type") type_ = entry.value;
            if (entry.key == "offset") offset_ = numberIn(entry.value);
            if (entry.key == "size") size_ = numberIn(entry.value);
        }
    }
    void endArgument() {
        if (!type_.empty() && !kernels_.empty()) {
            auto& kernel = kernels_.back();
            if (type_ == "local_id") kernel.localIdBytes = size_;
            if (type_ == "local_size" || (type_ == "enqueued_local_size" && !kernel.localSize))
                kernel.localSize = offset_;
            if (type_ == "global_id_offset") kernel.globalOffset = offset_;
            if (type_ != "local_id") kernel.crossThreadBytes = std::max(kernel.crossThreadBytes, offset_ + size_);
        }
        type_.clear();
        offset_ = size_ = 0;
    }

    std::vector<KernelInfo> kernels_;
    bool inKernels_ = false;
    std::string section_;
    std::string type_;
    std::uint32_t offset_ = 0;
    std::uint32_t size_ = 0;
};

}  // namespace

std::vector<KernelInfo> kernelsFrom(std::string_view zeInfo) {
    KernelReader reader;
    while (!zeInfo.empty()) {
        const auto end = std::min(zeInfo.find('\n'), zeInfo.size());
        if (const auto entry = entryFrom(zeInfo.substr(0, end))) reader.take(*entry);
        zeInfo.remove_prefix(std::min(end + 1, zeInfo.size()));
    }
    return reader.end();
}

std::vector<KernelInfo> kernelsOfCubin(std::span<const std::uint8_t> image) {
    std::string failure;
    const auto binary = correlation::Binary::read(image, failure);
    std::vector<KernelInfo> all;
    if (!binary) return all;
    for (const auto& each : binary->kernels())
        if (each.launchable) {
            all.emplace_back();
            all.back().name = each.name;
            all.back().simd = each.simdWidth;
            all.back().registers = each.registers;
        }
    return all;
}

}  // namespace zetl::debugger
