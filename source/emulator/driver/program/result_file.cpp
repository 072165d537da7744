#include "emulator/driver/program/result_file.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>
#include <new>

#include "base/log.h"
#include "base/never_destroyed.h"
#include "base/settings.h"

namespace zetl::emulator::driver {
namespace {

constexpr long kDefaultLimit = 1l << 30;

std::unique_ptr<ResultFile> wantedFile() {
    const auto directory = settings::text(settings::kResults);
    if (!directory || directory->empty()) return nullptr;
    const long limit = std::max(0l, settings::number(settings::kResultsLimit).value_or(kDefaultLimit));
    auto writer = results::Writer::create(*directory, static_cast<std::uint64_t>(limit));
    if (!writer) {
        log::error(log::Channel::emulator, "{}={}: results of launches cannot be written there: {}; name a directory",
                   settings::kResults, *directory, std::strerror(errno));
        return nullptr;
    }
    auto file = std::make_unique<ResultFile>();
    const Lock guard(file->mutex);
    file->writer = std::move(writer);
    return file;
}

}  // namespace

ResultFile* resultFile() noexcept {
    static NeverDestroyed<std::unique_ptr<ResultFile>> made(wantedFile());
    return (*made).get();
}

ResultFile* inputFile() noexcept {
    static const bool wanted = settings::enabled(settings::kResultsInputs);
    return wanted ? resultFile() : nullptr;
}

std::uint64_t keepSource(std::span<const std::uint8_t> spirv) noexcept try {
    ResultFile* const file = inputFile();
    if (file == nullptr) return results::kNoModule;
    const Lock guard(file->mutex);
    return file->writer ? file->writer->keepModule(spirv) : results::kNoModule;
} catch (const std::bad_alloc&) {
    return results::kNoModule;
}

}  // namespace zetl::emulator::driver
