#include "debug/connection.h"

#include <unistd.h>

#include <algorithm>
#include <cstring>

#include "base/log.h"
#include "debug/local_target.h"

namespace zetl::debug {
namespace {

constexpr std::size_t kMostQueuedEvents = 65536;

wire::Message reply(const wire::Message& request, zetl_status_t status) {
    wire::Message message;
    message.head.kind = wire::Kind::reply;
    message.head.sequence = request.head.sequence;
    message.head.status = status;
    return message;
}

bool readsData(wire::Kind kind) {
    return kind == wire::Kind::readMemory || kind == wire::Kind::readRegisters || kind == wire::Kind::readImage;
}

}  // namespace

Connection::Connection(FileDescriptor socket, device::Devices& devices, int wake)
    : socket_(std::move(socket)), devices_(devices), wake_(wake) {}

Connection::~Connection() = default;

void Connection::deliver(const zetl_event_t& event) {
    {
        const std::lock_guard guard(outboxMutex_);
        overflowed_ = overflowed_ || outbox_.size() >= kMostQueuedEvents;
        if (!overflowed_) outbox_.push_back(event);
    }
    const std::uint64_t one = 1;
    [[maybe_unused]] const auto written = write(wake_, &one, sizeof one);  // full counter: awake already
}

bool Connection::flush() {
    for (;;) {
        wire::Message message;
        message.head.kind = wire::Kind::event;
        {
            const std::lock_guard guard(outboxMutex_);
            if (overflowed_) return false;
            if (outbox_.empty()) return true;
            message.payload = wire::bytesOf(outbox_.front());
            outbox_.pop_front();
        }
        if (!wire::send(socket(), message)) return false;
    }
}

bool Connection::serve() {
    wire::Message request;
    if (wire::receive(socket(), request) != wire::Received::message) return false;
    return wire::send(socket(), answer(request));
}

zetl_status_t Connection::hello(const wire::Message& request) {
    const wire::Hello ours;
    wire::Hello theirs;
    if (target_ || request.payload.size() != sizeof theirs) return ZETL_MISUSE;
    std::memcpy(&theirs, request.payload.data(), sizeof theirs);
    if (theirs.version != ours.version || theirs.eventBytes != ours.eventBytes ||
        theirs.moduleBytes != ours.moduleBytes)
        return ZETL_UNSUPPORTED;
    device::Uuid uuid;
    std::copy(std::begin(theirs.uuid), std::end(theirs.uuid), uuid.begin());
    const auto* device = devices_.byUuid(uuid);
    if (!device) return ZETL_GONE;
    auto opened = openLocalTarget(*device, static_cast<std::uint64_t>(getpid()),
                                  [this](const zetl_event_t& event) { deliver(event); });
    target_ = std::move(opened.target);
    return opened.status;
}

wire::Message Connection::moduleInfo(const wire::Message& request) {
    zetl_module_info_t info{};
    info.size = sizeof info;
    auto message = reply(request, target_->moduleInfo(request.head.id, info));
    info.build_options = nullptr;  // an address of this process
    message.payload = wire::bytesOf(info);
    return message;
}

wire::Message Connection::stoppedThreads(const wire::Message& request) {
    std::vector<zetl_thread_t> threads;
    auto message = reply(request, target_->stopped(request.head.thread, threads));
    // `first` pages through a list that may be longer than a record.
    const auto begin = std::min<std::size_t>(request.head.first, threads.size());
    const auto count = std::min(threads.size() - begin, wire::kPayload / sizeof(zetl_thread_t));
    message.head.count = static_cast<std::uint32_t>(threads.size());
    message.payload.resize(count * sizeof(zetl_thread_t));
    if (count > 0) std::memcpy(message.payload.data(), threads.data() + begin, message.payload.size());
    return message;
}

wire::Message Connection::read(const wire::Message& request) {
    const auto& head = request.head;
    if (head.length > wire::kPayload) return reply(request, ZETL_MISUSE);
    auto message = reply(request, ZETL_OK);
    message.payload.resize(head.length);
    auto* target = message.payload.data();
    if (head.kind == wire::Kind::readMemory)
        message.head.status =
            target_->readMemory(head.thread, static_cast<zetl_space_t>(head.type), head.address, head.length, target);
    else if (head.kind == wire::Kind::readImage)
        message.head.status = target_->readImage(head.id, head.address, head.length, target);
    else
        message.head.status =
            target_->readRegisters(head.thread, head.type, head.first, head.count, head.length, target);
    return message;
}

zetl_status_t Connection::perform(const wire::Message& request, std::uint32_t& count) {
    const auto& head = request.head;
    const auto& data = request.payload;
    switch (head.kind) {
        case wire::Kind::release:
            return target_->release(head.id);
        case wire::Kind::halt:
            return target_->halt(head.thread, head.id);
        case wire::Kind::run:
            return target_->run(head.thread);
        case wire::Kind::registerCount:
            return target_->registerCount(head.thread, head.type, count);
        case wire::Kind::writeRegisters:
            return target_->writeRegisters(head.thread, head.type, head.first, head.count, data.size(), data.data());
        case wire::Kind::writeMemory:
            return target_->writeMemory(head.thread, static_cast<zetl_space_t>(head.type), head.address, data.size(),
                                        data.data());
        default:
            return ZETL_MISUSE;
    }
}

wire::Message Connection::answer(const wire::Message& request) {
    if (request.head.kind == wire::Kind::hello) return reply(request, hello(request));
    if (!target_) return reply(request, ZETL_MISUSE);
    if (request.head.kind == wire::Kind::moduleInfo) return moduleInfo(request);
    if (request.head.kind == wire::Kind::stopped) return stoppedThreads(request);
    if (readsData(request.head.kind)) return read(request);
    std::uint32_t count = 0;
    auto message = reply(request, perform(request, count));
    message.head.count = count;
    return message;
}

}  // namespace zetl::debug
