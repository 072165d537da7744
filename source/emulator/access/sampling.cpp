// Section "sampling": where threads spend their cycles, by instruction, as the timing model says.
#include "provider/sampling.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "base/log.h"
#include "base/mutex.h"
#include "base/settings.h"
#include "emulator/access/collecting.h"
#include "emulator/access/module_table.h"
#include "emulator/access/queries.h"
#include "emulator/access/sections.h"
#include "emulator/peers/others_stalls.h"

namespace zetl::emulator::access {
namespace {

using machine::kStallReasons;
using machine::StallCycles;

/// The emulated device computes about a thousandth of what hardware does in the same time: a period of time stands for
/// so much less of its core clock, or hardly a kernel would run for one.
constexpr std::uint64_t kSlowness = 1000;
constexpr std::uint64_t kNanosecondsPerMicrosecond = 1000;

/// Whether samples are of all processes of the user.
bool coversUser() {
    const auto scope = settings::text(settings::kSamplingScope).value_or("user");
    if (scope != "user" && scope != "process")
        log::warn(log::Channel::emulator, "{}={} is not known: set user or process", settings::kSamplingScope, scope);
    return scope != "process";
}

/// One open stream. A thread that is loaded is looked at once a period of its core clock; as every cycle is known, the
/// number of looks that find it at an instruction for a reason is its cycles there by the period.
class SamplingStream final : public provider::InstructionStream {
  public:
    SamplingStream(driver::Device& device, zetl_stream_options_t& options)
        : device_(device),
          others_(coversUser() ? peers::OthersStalls::of(device.machine()) : nullptr),
          collecting_(device, machine::ModelDetail::full),
          period_(std::max<std::uint64_t>(
              1, options.period_ns * device.profile().coreClockMhz / (kNanosecondsPerMicrosecond * kSlowness))),
          capacity_(std::max<std::uint64_t>(options.capacity, 1)) {
        options.period_ns = period_ * kNanosecondsPerMicrosecond * kSlowness / device.profile().coreClockMhz;
        options.capacity = capacity_;
        taken_ = read();
        since_ = now();
    }

    /// Looks that wait, of which no more are kept than there is room for.
    std::uint64_t pending() override {
        const Lock guard(mutex_);
        std::uint64_t sum = 0;
        for (const Look& each : looks()) sum += each.count;
        return std::min(sum, capacity_);
    }

    /// Writes up to `capacity` samples and forgets them. How many; with capacity 0 how many there are. Of more looks
    /// than there is room for, each instruction and reason keeps its share: looks come in no order that could say which
    /// were first.
    std::uint64_t drain(std::uint64_t capacity, zetl_sample_t* samples, zetl_loss_t& loss) override {
        const Lock guard(mutex_);
        const auto all = looks();
        Share share(all, capacity_);
        std::uint64_t written = 0;
        std::uint64_t dropped = 0;
        for (const Look& each : all) {
            const std::uint64_t fits = share.of(each.count);
            if (fits != 0 && capacity != 0 && written == capacity) break;
            if (capacity == 0) {
                written += fits != 0;
                continue;
            }
            taken_[each.place][each.reason] += each.count * period_;
            dropped += each.count - fits;
            if (fits != 0) samples[written++] = {moduleAt(each.place), each.place.address, fits, each.reason, 0};
        }
        return finish(written, dropped, loss);
    }

  private:
    /// An instruction of this process, or of another one, which may have the same address.
    struct Place {
        std::uint64_t address = 0;
        bool others = false;
        auto operator<=>(const Place&) const = default;
    };
    using Cycles = std::map<Place, StallCycles>;

    /// Looks that found a thread at an instruction for a reason, and wait to be read.
    struct Look {
        Place place;
        std::uint32_t reason;
        std::uint64_t count;
    };
    std::vector<Look> looks() const ZETL_REQUIRES(mutex_) {
        std::vector<Look> all;
        for (const auto& [place, cycles] : read()) {
            const auto before = taken_.find(place);
            for (std::uint32_t reason = 0; reason < kStallReasons; ++reason) {
                const std::uint64_t taken = before == taken_.end() ? 0 : before->second[reason];
                const std::uint64_t count = since(taken, cycles[reason]) / period_;
                if (count != 0) all.push_back({place, reason, count});
            }
        }
        return all;
    }

