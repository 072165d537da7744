// What copies moved to and from the memory of one tile, and how long they took.
#pragma once

#include <cstdint>

#include "base/mutex.h"

namespace zetl::emulator::machine {

class Tile;

/// The driver reports its copies. Thread-safe.
class Transfers {
  public:
    /// Nanoseconds of the host, and bytes. No value decreases.
    struct Reading {
        std::uint64_t kernelTime = 0;    ///< during which a thread was loaded (Tile::busyTime)
        std::uint64_t copyTime = 0;      ///< during which something was copied
        std::uint64_t bothTime = 0;      ///< the part of both that is the same time
        std::uint64_t bytesRead = 0;     ///< from the memory of devices
        std::uint64_t bytesWritten = 0;  ///< to the memory of devices
        std::uint64_t bytesIn = 0;       ///< the part of bytesWritten that came from the memory of the host
        std::uint64_t bytesOut = 0;      ///< the part of bytesRead that went there
    };

    /// A copy that is in progress on the tile.
    class Copy {
      public:
        Copy(Transfers& transfers, const Tile& tile) : transfers_(transfers), tile_(tile) { transfers_.begin(tile_); }
        ~Copy() { transfers_.end(tile_); }
        Copy(const Copy&) = delete;
        Copy& operator=(const Copy&) = delete;

      private:
        Transfers& transfers_;
        const Tile& tile_;
    };

    enum class Side {
        device,
        host,
        none,  ///< the engine makes the bytes itself
    };
    void moved(Side from, Side to, std::uint64_t bytes);
    Reading read(const Tile& tile) const;

  private:
    void begin(const Tile& tile);
    void end(const Tile& tile);
    Reading now(const Tile& tile) const ZETL_REQUIRES(mutex_);

    mutable Mutex mutex_;
    Reading done_ ZETL_GUARDED_BY(mutex_);  ///< without the copies in progress
    std::uint32_t running_ ZETL_GUARDED_BY(mutex_) = 0;
    std::uint64_t began_ ZETL_GUARDED_BY(mutex_) = 0;          ///< the first of those that run
    std::uint64_t kernelsBefore_ ZETL_GUARDED_BY(mutex_) = 0;  ///< kernelTime at that moment
};

}  // namespace zetl::emulator::machine
