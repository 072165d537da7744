#include "emulator/peers/counting_service.h"

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <optional>
#include <thread>
#include <vector>

#include "base/polling_thread.h"
#include "emulator/peers/counted_device.h"
#include "emulator/peers/log_channel.h"
#include "emulator/peers/meeting_place.h"
#include "emulator/peers/past_use.h"
#include "emulator/peers/sampled_device.h"
#include "emulator/peers/use_record.h"
#include "endpoint/unshared_descriptor.h"

namespace zetl::emulator::peers {
namespace {

/// Between looks at something that is about to happen.
constexpr std::chrono::milliseconds kMoment{1};
/// After a failure because memory, descriptors or room in a reader's queue ran out.
constexpr std::chrono::milliseconds kPause{100};
constexpr std::size_t kMostReaders = 64;
constexpr std::size_t kMostCallers = 64;

// places among what is polled
constexpr std::size_t kListening = 0;
constexpr std::size_t kUsing = 1;
constexpr std::size_t kFirstReader = 3;  // behind what wakes the thread

}  // namespace

class CountingService::Service {
  public:
    Service(MeetingPlace place, endpoint::Listening listening, endpoint::Listening asked, FileDescriptor wake,
            machine::Machine& machine)
        : machine_(machine),
          place_(std::move(place)),
          listening_(std::move(listening.socket)),
          name_(std::move(listening.name)),
          asked_(std::move(asked.socket)),
          askedName_(std::move(asked.name)),
          thread_(std::move(wake)) {
        for (std::uint32_t i = 0; i < machine.devices(); ++i) {
            devices_.push_back(std::make_unique<CountedDevice>(machine.device(i)));
            devices_.push_back(std::make_unique<SampledDevice>(machine.device(i)));
        }
    }
    /// At the ordinary end of the process, which shows itself no longer then.
    void leaveSums() const noexcept try {
        if (getpid() != process_ || !askedName_) return;
        constexpr std::chrono::milliseconds kPastLimit{2000};
        std::vector<PastUse> locked;  // all of them, so that nobody finds the name gone and the sums missing
        for (std::uint32_t i = 0; i < machine_.devices(); ++i)
            if (auto past = PastUse::lock(place_.descriptor(), pastName(machine_.device(i)), kPastLimit)) {
                past->add(useOf(machine_.device(i)));
                locked.push_back(*std::move(past));
            }
        askedName_->withdraw();
    } catch (const std::exception&) {  // memory is short: the sums are lost
    }

    /// False if the system gives no thread.
    bool begin() {
        lookForReaders();
        return thread_.start(kLog, "zetl-counts", [this]() noexcept { run(); });
    }

  private:
    void run() noexcept {
        while (!thread_.ending()) {
            try {
                serveOnce();
            } catch (const std::exception& failure) {  // memory is short
                log::warn(kLog, "a process that reads counters has to wait: {}", failure.what());
                again_ = true;
                std::this_thread::sleep_for(kPause);
            }
        }
    }

    void serveOnce() {
        polled_.assign({{listening_.get(), POLLIN, 0}, {asked_.get(), POLLIN, 0}, {thread_.wake(), POLLIN, 0}});
        for (const auto& device : devices_)
            for (const auto& reader : device->readers()) polled_.push_back({reader->socket.get(), 0, 0});
        const int limit = again_ ? static_cast<int>(kPause.count()) : -1;
        if (poll(polled_.data(), polled_.size(), limit) < 0) {
            if (errno != EINTR) std::this_thread::sleep_for(kPause);
            return;
        }
        if ((polled_[kUsing].revents & POLLIN) != 0) answerQuestions();
        dropReaders();
        if ((polled_[kListening].revents & POLLIN) != 0 || again_) answerCallers();
    }

