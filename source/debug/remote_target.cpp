#include "debug/remote_target.h"

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <new>
#include <optional>

#include "base/log.h"
#include "base/mutex.h"
#include "base/service_thread.h"
#include "debug/endpoint.h"
#include "debug/introduction.h"
#include "debug/possible.h"
#include "debug/thread_registers.h"
#include "debug/wire.h"

namespace zetl::debug {
namespace {

/// The slowest transfer for which a call waits.
constexpr std::uint64_t kBytesPerMillisecond = 1000;

/// The deadline of a call that moves so many bytes, for all of its answers together.
wire::Clock::time_point limitOf(std::uint64_t bytes) {
    const auto transfer = std::min<std::uint64_t>(bytes / kBytesPerMillisecond, INT32_MAX);
    return wire::Clock::now() + wire::kAnswerLimit + wire::Milliseconds(transfer);
}

Opened denied(std::uint64_t pid) {
    log::warn(log::Channel::debug,
              "attach to {} refused: the kernel does not let this user read the process. It is another user's, or not "
              "dumpable, or has more capabilities; CAP_SYS_PTRACE helps",
              pid);
    return {ZETL_NEEDS_PRIVILEGE, nullptr};
}

/// Checks everything that comes from the other process against what the device can have.
class RemoteTarget : public Target {
  public:
    RemoteTarget(FileDescriptor socket, const device::Device& device, EventSink sink)
        : socket_(std::move(socket)), device_(device), sink_(std::move(sink)), process_(getpid()) {
        if (auto thread = ServiceThread::start(log::Channel::debug, "zetl-debugger", [this] { receive(); }))
            receiver_ = *std::move(thread);
        else
            throw std::bad_alloc();
    }
    ~RemoteTarget() override {
        if (getpid() != process_) {  // a forked child: connection and thread stayed with the parent
            receiver_.detach();
            return;
        }
        // The end of the connection makes the other side release holds and run threads.
        shutdown(socket_.get(), SHUT_RDWR);
        receiver_.join();
    }

    zetl_status_t release(std::uint64_t hold) override { return withId(wire::Kind::release, {}, hold); }
    zetl_status_t halt(const zetl_thread_t& set, std::uint64_t token) override {
        return withId(wire::Kind::halt, set, token);
    }
    zetl_status_t run(const zetl_thread_t& set) override {
        registers_.forget();
        const auto status = withId(wire::Kind::run, set, 0);
        registers_.forget();  // another thread may have asked before it ran
        return status;
    }

    zetl_status_t stopped(const zetl_thread_t& set, std::vector<zetl_thread_t>& threads) override {
        threads.clear();
        for (const auto until = limitOf(0);;) {
            auto request = message(wire::Kind::stopped, set);
            request.head.first = static_cast<std::uint32_t>(threads.size());
            const auto reply = exchange(request, until);
            if (reply.status != ZETL_OK) return reply.status;
            const auto& data = reply.message.payload;
            const auto count = data.size() / sizeof(zetl_thread_t);
            if (count > device_.threads() - threads.size()) return nonsense("more threads than the device has");
            const auto known = threads.size();
            threads.resize(known + count);
            if (count > 0) std::memcpy(threads.data() + known, data.data(), count * sizeof(zetl_thread_t));
            if (count == 0 || threads.size() >= reply.message.head.count) return ZETL_OK;
        }
    }

    zetl_status_t registerCount(const zetl_thread_t& thread, std::uint32_t type, std::uint32_t& count) override {
        auto known = registers_.count(thread, type);
        if (!known) {
            if (const auto status = readThread(thread); status != ZETL_UNSUPPORTED && status != ZETL_OK) return status;
            known = registers_.count(thread, type);
        }
        if (!known) return askRegisterCount(thread, type, count);
        count = *known;
        return ZETL_OK;
    }
    zetl_status_t readRegisters(const zetl_thread_t& thread, std::uint32_t type, std::uint32_t first,
                                std::uint32_t count, std::uint64_t bytes, void* values) override {
        if (bytes > wire::kPayload) return ZETL_UNSUPPORTED;
        if (registers_.read(thread, type, first, count, bytes, values)) return ZETL_OK;
        if (const auto status = readThread(thread); status != ZETL_UNSUPPORTED && status != ZETL_OK) return status;
        if (registers_.read(thread, type, first, count, bytes, values)) return ZETL_OK;
        auto request = registers(wire::Kind::readRegisters, thread, type, first, count);
        request.head.length = bytes;
        return fetch(request, values, limitOf(0));
    }
    zetl_status_t writeRegisters(const zetl_thread_t& thread, std::uint32_t type, std::uint32_t first,
                                 std::uint32_t count, std::uint64_t bytes, const void* values) override {
        if (bytes > wire::kPayload) return ZETL_UNSUPPORTED;
        auto request = registers(wire::Kind::writeRegisters, thread, type, first, count);
        const auto* data = static_cast<const std::byte*>(values);
        request.payload.assign(data, data + bytes);
        registers_.forgetValues();
        const auto status = exchange(request).status;
        registers_.forgetValues();
        return status;
    }