    /// How many of each part of `all`, one after the other, there is room for. The sum is exact.
    class Share {
      public:
        Share(const std::vector<Look>& all, std::uint64_t room) : room_(room) {
            for (const Look& each : all) total_ += each.count;
        }
        std::uint64_t of(std::uint64_t count) noexcept {
            if (total_ <= room_) return count;
            const auto before = keptOf(seen_);
            seen_ += count;
            return keptOf(seen_) - before;
        }

      private:
        __extension__ using Wide = unsigned __int128;
        std::uint64_t keptOf(std::uint64_t seen) const noexcept {
            return static_cast<std::uint64_t>(Wide{seen} * room_ / total_);
        }
        const std::uint64_t room_;
        std::uint64_t total_ = 0;
        std::uint64_t seen_ = 0;
    };

    /// The growth since the last look; 0 if a look at dispatches that ran together had counted more than there were.
    static std::uint64_t since(std::uint64_t before, std::uint64_t now) noexcept {
        return std::max(before, now) - before;
    }

    Cycles read() const {
        Cycles all;
        for (std::uint32_t tile = 0; tile < device_.tiles(); ++tile) {
            for (const machine::InstructionStalls& each : device_.tile(tile).stalls())
                add(all[{each.address, false}], each.cycles);
            if (!others_) continue;
            peers::StallsOfTile ofTile;
            others_->addTo(ofTile, device_.tile(tile).index());
            for (const auto& [address, cycles] : ofTile) add(all[{address, true}], cycles);
        }
        return all;
    }
    static void add(StallCycles& sum, const StallCycles& cycles) noexcept {
        for (std::size_t reason = 0; reason < kStallReasons; ++reason) sum[reason] += cycles[reason];
    }
    /// 0 for code of another process.
    zetl_module_t moduleAt(const Place& place) const {
        return place.others ? 0 : ModuleTable::instance().holding(device_, place.address);
    }
    std::uint64_t now() const { return device_.profile().reportTimeWidth().cut(device_.tile(0).counters().timestamp); }
    std::uint64_t finish(std::uint64_t written, std::uint64_t dropped, zetl_loss_t& loss) ZETL_REQUIRES(mutex_) {
        const std::uint64_t until = now();
        loss = {sizeof loss, dropped == 0 ? ZETL_LOSS_NONE : ZETL_LOSS_GAP, since_, until, dropped};
        since_ = until;
        return written;
    }

    driver::Device& device_;
    const std::shared_ptr<peers::OthersStalls> others_;  ///< null: samples are of this process alone
    const Collecting collecting_;
    const std::uint64_t period_;  // cycles
    const std::uint64_t capacity_;
    mutable Mutex mutex_;
    Cycles taken_ ZETL_GUARDED_BY(mutex_);
    std::uint64_t since_ ZETL_GUARDED_BY(mutex_) = 0;
};

class EmulatedSampling final : public provider::Sampling<Backend> {
  public:
    zetl_status_t reasons(const char*, std::vector<const char*>& names) const override {
        for (std::uint32_t i = 0; i < kStallReasons; ++i)
            names.push_back(machine::nameOf(static_cast<machine::StallReason>(i)));
        return ZETL_OK;
    }
    provider::Made<provider::InstructionStream> open(const std::shared_ptr<Lease>& lease,
                                                     zetl_stream_options_t& options) const override {
        return std::make_shared<SamplingStream>(*lease->device, options);
    }
};

}  // namespace

const zetl_sampling_functions_t kSamplingFunctions = provider::SamplingTable<EmulatedSampling>::kFunctions;

}  // namespace zetl::emulator::access
