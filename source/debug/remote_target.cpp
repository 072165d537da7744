#include "debug/remote_target.h"

#include <sys/socket.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstring>
#include <mutex>
#include <optional>
#include <thread>

#include "base/log.h"
#include "base/threads.h"
#include "debug/endpoint.h"
#include "debug/wire.h"

namespace zetl::debug {
namespace {

constexpr std::chrono::seconds kAnswerLimit{2};

class RemoteTarget : public Target {
  public:
    RemoteTarget(FileDescriptor socket, EventSink sink) : socket_(std::move(socket)), sink_(std::move(sink)) {
        receiver_ = startServiceThread([this] { receive(); });
    }
    ~RemoteTarget() override {
        // The end of the connection is what releases holds and runs threads on the other side.
        shutdown(socket_.get(), SHUT_RDWR);
        receiver_.join();
    }

    zetl_status_t hello(const device::Uuid& uuid) {
        wire::Hello hello;
        std::copy(uuid.begin(), uuid.end(), hello.uuid);
        auto request = message(wire::Kind::hello, {});
        request.payload = wire::bytesOf(hello);
        return exchange(request).status;
    }

    zetl_status_t release(std::uint64_t hold) override { return withId(wire::Kind::release, {}, hold); }
    zetl_status_t halt(const zetl_thread_t& set, std::uint64_t token) override {
        return withId(wire::Kind::halt, set, token);
    }
    zetl_status_t run(const zetl_thread_t& set) override { return withId(wire::Kind::run, set, 0); }

    zetl_status_t stopped(const zetl_thread_t& set, std::vector<zetl_thread_t>& threads) override {
        threads.clear();
        for (;;) {
            auto request = message(wire::Kind::stopped, set);
            request.head.first = static_cast<std::uint32_t>(threads.size());
            const auto reply = exchange(request);
            if (reply.status != ZETL_OK) return reply.status;
            const auto count = reply.message.payload.size() / sizeof(zetl_thread_t);
            const auto* received = reinterpret_cast<const zetl_thread_t*>(reply.message.payload.data());
            threads.insert(threads.end(), received, received + count);
            if (count == 0 || threads.size() >= reply.message.head.count) return ZETL_OK;
        }
    }

