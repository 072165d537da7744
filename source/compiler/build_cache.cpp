#include "compiler/build_cache.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <memory>
#include <string_view>

#include "base/file_descriptor.h"
#include "base/log.h"
#include "base/settings.h"
#include "base/write_signals.h"
#include "compiler/environment.h"
#include "compiler/process.h"
#include "compiler/start.h"

namespace zetl::compiler {
namespace {

constexpr const char* kFormat = "zetl build 2";  // of an entry; another one is not read
constexpr mode_t kOnlyTheUser = 0700;
constexpr mode_t kWritableByOthers = 0022;

/// All that decides the result of a build.
Bytes keyOf(Command command) {
    command.seconds = 0;
    Packer packer;
    packer.add(std::string(kFormat));
    packer.add(std::string(command.program.name));
    packer.add(pack(command));
    // Nothing is added for the system's compiler, by whatever name the library is found.
    if (const Start start = Start::of(command); !start.bundle.empty()) packer.add(start.bundle);
    const Environment environment(environ);
    for (const std::string& each : environment.variables())
        if (decidesBuilds(each.substr(0, each.find('=')))) packer.add(each);
    return packer.take();
}

/// FNV-1a: against accidents. Entries are told apart by their whole key.
std::uint64_t hashOf(std::span<const std::uint8_t> bytes) {
    std::uint64_t hash = 0xcbf29ce484222325;
    for (const std::uint8_t byte : bytes) hash = (hash ^ byte) * 0x100000001b3;
    return hash;
}

constexpr std::string_view kEntrySuffix = ".build";
constexpr std::string_view kDraftSuffix = ".draft";
constexpr std::size_t kHashDigits = 16;

std::string nameOf(const Bytes& key) { return fmt::format("{:016x}{}", hashOf(key), kEntrySuffix); }

bool isMadeOf(std::string_view text, std::string_view characters) {
    return !text.empty() && text.find_first_not_of(characters) == std::string_view::npos;
}

bool isEntry(std::string_view name) {
    if (!name.ends_with(kEntrySuffix)) return false;
    name.remove_suffix(kEntrySuffix.size());
    return name.size() == kHashDigits && isMadeOf(name, "0123456789abcdef");
}

/// "<pid>.<number>.draft"
bool isDraft(std::string_view name) {
    if (!name.ends_with(kDraftSuffix)) return false;
    name.remove_suffix(kDraftSuffix.size());
    const auto dot = std::min(name.find('.'), name.size());
    return isMadeOf(name.substr(0, dot), "0123456789") &&
           isMadeOf(name.substr(std::min(dot + 1, name.size())), "0123456789");
}

Bytes packEntry(const Bytes& key, const Answer& answer) {
    const Bytes packed = pack(answer);
    Packer packer;
    packer.add(key);
    packer.add(packed);
    packer.add(hashOf(packed));
    return packer.take();
}

std::optional<Answer> unpackEntry(const Bytes& entry, const Bytes& key) {
    Unpacker unpacker(entry);
    if (!std::ranges::equal(unpacker.bytes(), key)) return std::nullopt;
    const auto packed = unpacker.bytes();
    const bool sound = unpacker.number<std::uint64_t>() == hashOf(packed) && unpacker.done();
    return sound ? unpackAnswer(packed) : std::nullopt;
}

bool isOurs(int descriptor, mode_t kind, struct stat& found) {
    return fstat(descriptor, &found) == 0 && (found.st_mode & S_IFMT) == kind && found.st_uid == geteuid() &&
           (found.st_mode & kWritableByOthers) == 0;
}

/// None if there is no such directory, or if other users could have filled it.
FileDescriptor openDirectory(const std::string& path, bool create) {
    if (path.empty()) return FileDescriptor();
    if (create) {
        std::error_code ignored;
        std::filesystem::create_directories(std::filesystem::path(path).parent_path(), ignored);
        mkdir(path.c_str(), kOnlyTheUser);
    }
    FileDescriptor directory(open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    struct stat found {};
    return directory && isOurs(directory.get(), S_IFDIR, found) ? std::move(directory) : FileDescriptor();
}

/// The bytes of a file that belongs to this user; empty if it does not.
Bytes readFile(int directory, const std::string& name, std::uint64_t maxBytes) {
    const FileDescriptor file(openat(directory, name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
    struct stat found {};
    if (!file || !isOurs(file.get(), S_IFREG, found) || static_cast<std::uint64_t>(found.st_size) > maxBytes) return {};
    Bytes bytes(static_cast<std::size_t>(found.st_size));
    std::size_t done = 0;
    for (ssize_t now = 1; now > 0 && done < bytes.size(); done += static_cast<std::size_t>(std::max<ssize_t>(now, 0)))
        now = read(file.get(), &bytes[done], bytes.size() - done);
    bytes.resize(done);
    return bytes;
}

bool writeAll(int file, const Bytes& bytes) {
    const WriteSignalsHeld held;
    for (std::size_t done = 0; done < bytes.size();) {
        const ssize_t now = write(file, &bytes[done], bytes.size() - done);
        if (now <= 0) return false;
        done += static_cast<std::size_t>(now);
    }
    return true;
}

/// Writes it under another name first, so that a reader finds all of it or nothing.
bool writeFile(int directory, const std::string& name, const Bytes& bytes) {
    static std::atomic<unsigned> last{0};
    const std::string draft = fmt::format("{}.{}{}", getpid(), ++last, kDraftSuffix);
    const FileDescriptor file(openat(directory, draft.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
    if (!file) return false;
    if (writeAll(file.get(), bytes) && renameat(directory, draft.c_str(), directory, name.c_str()) == 0) return true;
    unlinkat(directory, draft.c_str(), 0);
    return false;
}

struct Entry {
    std::string name;
    std::uint64_t bytes;
    timespec used;
};

/// Files of the cache's own: the directory may hold others, which are somebody's.
std::vector<Entry> entriesOf(int directory) {
    std::vector<Entry> entries;
    FileDescriptor own(fcntl(directory, F_DUPFD_CLOEXEC, 0));
    const std::unique_ptr<DIR, int (*)(DIR*)> listing(fdopendir(own.get()), closedir);
    if (listing) own.release();
    while (const dirent* each = listing ? readdir(listing.get()) : nullptr) {
        if (!isEntry(each->d_name) && !isDraft(each->d_name)) continue;
        struct stat found {};
        if (fstatat(directory, each->d_name, &found, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(found.st_mode))
            entries.push_back({each->d_name, static_cast<std::uint64_t>(found.st_size), found.st_mtim});
    }
    return entries;
}

/// Unfinished drafts count, too, and are removed like all others.
void makeRoom(int directory, std::uint64_t maxBytes) {
    auto entries = entriesOf(directory);
    std::uint64_t all = 0;
    for (const Entry& each : entries) all += each.bytes;
    if (all <= maxBytes) return;
    std::ranges::sort(entries, {}, [](const Entry& each) { return std::pair(each.used.tv_sec, each.used.tv_nsec); });
    for (const Entry& each : entries) {
        if (all <= maxBytes / 4 * 3) return;  // some room, so that not every build looks for more
        if (unlinkat(directory, each.name.c_str(), 0) == 0) all -= each.bytes;
    }
}

bool isUnchanged(const FileStamp& file) { return FileStamp::of(file.path) == file; }

std::string defaultDirectory() {
    constexpr const char* kPlace = "ze-tools-layer/builds";
    if (const auto cache = settings::text("XDG_CACHE_HOME"); cache && cache->starts_with('/'))
        return *cache + "/" + kPlace;
    const auto home = settings::text("HOME");
    std::error_code ignored;
    const bool there = home && home->starts_with('/') && std::filesystem::is_directory(*home, ignored);
    return there ? *home + "/.cache/" + kPlace : std::string();  // a home that is missing is not ours to make
}

}  // namespace

BuildCache BuildCache::ofUser() {
    const auto named = settings::text(settings::kBuildCache);
    return BuildCache(named ? *named : defaultDirectory());
}

std::optional<Answer> BuildCache::find(const Command& command) const {
    const FileDescriptor directory = openDirectory(directory_, false);
    if (!directory) return std::nullopt;
    const Bytes key = keyOf(command);
    const std::string name = nameOf(key);
    auto answer = unpackEntry(readFile(directory.get(), name, maxBytes_), key);
    if (!answer || !std::ranges::all_of(answer->made, isUnchanged)) return std::nullopt;
    utimensat(directory.get(), name.c_str(), nullptr, 0);
    return answer;
}

void BuildCache::keep(const Command& command, const Answer& answer) const {
    if (!answer.missing.empty() || answer.code != 0 || answer.output.empty() || answer.made.empty()) return;
    const FileDescriptor directory = openDirectory(directory_, true);
    if (!directory) return;
    const Bytes key = keyOf(command);
    const Bytes entry = packEntry(key, answer);
    if (entry.size() > maxBytes_ / 4 || !writeFile(directory.get(), nameOf(key), entry)) return;
    makeRoom(directory.get(), maxBytes_);
}

std::optional<Answer> builtBefore(const Command& command) {
    auto known = BuildCache::ofUser().find(command);
    if (known)
        log::debug(command.program.channel, "a module of {} bytes comes from the cache of builds",
                   known->output.size());
    return known;
}

Answer build(const Command& command) {
    if (auto known = builtBefore(command)) return *std::move(known);
    Answer answer = run(command);
    try {
        BuildCache::ofUser().keep(command, answer);
    } catch (const std::bad_alloc&) {
        log::debug(command.program.channel, "a build is not kept: the host is out of memory");
    }
    return answer;
}

}  // namespace zetl::compiler
