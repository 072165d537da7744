// Streams, events, copies, launches: each stream is a thread that does one thing after the other.
#include <condition_variable>
#include <cstring>
#include <deque>
#include <mutex>
#include <thread>

#include "stand_in.h"

struct CUstream_st {
    std::mutex mutex;
    std::condition_variable changed;
    std::deque<std::function<void()>> waiting;
    bool busy = false;

    void add(std::function<void()> work) {
        std::lock_guard guard(mutex);
        waiting.push_back(std::move(work));
        changed.notify_all();
    }
    bool idle() {
        std::lock_guard guard(mutex);
        return waiting.empty() && !busy;
    }
    void finish() {
        std::unique_lock guard(mutex);
        changed.wait(guard, [this] { return (waiting.empty() && !busy) || stand_in::lost != CUDA_SUCCESS; });
    }
    /// Ends with the process.
    void run() {
        for (;;) {
            std::unique_lock guard(mutex);
            changed.wait(guard, [this] { return !waiting.empty(); });
            const auto work = std::move(waiting.front());
            waiting.pop_front();
            busy = true;
            guard.unlock();
            if (stand_in::lost == CUDA_SUCCESS) work();
            guard.lock();
            busy = false;
            changed.notify_all();
        }
    }
};

namespace {

std::mutex registering;
/// Streams live as long as the process.
std::vector<CUstream_st*>& streams() {
    static auto* const all = new std::vector<CUstream_st*>;
    return *all;
}

std::uint32_t* word(CUdeviceptr address) { return reinterpret_cast<std::uint32_t*>(address); }

template <class T>
CUresult fill(CUdeviceptr to, T value, std::size_t count, CUstream stream) {
    ANSWER_AS_SCRIPTED;
    stream->add([=] { std::fill_n(reinterpret_cast<T*>(to), count, value); });
    return CUDA_SUCCESS;
}

std::size_t place(std::size_t z, std::size_t height, std::size_t pitch, std::size_t y) {
    return (z * height + y) * pitch;
}

CUresult launch(CUfunction function, unsigned groups, unsigned threads, unsigned shared, CUstream stream,
                void** arguments) {
    stand_in::Launch launch{groups, threads, {}, shared};
    for (std::size_t i = 0; i < function->sizes.size(); ++i) {
        std::uint64_t value = 0;
        std::memcpy(&value, arguments[i], function->sizes[i]);
        launch.arguments.push_back(value);
    }
    stream->add([function, launch] { function->body(launch); });
    return CUDA_SUCCESS;
}

}  // namespace

void stand_in::finishStreams() {
    registering.lock();
    const auto all = streams();
    registering.unlock();
    for (auto* stream : all) stream->finish();
}

CUresult cuStreamCreateWithPriority(CUstream* stream, unsigned, int) {
    ANSWER_AS_SCRIPTED;
    *stream = new CUstream_st;
    const std::lock_guard guard(registering);
    streams().push_back(*stream);
    std::thread([made = *stream] { made->run(); }).detach();
    return CUDA_SUCCESS;
}
CUresult cuStreamDestroy(CUstream) { return CUDA_SUCCESS; }
CUresult cuStreamQuery(CUstream stream) {
    ANSWER_AS_SCRIPTED;
    return !stream || stream->idle() ? CUDA_SUCCESS : CUDA_ERROR_NOT_READY;
}
CUresult cuStreamSynchronize(CUstream stream) {
    ANSWER_AS_SCRIPTED;
    stream->finish();
    return stand_in::lost;
}
CUresult cuStreamWriteValue32(CUstream stream, CUdeviceptr address, cuuint32_t value, unsigned) {
    ANSWER_AS_SCRIPTED;
    stream->add([=] { __atomic_store_n(word(address), value, __ATOMIC_RELEASE); });
    return CUDA_SUCCESS;
}
CUresult cuStreamWaitValue32(CUstream stream, CUdeviceptr address, cuuint32_t value, unsigned) {
    ANSWER_AS_SCRIPTED;
    stream->add([=] {
        while (__atomic_load_n(word(address), __ATOMIC_ACQUIRE) < value && stand_in::lost == CUDA_SUCCESS)
            std::this_thread::sleep_for(std::chrono::microseconds(20));
    });
    return CUDA_SUCCESS;
}
CUresult cuLaunchHostFunc(CUstream stream, CUhostFn function, void* data) {
    stream->add([=] { function(data); });
    return CUDA_SUCCESS;
}

