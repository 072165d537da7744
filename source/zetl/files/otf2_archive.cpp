#include "files/otf2_archive.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <filesystem>
#include <stdexcept>
#include <string_view>

#include "files/output_name.h"
#include "text/usage_error.h"

namespace zetl::command {

namespace fs = std::filesystem;

/// Prior to a flush the library asks whether it may, and afterwards for the time.
struct Otf2FlushCallbacks {
    std::uint8_t (*before)(void* user, std::uint8_t file, std::uint64_t location, void* caller, bool last);
    std::uint64_t (*after)(void* user, std::uint8_t file, std::uint64_t location);
};

/// The part of OTF2's interface, version 10 of its library, that is used.
struct Otf2Calls {
    void* (*open)(const char* directory, const char* name, std::uint8_t mode, std::uint64_t eventChunk,
                  std::uint64_t definitionChunk, std::uint8_t substrate, std::uint8_t compression) = nullptr;
    int (*close)(void* archive) = nullptr;
    int (*setFlush)(void* archive, const Otf2FlushCallbacks* callbacks, void* user) = nullptr;
    int (*setSerial)(void* archive) = nullptr;
    int (*setCreator)(void* archive, const char* creator) = nullptr;
    int (*openEventFiles)(void* archive) = nullptr;
    int (*closeEventFiles)(void* archive) = nullptr;
    int (*openDefinitionFiles)(void* archive) = nullptr;
    int (*closeDefinitionFiles)(void* archive) = nullptr;
    void* (*eventWriter)(void* archive, std::uint64_t location) = nullptr;
    int (*closeEventWriter)(void* archive, void* writer) = nullptr;
    void* (*definitionWriter)(void* archive, std::uint64_t location) = nullptr;
    int (*closeDefinitionWriter)(void* archive, void* writer) = nullptr;
    void* (*globalWriter)(void* archive) = nullptr;
    int (*writeClock)(void* writer, std::uint64_t resolution, std::uint64_t offset, std::uint64_t length,
                      std::uint64_t realtime) = nullptr;
    int (*writeText)(void* writer, std::uint32_t self, const char* text) = nullptr;
    int (*writeRegion)(void* writer, std::uint32_t self, std::uint32_t name, std::uint32_t canonical,
                       std::uint32_t description, std::uint8_t role, std::uint8_t paradigm, std::uint32_t flags,
                       std::uint32_t file, std::uint32_t firstLine, std::uint32_t lastLine) = nullptr;
    int (*writeNode)(void* writer, std::uint32_t self, std::uint32_t name, std::uint32_t kind,
                     std::uint32_t parent) = nullptr;
    int (*writeGroup)(void* writer, std::uint32_t self, std::uint32_t name, std::uint8_t kind, std::uint32_t node,
                      std::uint32_t creator) = nullptr;
    int (*writeLocation)(void* writer, std::uint64_t self, std::uint32_t name, std::uint8_t kind, std::uint64_t events,
                         std::uint32_t group) = nullptr;
    int (*enter)(void* writer, void* attributes, std::uint64_t time, std::uint32_t region) = nullptr;
    int (*leave)(void* writer, void* attributes, std::uint64_t time, std::uint32_t region) = nullptr;
};

namespace {

constexpr const char* kOtf2Libraries[] = {"libotf2.so.10", "libopen-trace-format2.so.10"};  // Score-P's and Debian's
constexpr std::uint32_t kUndefined = UINT32_MAX;
constexpr std::uint64_t kEventChunk = 1 << 20;
constexpr std::uint64_t kDefinitionChunk = 4 << 20;
constexpr std::uint8_t kWrite = 0;
constexpr std::uint8_t kFiles = 1;
constexpr std::uint8_t kUncompressed = 1;
constexpr std::uint8_t kFlush = 1;
constexpr std::uint8_t kUnknownParadigm = 0;

std::uint8_t mayFlush(void*, std::uint8_t, std::uint64_t, void*, bool) { return kFlush; }
constexpr Otf2FlushCallbacks kFlushCallbacks = {mayFlush, nullptr};

template <class F>
void lookIn(void* library, const char* name, F& function) {
    function = reinterpret_cast<F>(dlsym(library, name));
    if (!function) throw UsageError(fmt::format("--otf2: the library lacks {}; install OTF2 3.0 or newer", name));
}

void* otf2Library() {
    for (const auto* name : kOtf2Libraries)
        if (void* library = dlopen(name, RTLD_NOW | RTLD_LOCAL)) return library;
    throw UsageError(
        "--otf2: the library of OTF2 (version 3) is not installed; on Debian, type: apt install "
        "libopen-trace-format2-10");
}

/// The library stays open until the process ends.
std::unique_ptr<Otf2Calls> otf2Calls() {
    void* library = otf2Library();
    auto calls = std::make_unique<Otf2Calls>();
    lookIn(library, "OTF2_Archive_Open", calls->open);
    lookIn(library, "OTF2_Archive_Close", calls->close);
    lookIn(library, "OTF2_Archive_SetFlushCallbacks", calls->setFlush);
    lookIn(library, "OTF2_Archive_SetSerialCollectiveCallbacks", calls->setSerial);
    lookIn(library, "OTF2_Archive_SetCreator", calls->setCreator);
    lookIn(library, "OTF2_Archive_OpenEvtFiles", calls->openEventFiles);
    lookIn(library, "OTF2_Archive_CloseEvtFiles", calls->closeEventFiles);
    lookIn(library, "OTF2_Archive_OpenDefFiles", calls->openDefinitionFiles);
    lookIn(library, "OTF2_Archive_CloseDefFiles", calls->closeDefinitionFiles);
    lookIn(library, "OTF2_Archive_GetEvtWriter", calls->eventWriter);
    lookIn(library, "OTF2_Archive_CloseEvtWriter", calls->closeEventWriter);
    lookIn(library, "OTF2_Archive_GetDefWriter", calls->definitionWriter);
    lookIn(library, "OTF2_Archive_CloseDefWriter", calls->closeDefinitionWriter);
    lookIn(library, "OTF2_Archive_GetGlobalDefWriter", calls->globalWriter);
    lookIn(library, "OTF2_GlobalDefWriter_WriteClockProperties", calls->writeClock);
    lookIn(library, "OTF2_GlobalDefWriter_WriteString", calls->writeText);
    lookIn(library, "OTF2_GlobalDefWriter_WriteRegion", calls->writeRegion);
    lookIn(library, "OTF2_GlobalDefWriter_WriteSystemTreeNode", calls->writeNode);
    lookIn(library, "OTF2_GlobalDefWriter_WriteLocationGroup", calls->writeGroup);
    lookIn(library, "OTF2_GlobalDefWriter_WriteLocation", calls->writeLocation);
    lookIn(library, "OTF2_EvtWriter_Enter", calls->enter);
    lookIn(library, "OTF2_EvtWriter_Leave", calls->leave);
    return calls;
}

/// Made, or empty.
std::string emptyDirectory(const std::string& pattern) try {
    auto directory = outputDirectory(pattern);
    fs::create_directories(directory);
    if (!fs::is_empty(directory))
        throw UsageError(fmt::format("--otf2: {} is not empty; choose another directory", directory));
    return directory;
} catch (const fs::filesystem_error& failure) {
    throw UsageError(fmt::format("--otf2 {}: {}", failure.path1().native(), failure.code().message()));
}

}  // namespace

Otf2Archive::Otf2Archive(const std::string& directory) : calls_(otf2Calls()) { directory_ = emptyDirectory(directory); }

Otf2Archive::~Otf2Archive() {
    if (archive_) calls_->close(archive_);
}

void Otf2Archive::require(int code) const {
    if (code != 0)
        throw std::runtime_error(fmt::format("{}: the library of OTF2 refuses to write (code {})", directory_, code));
}

/// Files are made when there is something to write, so that a run that records nothing leaves none.
void Otf2Archive::openEvents() {
    if (archive_) return;
    archive_ = calls_->open(directory_.c_str(), "traces", kWrite, kEventChunk, kDefinitionChunk, kFiles, kUncompressed);
    require(archive_ ? 0 : -1);
    require(calls_->setFlush(archive_, &kFlushCallbacks, nullptr));
    require(calls_->setSerial(archive_));
    require(calls_->setCreator(archive_, "zetl"));
    require(calls_->openEventFiles(archive_));
    definitions_ = calls_->globalWriter(archive_);
    require(definitions_ ? 0 : -1);
}

std::uint32_t Otf2Archive::text(const std::string& text) {
    const auto [found, isNew] = texts_.try_emplace(text, static_cast<std::uint32_t>(texts_.size()));
    if (isNew) require(calls_->writeText(definitions_, found->second, text.c_str()));
    return found->second;
}

std::uint32_t Otf2Archive::addHost(const std::string& name) {
    const auto [found, isNew] = hosts_.try_emplace(name, static_cast<std::uint32_t>(hosts_.size() + 1));
    if (!isNew) return found->second;
    openEvents();
    if (hosts_.size() == 1) require(calls_->writeNode(definitions_, 0, text("machine"), text("machine"), kUndefined));
    require(calls_->writeNode(definitions_, found->second, text(name), text("node"), 0));
    return found->second;
}

std::uint32_t Otf2Archive::addGroup(const std::string& name, Group kind, std::uint32_t host, std::uint32_t creator) {
    require(calls_->writeGroup(definitions_, groups_, text(name), static_cast<std::uint8_t>(kind), host, creator));
    return groups_++;
}

std::uint32_t Otf2Archive::region(const std::string& name, Role role) {
    const auto [found, isNew] = regions_.try_emplace(name, static_cast<std::uint32_t>(regions_.size()));
    if (isNew)
        require(calls_->writeRegion(definitions_, found->second, text(name), text(name), text(""),
                                    static_cast<std::uint8_t>(role), kUnknownParadigm, 0, kUndefined, 0, 0));
    return found->second;
}

void Otf2Archive::beginLocation(const std::string& name, Place kind, std::uint32_t group) {
    location_ = {name, kind, group, 0};
    events_ = calls_->eventWriter(archive_, locations_);
    require(events_ ? 0 : -1);
}

void Otf2Archive::enter(std::uint64_t time, std::uint32_t region) {
    require(calls_->enter(events_, nullptr, time, region));
    ++location_.events;
}

void Otf2Archive::leave(std::uint64_t time, std::uint32_t region) {
    require(calls_->leave(events_, nullptr, time, region));
    ++location_.events;
}

void Otf2Archive::endLocation() {
    require(calls_->closeEventWriter(archive_, events_));
    require(calls_->writeLocation(definitions_, locations_++, text(location_.name),
                                  static_cast<std::uint8_t>(location_.kind), location_.events, location_.group));
}

/// Readers expect a file of local definitions for each location, though it is empty.
void Otf2Archive::finish(std::uint64_t begin, std::uint64_t end, std::uint64_t realtime) {
    openEvents();
    require(calls_->writeClock(definitions_, 1'000'000'000, begin, end - begin, realtime));
    require(calls_->closeEventFiles(archive_));
    require(calls_->openDefinitionFiles(archive_));
    for (std::uint64_t location = 0; location < locations_; ++location) {
        auto* writer = calls_->definitionWriter(archive_, location);
        require(writer ? 0 : -1);
        require(calls_->closeDefinitionWriter(archive_, writer));
    }
    require(calls_->closeDefinitionFiles(archive_));
    require(calls_->close(archive_));
    archive_ = nullptr;
}

}  // namespace zetl::command