    zetl_status_t readMemory(const zetl_thread_t& thread, zetl_space_t space, std::uint64_t address,
                             std::uint64_t bytes, void* buffer) override {
        auto request = message(wire::Kind::readMemory, thread);
        request.head.type = space;
        return fetchPieces(request, address, bytes, buffer);
    }
    zetl_status_t writeMemory(const zetl_thread_t& thread, zetl_space_t space, std::uint64_t address,
                              std::uint64_t bytes, const void* buffer) override {
        const auto* data = static_cast<const std::byte*>(buffer);
        const auto until = limitOf(bytes);
        for (std::uint64_t done = 0; done < bytes;) {
            const auto piece = std::min<std::uint64_t>(bytes - done, wire::kPayload);
            auto head = message(wire::Kind::writeMemory, thread).head;
            head.type = space;
            head.address = address + done;
            if (const auto status = exchange(head, {data + done, piece}, until).status; status != ZETL_OK)
                return status;
            done += piece;
        }
        if (space == ZETL_SPACE_HISTORY) registers_.forget();  // other threads, at another time
        return ZETL_OK;
    }
    zetl_status_t breakpoint(std::uint64_t address, bool on) override {
        auto request = message(wire::Kind::breakpoint, {});
        request.head.address = address;
        request.head.count = on;
        return exchange(request).status;
    }
    zetl_status_t moduleInfo(zetl_module_t module, zetl_module_info_t& info) override {
        auto request = message(wire::Kind::moduleInfo, {});
        request.head.id = module;
        const auto reply = exchange(request);
        if (reply.status != ZETL_OK) return reply.status;
        const auto received = wire::payloadOf<zetl_module_info_t>(reply.message);
        if (!received || !isPossible(*received)) return nonsense("a module that cannot be");
        info = *received;
        info.build_options = "";
        return ZETL_OK;
    }
    zetl_status_t readImage(zetl_module_t module, std::uint64_t offset, std::uint64_t bytes, void* buffer) override {
        auto request = message(wire::Kind::readImage, {});
        request.head.id = module;
        return fetchPieces(request, offset, bytes, buffer);
    }

  private:
    struct Reply {
        zetl_status_t status = ZETL_LOST;
        wire::Message message;
    };

    static wire::Message message(wire::Kind kind, const zetl_thread_t& thread) {
        wire::Message result;
        result.head.kind = kind;
        result.head.thread = thread;
        return result;
    }
    static wire::Message registers(wire::Kind kind, const zetl_thread_t& thread, std::uint32_t type,
                                   std::uint32_t first, std::uint32_t count) {
        auto result = message(kind, thread);
        result.head.type = type;
        result.head.first = first;
        result.head.count = count;
        return result;
    }
    /// Fetches all registers of the thread at once. UNSUPPORTED if they are too many for a message.
    zetl_status_t readThread(const zetl_thread_t& thread) {
        auto request = message(wire::Kind::readThread, thread);
        const auto ticket = registers_.ticket();
        auto reply = exchange(request);
        if (reply.status != ZETL_OK) return reply.status;
        auto snapshot = RegisterSnapshot::parse(std::move(reply.message.payload), device_);
        if (!snapshot) return nonsense("registers that the device does not have");
        registers_.keep(thread, *std::move(snapshot), ticket);
        return ZETL_OK;
    }
    zetl_status_t askRegisterCount(const zetl_thread_t& thread, std::uint32_t type, std::uint32_t& count) {
        auto request = message(wire::Kind::registerCount, thread);
        request.head.type = type;
        const auto reply = exchange(request);
        count = reply.message.head.count;
        return reply.status;
    }
    zetl_status_t withId(wire::Kind kind, const zetl_thread_t& set, std::uint64_t id) {
        auto request = message(kind, set);
        request.head.id = id;
        return exchange(request).status;
    }

    zetl_status_t fetch(wire::Message& request, void* buffer, wire::Clock::time_point until) {
        const auto reply = exchange(request, until);
        if (reply.status != ZETL_OK) return reply.status;
        if (reply.message.payload.size() != request.head.length) return nonsense("another length than was asked for");
        std::memcpy(buffer, reply.message.payload.data(), reply.message.payload.size());
        return ZETL_OK;
    }
    zetl_status_t fetchPieces(wire::Message& request, std::uint64_t address, std::uint64_t bytes, void* buffer) {
        auto* target = static_cast<std::byte*>(buffer);
        const auto until = limitOf(bytes);
        for (std::uint64_t done = 0; done < bytes; done += request.head.length) {
            request.head.address = address + done;
            request.head.length = std::min<std::uint64_t>(bytes - done, wire::kPayload);
            if (const auto status = fetch(request, target + done, until); status != ZETL_OK) return status;
        }
        return ZETL_OK;
    }
    static zetl_status_t nonsense(const char* what) {
        log::warn(log::Channel::debug, "the debuggee's agent answers with {}: it is broken or hostile", what);
        return ZETL_LOST;
    }