    zetl_status_t registerCount(const zetl_thread_t& thread, std::uint32_t type, std::uint32_t& count) override {
        auto request = message(wire::Kind::registerCount, thread);
        request.head.type = type;
        const auto reply = exchange(request);
        count = reply.message.head.count;
        return reply.status;
    }
    zetl_status_t readRegisters(const zetl_thread_t& thread, std::uint32_t type, std::uint32_t first,
                                std::uint32_t count, std::uint64_t bytes, void* values) override {
        if (bytes > wire::kPayload) return ZETL_UNSUPPORTED;
        auto request = registers(wire::Kind::readRegisters, thread, type, first, count);
        request.head.length = bytes;
        return fetch(request, values);
    }
    zetl_status_t writeRegisters(const zetl_thread_t& thread, std::uint32_t type, std::uint32_t first,
                                 std::uint32_t count, std::uint64_t bytes, const void* values) override {
        if (bytes > wire::kPayload) return ZETL_UNSUPPORTED;
        auto request = registers(wire::Kind::writeRegisters, thread, type, first, count);
        const auto* data = static_cast<const std::byte*>(values);
        request.payload.assign(data, data + bytes);
        return exchange(request).status;
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
        for (std::uint64_t done = 0; done < bytes;) {
            const auto piece = std::min<std::uint64_t>(bytes - done, wire::kPayload);
            auto request = message(wire::Kind::writeMemory, thread);
            request.head.type = space;
            request.head.address = address + done;
            request.payload.assign(data + done, data + done + piece);
            if (const auto status = exchange(request).status; status != ZETL_OK) return status;
            done += piece;
        }
        return ZETL_OK;
    }
    zetl_status_t moduleInfo(zetl_module_t module, zetl_module_info_t& info) override {
        auto request = message(wire::Kind::moduleInfo, {});
        request.head.id = module;
        const auto reply = exchange(request);
        if (reply.status != ZETL_OK) return reply.status;
        if (reply.message.payload.size() != sizeof info) return ZETL_LOST;
        std::memcpy(&info, reply.message.payload.data(), sizeof info);
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
    zetl_status_t withId(wire::Kind kind, const zetl_thread_t& set, std::uint64_t id) {
        auto request = message(kind, set);
        request.head.id = id;
        return exchange(request).status;
    }

    zetl_status_t fetch(wire::Message& request, void* buffer) {
        const auto reply = exchange(request);
        if (reply.status != ZETL_OK) return reply.status;
        if (reply.message.payload.size() != request.head.length) return ZETL_LOST;
        std::memcpy(buffer, reply.message.payload.data(), reply.message.payload.size());
        return ZETL_OK;
    }
    zetl_status_t fetchPieces(wire::Message& request, std::uint64_t address, std::uint64_t bytes, void* buffer) {
        auto* target = static_cast<std::byte*>(buffer);
        for (std::uint64_t done = 0; done < bytes; done += request.head.length) {
            request.head.address = address + done;
            request.head.length = std::min<std::uint64_t>(bytes - done, wire::kPayload);
            if (const auto status = fetch(request, target + done); status != ZETL_OK) return status;
        }
        return ZETL_OK;
    }

    /// One request at a time; the answer is waited for at most kAnswerLimit.
    Reply exchange(wire::Message& request) {
        const std::lock_guard oneAtATime(exchanging_);
        std::unique_lock lock(mutex_);
        if (broken_) return {refusal_, {}};
        request.head.sequence = ++sequence_;
        answer_.reset();
        if (!wire::send(socket_.get(), request)) return {refusal_, {}};
        if (!answered_.wait_for(lock, kAnswerLimit, [this] { return answer_ || broken_; }) || !answer_)
            return {refusal_, {}};
        Reply reply{answer_->head.status, std::move(*answer_)};
        return reply;
    }

    void receive() {
        wire::Message received;
        while (wire::receive(socket_.get(), received) == wire::Received::message) {
            if (received.head.kind == wire::Kind::event)
                deliver(received);
            else
                take(std::move(received));
            received = {};
        }
        {
            const std::lock_guard guard(mutex_);
            broken_ = true;
        }
        answered_.notify_all();
        zetl_event_t gone{};
        gone.size = sizeof gone;
        gone.kind = ZETL_EVENT_GONE;
        sink_(gone);
    }
    void deliver(const wire::Message& received) {
        zetl_event_t event{};
        if (received.payload.size() != sizeof event) return;
        std::memcpy(&event, received.payload.data(), sizeof event);
        sink_(event);
    }
    void take(wire::Message&& received) {
        {
            const std::lock_guard guard(mutex_);
            if (received.head.sequence == 0) refusal_ = received.head.status;  // sent before any request was read
            if (received.head.sequence != sequence_) return;
            answer_ = std::move(received);
        }
        answered_.notify_all();
    }

    const FileDescriptor socket_;
    const EventSink sink_;
    std::mutex exchanging_;
    std::mutex mutex_;
    std::condition_variable answered_;
    std::optional<wire::Message> answer_;
    std::uint32_t sequence_ = 0;
    bool broken_ = false;
    zetl_status_t refusal_ = ZETL_LOST;  ///< why the connection broke
    std::thread receiver_;
};

}  // namespace

Opened openRemoteTarget(const device::Device& device, std::uint64_t pid, EventSink sink) {
    const auto name = endpointName(static_cast<pid_t>(pid));
    if (!name) return {ZETL_MISUSE, nullptr};
    auto socket = connectTo(*name);
    if (!socket) return {ZETL_NOT_READY, nullptr};
    const auto peer = peerOf(socket.get());
    if (!peer || static_cast<std::uint64_t>(peer->pid) != pid) {
        log::warn(log::Module::debug, "attach to {} refused: its endpoint is held by process {}", pid,
                  peer ? peer->pid : 0);
        return {ZETL_NEEDS_PRIVILEGE, nullptr};
    }
    auto target = std::make_unique<RemoteTarget>(std::move(socket), std::move(sink));
    if (const auto status = target->hello(device.uuid()); status != ZETL_OK) return {status, nullptr};
    return {ZETL_OK, std::move(target)};
}

}  // namespace zetl::debug
