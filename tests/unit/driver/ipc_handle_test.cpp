// IPC handles are bytes, which others may have made up: what the driver opens by them is its own kind of file only.
#include "emulator/driver/memory/ipc_handle.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <string>

#include "base/file_descriptor.h"
#include "emulator/machine/memory/shared_file.h"
#include "unit/driver/direct.h"

namespace zetl::emulator::driver::test {
namespace {

using machine::shared_file::Content;

constexpr std::size_t kBytes = 4096;
constexpr int kSeals = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL;

class IpcHandleTest : public DriverTest {
  protected:
    static IpcHandle handleFor(IpcHandle::Kind kind, int descriptor) {
        IpcHandle handle = makeIpcHandle(kind, descriptor);
        handle.flags = kind == IpcHandle::Kind::memory ? static_cast<std::uint32_t>(ZE_MEMORY_TYPE_DEVICE)
                                                       : static_cast<std::uint32_t>(ZE_EVENT_POOL_FLAG_IPC);
        handle.bytes = kBytes;
        handle.offset = kind == IpcHandle::Kind::memory ? 0 : 1;
        return handle;
    }

    ze_result_t open(const IpcHandle& handle) {
        ze_ipc_mem_handle_t bytes;
        writeIpcHandle(handle, bytes);
        void* memory = nullptr;
        const ze_result_t result = CALL(zeMemOpenIpcHandle)(context, device, bytes, 0, &memory);
        if (result == ZE_RESULT_SUCCESS) {
            EXPECT_OK(CALL(zeMemCloseIpcHandle)(context, memory));
        }
        return result;
    }
    ze_result_t openPool(const IpcHandle& handle) {
        ze_ipc_event_pool_handle_t bytes;
        writeIpcHandle(handle, bytes);
        ze_event_pool_handle_t pool = nullptr;
        const ze_result_t result = CALL(zeEventPoolOpenIpcHandle)(context, bytes, &pool);
        if (result == ZE_RESULT_SUCCESS) {
            EXPECT_OK(CALL(zeEventPoolCloseIpcHandle)(pool));
        }
        return result;
    }
};

TEST_F(IpcHandleTest, FilesOfOthersAreNotOpened) {
    std::string path = testing::TempDir() + "zetl-private-XXXXXX";
    const FileDescriptor onDisk(mkostemp(path.data(), O_CLOEXEC));
    ASSERT_TRUE(onDisk);
    unlink(path.c_str());
    ASSERT_EQ(ftruncate(onDisk.get(), kBytes), 0);
    const FileDescriptor named(memfd_create("somebody's", MFD_CLOEXEC | MFD_ALLOW_SEALING));
    ASSERT_EQ(ftruncate(named.get(), kBytes), 0);
    ASSERT_EQ(fcntl(named.get(), F_ADD_SEALS, kSeals), 0);
    const FileDescriptor unsealed(memfd_create("zetl-device-memory", MFD_CLOEXEC | MFD_ALLOW_SEALING));
    ASSERT_EQ(ftruncate(unsealed.get(), kBytes), 0);
    for (const int each : {onDisk.get(), named.get(), unsealed.get()}) {
        EXPECT_EQ(open(handleFor(IpcHandle::Kind::memory, each)), ZE_RESULT_ERROR_INVALID_ARGUMENT) << each;
        EXPECT_EQ(openPool(handleFor(IpcHandle::Kind::eventPool, each)), ZE_RESULT_ERROR_INVALID_ARGUMENT) << each;
    }
}

TEST_F(IpcHandleTest, AFileIsOpenedForWhatItIsOnly) {
    const FileDescriptor memory = machine::shared_file::create(Content::memory, kBytes);
    const FileDescriptor events = machine::shared_file::create(Content::events, kBytes);
    EXPECT_OK(open(handleFor(IpcHandle::Kind::memory, memory.get())));
    EXPECT_OK(openPool(handleFor(IpcHandle::Kind::eventPool, events.get())));
    EXPECT_EQ(open(handleFor(IpcHandle::Kind::memory, events.get())), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    EXPECT_EQ(openPool(handleFor(IpcHandle::Kind::eventPool, memory.get())), ZE_RESULT_ERROR_INVALID_ARGUMENT);
}

TEST_F(IpcHandleTest, ANumberIsNotEnough) {
    const FileDescriptor memory = machine::shared_file::create(Content::memory, kBytes);
    const IpcHandle right = handleFor(IpcHandle::Kind::memory, memory.get());
    IpcHandle wrong = right;
    wrong.device += 1;
    EXPECT_EQ(open(wrong), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    wrong = right;
    wrong.inode += 1;
    EXPECT_EQ(open(wrong), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    EXPECT_OK(open(right));
}

/// A process with memory to share, as another user if `user` is one.
class Maker {
  public:
    explicit Maker(uid_t user) {
        int ends[2];
        EXPECT_EQ(pipe(ends), 0);
        process_ = fork();
        if (process_ == 0) {
            const FileDescriptor memory = machine::shared_file::create(Content::memory, kBytes);
            const int number = memory.get();
            struct stat about {};
            if (user != 0 && setresuid(user, user, user) != 0) _exit(1);
            const bool told = fstat(memory.get(), &about) == 0 &&
                              write(ends[1], &about, sizeof about) == sizeof about &&
                              write(ends[1], &number, sizeof number) == sizeof number;
            if (told) pause();
            _exit(1);
        }
        close(ends[1]);
        const FileDescriptor from(ends[0]);
        EXPECT_EQ(read(from.get(), &about_, sizeof about_), static_cast<ssize_t>(sizeof about_));
        EXPECT_EQ(read(from.get(), &number_, sizeof number_), static_cast<ssize_t>(sizeof number_));
    }
    ~Maker() {
        kill(process_, SIGKILL);
        waitpid(process_, nullptr, 0);
    }
    IpcHandle handle() const {
        return {number_,      IpcHandle::Kind::memory, process_, ZE_MEMORY_TYPE_DEVICE, about_.st_ino, kBytes, 0,
                about_.st_dev};
    }

  private:
    pid_t process_ = -1;
    int number_ = -1;
    struct stat about_ {};
};

TEST_F(IpcHandleTest, MemoryIsFetchedFromProcessesOfTheSameUserOnly) {
    const Maker own(0);
    EXPECT_OK(open(own.handle()));
    if (geteuid() != 0) GTEST_SKIP() << "only a privileged process could fetch from another user's";
    const Maker foreign(65534);
    EXPECT_EQ(open(foreign.handle()), ZE_RESULT_ERROR_INVALID_ARGUMENT);
}

}  // namespace
}  // namespace zetl::emulator::driver::test