CUresult cuEventCreate(CUevent* event, unsigned) {
    *event = new CUevent_st;
    return CUDA_SUCCESS;
}
CUresult cuEventDestroy(CUevent) { return CUDA_SUCCESS; }
CUresult cuEventRecord(CUevent event, CUstream stream) {
    ANSWER_AS_SCRIPTED;
    ++event->pending;
    stream->add([event] {
        event->time = stand_in::now();
        --event->pending;
    });
    return CUDA_SUCCESS;
}
CUresult cuEventQuery(CUevent event) {
    ANSWER_AS_SCRIPTED;
    return event->pending > 0 ? CUDA_ERROR_NOT_READY : CUDA_SUCCESS;
}
CUresult cuEventElapsedTime(float* milliseconds, CUevent from, CUevent to) {
    ANSWER_AS_SCRIPTED;
    if (from->pending > 0 || to->pending > 0) return CUDA_ERROR_NOT_READY;
    *milliseconds = static_cast<float>(static_cast<double>(static_cast<std::int64_t>(to->time - from->time)) / 1e6);
    return CUDA_SUCCESS;
}

/// As the real one, it returns only when a copy to plain host memory is done, and has read such memory when it returns.
CUresult cuMemcpyAsync(CUdeviceptr to, CUdeviceptr from, std::size_t bytes, CUstream stream) {
    ANSWER_AS_SCRIPTED;
    stream->add([=] { std::memmove(reinterpret_cast<void*>(to), reinterpret_cast<const void*>(from), bytes); });
    if (stand_in::allocationAt(to) == 0 || stand_in::allocationAt(from) == 0) stream->finish();
    return stand_in::lost;
}
CUresult cuMemcpyDtoH(void* to, CUdeviceptr from, std::size_t bytes) {
    ANSWER_AS_SCRIPTED;
    std::memcpy(to, reinterpret_cast<const void*>(from), bytes);
    return CUDA_SUCCESS;
}
CUresult cuMemcpy3DAsync(const CUDA_MEMCPY3D* given, CUstream stream) {
    ANSWER_AS_SCRIPTED;
    stream->add([copy = *given] {
        const auto* from = reinterpret_cast<const char*>(copy.srcDevice);
        auto* to = reinterpret_cast<char*>(copy.dstDevice);
        for (std::size_t z = 0; z < copy.Depth; ++z)
            for (std::size_t y = 0; y < copy.Height; ++y)
                std::memcpy(to + place(z, copy.dstHeight, copy.dstPitch, y),
                            from + place(z, copy.srcHeight, copy.srcPitch, y), copy.WidthInBytes);
    });
    if (given->dstMemoryType == CU_MEMORYTYPE_HOST || given->srcMemoryType == CU_MEMORYTYPE_HOST) stream->finish();
    return stand_in::lost;
}
CUresult cuMemsetD8Async(CUdeviceptr to, unsigned char value, std::size_t count, CUstream stream) {
    return fill(to, value, count, stream);
}
CUresult cuMemsetD16Async(CUdeviceptr to, unsigned short value, std::size_t count, CUstream stream) {
    return fill(to, value, count, stream);
}
CUresult cuMemsetD32Async(CUdeviceptr to, unsigned value, std::size_t count, CUstream stream) {
    return fill(to, value, count, stream);
}

CUresult cuLaunchKernel(CUfunction function, unsigned groupsX, unsigned groupsY, unsigned groupsZ, unsigned x,
                        unsigned y, unsigned z, unsigned shared, CUstream stream, void** arguments, void**) {
    ANSWER_AS_SCRIPTED;
    return launch(function, groupsX * groupsY * groupsZ, x * y * z, shared, stream, arguments);
}
CUresult cuLaunchCooperativeKernel(CUfunction function, unsigned groupsX, unsigned groupsY, unsigned groupsZ,
                                   unsigned x, unsigned y, unsigned z, unsigned shared, CUstream stream,
                                   void** arguments) {
    ANSWER_AS_SCRIPTED;
    return launch(function, groupsX * groupsY * groupsZ, x * y * z, shared, stream, arguments);
}
