// The word behind an event or a fence: host memory that host and device both write and wait for.
#pragma once

#include <cuda.h>

#include <cstdint>
#include <memory>

#include "base/result.h"
#include "nvidia/driver/device/device.h"

namespace zetl::nvidia {

/// A row of words in pinned memory, one per cache line, all 0 at first. Lives as long as anything holds it.
class SignalWords {
  public:
    /// OUT_OF_HOST_MEMORY.
    static Result<std::shared_ptr<SignalWords>> create(std::shared_ptr<Device::Work> work, std::uint32_t count);
    SignalWords(std::shared_ptr<Device::Work> work, void* memory) : work_(std::move(work)), memory_(memory) {}
    ~SignalWords();
    SignalWords(const SignalWords&) = delete;
    SignalWords& operator=(const SignalWords&) = delete;

    std::uint32_t* at(std::uint32_t index) const noexcept;
    Device::Work& work() const noexcept { return *work_; }

  private:
    const std::shared_ptr<Device::Work> work_;
    void* const memory_;
};

/// One of the words: 1 when signalled. Thread-safe. The append functions expect the stream's context to be current.
class SignalWord {
  public:
    SignalWord(std::shared_ptr<SignalWords> words, std::uint32_t index) noexcept
        : words_(std::move(words)), word_(words_->at(index)) {}

    Status appendSignal(CUstream stream) const noexcept;
    Status appendReset(CUstream stream) const noexcept;
    Status appendWait(CUstream stream) const noexcept;

    void set(bool signalled) const noexcept { __atomic_store_n(word_, signalled ? 1U : 0U, __ATOMIC_RELEASE); }
    /// SUCCESS or NOT_READY.
    Status query() const noexcept;
    /// SUCCESS, NOT_READY (time is over) or DEVICE_LOST.
    Status wait(std::uint64_t nanoseconds) const;

    Device::Work& work() const noexcept { return words_->work(); }

  private:
    CUdeviceptr address() const noexcept { return reinterpret_cast<CUdeviceptr>(word_); }

    const std::shared_ptr<SignalWords> words_;
    std::uint32_t* const word_;
};

/// Another of the words: holds a stream until the host has submitted all commands that must follow each other closely.
/// CUDA calls meanwhile must not wait for the stream. For one thread at a time.
class Gate {
  public:
    Gate(const std::shared_ptr<SignalWords>& words, std::uint32_t index) noexcept : word_(words->at(index)) {}

    /// The stream stops here until open() is called, which must follow in any case.
    Status appendTo(CUstream stream) noexcept;
    void open() const noexcept { __atomic_store_n(word_, passages_, __ATOMIC_RELEASE); }

  private:
    std::uint32_t* const word_;
    std::uint32_t passages_ = 0;
};

}  // namespace zetl::nvidia
