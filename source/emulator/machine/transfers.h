// What copies moved to and from the memory of one tile, and how long they took.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "base/mutex.h"

namespace zetl::emulator::machine {

class Tile;

/// The driver reports its copies. Thread-safe.
class Transfers {
  public:
    /// Of these engines, whose lists and queues a copy comes from.
    enum class Engine { compute, copy };

    /// Nanoseconds of the host, and bytes. No value decreases.
    struct Reading {
        std::uint64_t computeTime =
            0;  ///< during which a thread was loaded (Tile::busyTime), or the compute engine copied
        std::uint64_t copyTime = 0;      ///< during which the copy engine copied
        std::uint64_t bothTime = 0;      ///< the part of both that is the same time
        std::uint64_t bytesRead = 0;     ///< from the memory of devices
        std::uint64_t bytesWritten = 0;  ///< to the memory of devices
        std::uint64_t bytesIn = 0;       ///< the part of bytesWritten that came from the memory of the host
        std::uint64_t bytesOut = 0;      ///< the part of bytesRead that went there
    };

    /// A copy that is in progress on the tile.
    class Copy {
      public:
        Copy(Transfers& transfers, const Tile& tile, Engine engine)
            : transfers_(transfers), tile_(tile), engine_(engine) {
            transfers_.begin(tile_, engine_);
        }
        ~Copy() { transfers_.end(tile_, engine_); }
        Copy(const Copy&) = delete;
        Copy& operator=(const Copy&) = delete;

      private:
        Transfers& transfers_;
        const Tile& tile_;
        const Engine engine_;
    };

    enum class Side {
        device,
        host,
        none,  ///< the engine makes the bytes itself
    };
    void moved(Side from, Side to, std::uint64_t bytes);
    Reading read(const Tile& tile);

  private:
    void begin(const Tile& tile, Engine engine);
    void end(const Tile& tile, Engine engine);
    /// Counts up to now.
    void advance(const Tile& tile) ZETL_REQUIRES(mutex_);
    std::uint32_t& running(Engine engine) ZETL_REQUIRES(mutex_) { return running_[static_cast<std::size_t>(engine)]; }

    Mutex mutex_;
    Reading done_ ZETL_GUARDED_BY(mutex_);                               ///< up to the last count
    std::array<std::uint32_t, 2> running_ ZETL_GUARDED_BY(mutex_) = {};  ///< copies, by engine
    std::uint64_t counted_ ZETL_GUARDED_BY(mutex_) = 0;                  ///< when it was
    std::uint64_t loaded_ ZETL_GUARDED_BY(mutex_) = 0;                   ///< Tile::busyTime of that moment
};

}  // namespace zetl::emulator::machine