    Reply exchange(wire::Message& request) { return exchange(request, limitOf(0)); }
    Reply exchange(wire::Message& request, wire::Clock::time_point until) {
        return exchange(request.head, request.payload, until);
    }

    /// Sends one request at a time; waits for the answer until the deadline, and no longer than an answer may take.
    /// GONE if the connection ended, LOST if there is no answer in time.
    Reply exchange(wire::Head& head, std::span<const std::byte> payload, wire::Clock::time_point until) {
        const Lock oneAtATime(exchanging_);
        {
            const Lock guard(mutex_);
            if (broken_) return {ZETL_GONE, {}};
            head.sequence = ++sequence_;
            answer_.reset();
        }
        const auto now = wire::Clock::now();
        const auto limit = std::min(until, now + wire::kAnswerLimit);
        if (limit <= now ||
            !wire::send(socket_.get(), head, payload, std::chrono::ceil<wire::Milliseconds>(limit - now)))
            return {ended() ? ZETL_GONE : ZETL_LOST, {}};
        Lock lock(mutex_);
        answered_.wait_until(lock, limit, [this]() ZETL_REQUIRES(mutex_) { return answer_ || broken_; });
        if (!answer_) return {broken_ ? ZETL_GONE : ZETL_LOST, {}};
        Reply reply{wire::statusOf(*answer_), std::move(*answer_)};
        answer_.reset();
        return reply;
    }
    /// A send that failed, while the receiver may not have seen the end yet.
    bool ended() const {
        pollfd entry{socket_.get(), 0, 0};
        return poll(&entry, 1, 0) > 0 && (entry.revents & (POLLHUP | POLLERR));
    }

    void receive() noexcept {
        try {
            receiveAll();
        } catch (const std::exception& failure) {
            log::error(log::Channel::debug, "the connection to the debuggee is given up: {}", failure.what());
            shutdown(socket_.get(), SHUT_RDWR);
        }
        {
            const Lock guard(mutex_);
            broken_ = true;
        }
        answered_.notify_all();
        zetl_event_t gone{};
        gone.size = sizeof gone;
        gone.kind = ZETL_EVENT_GONE;
        sink_(gone);
    }
    void receiveAll() {
        wire::Message received;
        while (wire::receive(socket_.get(), received) == wire::Received::message) {
            if (received.head.kind == wire::Kind::event)
                deliver(received);
            else
                take(std::move(received));
            received = {};
        }
    }
    void deliver(const wire::Message& received) {
        const auto event = wire::payloadOf<zetl_event_t>(received);
        if (event && isPossible(*event, device_))
            sink_(*event);
        else
            nonsense("an event that cannot be");
    }
    void take(wire::Message&& received) {
        {
            const Lock guard(mutex_);
            if (received.head.sequence != sequence_) return;  // the answer to a request that was given up
            answer_ = std::move(received);
        }
        answered_.notify_all();
    }

    const UnsharedDescriptor socket_;
    const device::Device& device_;
    const EventSink sink_;
    const pid_t process_;
    ThreadRegisters registers_;
    Mutex exchanging_;
    Mutex mutex_;
    Condition answered_;
    std::optional<wire::Message> answer_ ZETL_GUARDED_BY(mutex_);
    std::uint32_t sequence_ ZETL_GUARDED_BY(mutex_) = 0;
    bool broken_ ZETL_GUARDED_BY(mutex_) = false;
    ServiceThread receiver_;
};

}  // namespace

std::unique_ptr<Target> makeRemoteTarget(FileDescriptor socket, const device::Device& device, EventSink sink) {
    return std::make_unique<RemoteTarget>(std::move(socket), device, std::move(sink));
}

Opened openRemoteTarget(const device::Device& device, std::uint64_t pid, EventSink sink) {
    ProcessDirectory process;
    const auto id = static_cast<pid_t>(pid);
    switch (ProcessDirectory::open(id, process)) {
        case ProcessDirectory::Opening::absent:
            return {ZETL_MISUSE, nullptr};
        case ProcessDirectory::Opening::hidden:
            return denied(pid);
        case ProcessDirectory::Opening::open:
            break;
    }
    FileDescriptor socket;
    const auto connecting = connectTo(process, socket);
    if (connecting == Connecting::denied) return denied(pid);
    if (connecting != Connecting::connected) return {ZETL_NOT_READY, nullptr};
    if (const auto status = introduce(socket.get(), id, device.uuid()); status != ZETL_OK) return {status, nullptr};
    return {ZETL_OK, makeRemoteTarget(std::move(socket), device, std::move(sink))};
}

}  // namespace zetl::debug
