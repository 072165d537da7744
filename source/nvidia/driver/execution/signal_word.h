// The word behind an event or a fence: host memory that host and device both write and wait for.
#pragma once

#include <cuda.h>

#include <cstdint>
#include <memory>

#include "base/result.h"
#include "nvidia/driver/device/device.h"
#include "nvidia/driver/execution/shared_words.h"

namespace zetl::nvidia {

/// A row of words in pinned memory, one per cache line, all 0 at first. Lives as long as anything holds it.
class SignalWords {
  public:
    static constexpr std::size_t kStride = 64;

    /// OUT_OF_HOST_MEMORY.
    static Result<std::shared_ptr<SignalWords>> create(std::shared_ptr<Device::Work> work, std::uint32_t count);
    /// In memory that several processes use.
    static Result<std::shared_ptr<SignalWords>> createShared(std::shared_ptr<Device::Work> work, SharedWords shared);
    SignalWords(std::shared_ptr<Device::Work> work, void* memory)
        : work_(std::move(work)), memory_(memory), device_(reinterpret_cast<CUdeviceptr>(memory)) {}
    SignalWords(std::shared_ptr<Device::Work> work, SharedWords shared, CUdeviceptr device)
        : work_(std::move(work)), shared_(std::move(shared)), memory_(shared_.memory()), device_(device) {}
    ~SignalWords();
    SignalWords(const SignalWords&) = delete;
    SignalWords& operator=(const SignalWords&) = delete;

    std::uint32_t* at(std::uint32_t index) const noexcept;
    /// The same word's address for the device.
    CUdeviceptr deviceAddress(const std::uint32_t* word) const noexcept;
    Device::Work& work() const noexcept { return *work_; }
    bool isShared() const noexcept { return shared_.memory() != nullptr; }
    const SharedWords& shared() const noexcept { return shared_; }

  private:
    const std::shared_ptr<Device::Work> work_;
    const SharedWords shared_;
    void* const memory_;
    const CUdeviceptr device_;
};

/// One of the words: signalled once it has reached a value. Thread-safe. The append functions expect the stream's
/// context to be current.
class SignalWord {
  public:
    SignalWord(std::shared_ptr<SignalWords> words, std::uint32_t index, std::uint32_t value = 1) noexcept
        : words_(std::move(words)), word_(words_->at(index)), value_(value) {}

    Status appendSignal(CUstream stream) const noexcept;
    Status appendReset(CUstream stream) const noexcept;
    Status appendWait(CUstream stream) const noexcept;

    void set(bool signalled) const noexcept { __atomic_store_n(word_, signalled ? value_ : 0U, __ATOMIC_RELEASE); }
    /// SUCCESS or NOT_READY.
    Status query() const noexcept;
    /// SUCCESS, NOT_READY (time is over) or DEVICE_LOST.
    Status wait(std::uint64_t nanoseconds) const;

    Device::Work& work() const noexcept { return words_->work(); }
    /// Other processes may signal it.
    bool isShared() const noexcept { return words_->isShared(); }
    /// For the device.
    CUdeviceptr address() const noexcept { return words_->deviceAddress(word_); }
    std::uint32_t value() const noexcept { return value_; }

  private:
    const std::shared_ptr<SignalWords> words_;
    std::uint32_t* const word_;
    const std::uint32_t value_;
};

/// Another of the words: holds a stream until the host has submitted all commands that must follow each other closely.
/// CUDA calls meanwhile must not wait for the stream. For one thread at a time.
class Gate {
  public:
    /// `passed`: how often streams have passed it before.
    Gate(const std::shared_ptr<SignalWords>& words, std::uint32_t index, std::uint32_t passed = 0) noexcept
        : word_(words->at(index)), passages_(passed) {}

    /// The stream stops here until open() is called, which must follow in any case.
    Status appendTo(CUstream stream) noexcept;
    void open() const noexcept { __atomic_store_n(word_, passages_, __ATOMIC_RELEASE); }

  private:
    std::uint32_t* const word_;
    std::uint32_t passages_;
};

}  // namespace zetl::nvidia