    void answerQuestions() {
        for (std::size_t i = 0; i < kMostCallers; ++i) {
            const FileDescriptor caller(accept4(asked_.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
            if (!caller) break;
            answerUse(caller.get(), machine_);
        }
        if (errno == EMFILE || errno == ENFILE || errno == ENOMEM) std::this_thread::sleep_for(kPause);
    }

    /// Those whose connection has ended, in the order in which they were polled.
    void dropReaders() {
        std::vector<std::pair<DeviceReaders*, std::string>> gone;
        std::size_t at = kFirstReader;
        for (const auto& device : devices_)
            for (const auto& reader : device->readers())
                if (polled_[at++].revents != 0) gone.emplace_back(device.get(), reader->name);
        for (const auto& [device, name] : gone) {
            device->remove(name);
            tidy(name);
        }
    }

    /// A reader that is being killed may still listen for a moment.
    void tidy(const std::string& name) const {
        constexpr int kTries = 5;
        for (int i = 0; i < kTries && !place_.removeIfDead(name); ++i) std::this_thread::sleep_for(kMoment);
    }

    /// A caller waits until its connection is closed: readers have been looked for then.
    void answerCallers() {
        again_ = false;
        std::vector<FileDescriptor> callers;
        while (callers.size() < kMostCallers) {
            FileDescriptor caller(accept4(listening_.get(), nullptr, nullptr, SOCK_CLOEXEC));
            if (!caller) break;
            callers.push_back(std::move(caller));
        }
        if (errno == EMFILE || errno == ENFILE || errno == ENOMEM) std::this_thread::sleep_for(kPause);
        lookForReaders();
        callers.clear();
        std::this_thread::sleep_for(kMoment);  // somebody who calls again and again gets no more than this
    }

    void lookForReaders() {
        for (const auto& device : devices_)
            for (const auto& name : place_.others(device->kind())) meet(*device, name);
    }

    void meet(DeviceReaders& device, const std::string& name) {
        if (device.knows(name) || device.readers().size() >= kMostReaders) return;
        errno = 0;
        auto socket = place_.connect(name);
        again_ = again_ || errno == EAGAIN;
        if (socket) device.add(name, std::move(socket));
    }

    machine::Machine& machine_;
    const pid_t process_ = getpid();
    const MeetingPlace place_;
    const endpoint::UnsharedDescriptor listening_;
    const std::unique_ptr<endpoint::PublishedName> name_;
    const endpoint::UnsharedDescriptor asked_;  ///< none: nobody can ask
    const std::unique_ptr<endpoint::PublishedName> askedName_;
    std::vector<std::unique_ptr<DeviceReaders>> devices_;  ///< as they are counted, and as they are sampled
    std::vector<pollfd> polled_;
    bool again_ = false;  ///< some reader could not be reached yet
    PollingThread thread_;
};

std::unique_ptr<CountingService> CountingService::start(machine::Machine& machine) noexcept try {
    constexpr const char* kUnseen = "other processes do not see what this one counts";
    std::string refusal;
    auto place = MeetingPlace::find(refusal);
    if (!place) {
        log::info(kLog, "{}: {}", kUnseen, refusal);
        return nullptr;
    }
    if (!refusal.empty()) log::info(kLog, "{}", refusal);
    auto listening = place->listen(kCountingKind);
    auto asked = place->listen(kUsingKind);
    auto wake = PollingThread::makeWake();
    if (!listening.socket || !wake) {
        log::info(kLog, "{}: {}; close files, or raise their limit (ulimit -n)", kUnseen,
                  std::strerror(listening.socket ? errno : listening.error));
        return nullptr;
    }
    std::unique_ptr<Service, DeletedByMaker<Service>> service(
        new Service(*std::move(place), std::move(listening), std::move(asked), std::move(wake), machine));
    if (!service->begin()) return nullptr;
    return std::unique_ptr<CountingService>(new CountingService(std::move(service)));
} catch (const std::exception& failure) {
    log::info(kLog, "other processes do not see what this one counts: {}", failure.what());
    return nullptr;
}

CountingService::CountingService(std::unique_ptr<Service, DeletedByMaker<Service>> service)
    : service_(std::move(service)) {}

CountingService::~CountingService() = default;

void CountingService::leave() const noexcept {
    if (service_) service_->leaveSums();
}

}  // namespace zetl::emulator::peers
