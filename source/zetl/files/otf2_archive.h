/// @file
/// A trace in the Open Trace Format 2, by Score-P's library, which is opened at run time.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>

namespace zetl::command {

struct Otf2Calls;

/// One archive. Definitions and events may come in any order, those of one location in the order of time. All functions
/// throw std::runtime_error if the library refuses.
class Otf2Archive {
  public:
    /// Values of the format.
    enum class Place : std::uint8_t { thread = 1, stream = 2 };
    enum class Group : std::uint8_t { process = 1, accelerator = 2 };
    enum class Role : std::uint8_t { function = 1, barrier = 15, transfer = 30 };

    /// Throws UsageError if the library is missing, or `directory` (outputDirectory() in output_name.h) holds files.
    explicit Otf2Archive(const std::string& directory);
    ~Otf2Archive();
    Otf2Archive(const Otf2Archive&) = delete;
    Otf2Archive& operator=(const Otf2Archive&) = delete;

    const std::string& directory() const { return directory_; }

    /// Hosts are the same if they have one name.
    std::uint32_t addHost(const std::string& name);
    /// `creator`: the process of an accelerator.
    std::uint32_t addGroup(const std::string& name, Group kind, std::uint32_t host, std::uint32_t creator = UINT32_MAX);
    std::uint32_t region(const std::string& name, Role role);
    /// A thread or a stream, with its events between begin and end.
    void beginLocation(const std::string& name, Place kind, std::uint32_t group);
    void enter(std::uint64_t time, std::uint32_t region);
    void leave(std::uint64_t time, std::uint32_t region);
    void endLocation();
    /// Call it once, last. Times are nanoseconds; `realtime`: that of `begin`, since 1970.
    void finish(std::uint64_t begin, std::uint64_t end, std::uint64_t realtime);

  private:
    struct Location {
        std::string name;
        Place kind;
        std::uint32_t group;
        std::uint64_t events;
    };
    std::uint32_t text(const std::string& text);
    void require(int code) const;
    void openEvents();

    std::string directory_;
    std::unique_ptr<const Otf2Calls> calls_;
    void* archive_ = nullptr;
    void* definitions_ = nullptr;
    void* events_ = nullptr;  ///< of the open location
    std::unordered_map<std::string, std::uint32_t> texts_;
    std::unordered_map<std::string, std::uint32_t> hosts_;
    std::unordered_map<std::string, std::uint32_t> regions_;
    std::uint32_t groups_ = 0;
    std::uint64_t locations_ = 0;
    Location location_{};
};

}  // namespace zetl::command
