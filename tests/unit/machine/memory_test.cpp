#include "emulator/machine/memory.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include "base/file_descriptor.h"
#include "emulator/machine/memory/allocation_table.h"
#include "emulator/machine/memory/shared_file.h"
#include "support/wait_for.h"

namespace zetl::emulator::machine {
namespace {

char* at(std::uint64_t address) { return reinterpret_cast<char*>(address); }

TEST(Memory, AllocationsAreZeroedHostMemoryWithExactBounds) {
    Memory memory;
    const auto answer = memory.allocate({.bytes = 1000, .owner = 7});
    ASSERT_EQ(answer.status, MemoryStatus::ok);
    for (int i = 0; i < 1000; ++i) EXPECT_EQ(at(answer.address)[i], 0);
    const auto found = memory.find(answer.address + 999);
    ASSERT_TRUE(found);
    EXPECT_EQ(found->begin, answer.address);
    EXPECT_EQ(found->bytes(), 1000u);
    EXPECT_EQ(found->owner, 7u);
    EXPECT_FALSE(memory.find(answer.address + 1000));
    EXPECT_EQ(memory.free(answer.address), MemoryStatus::ok);
    EXPECT_FALSE(memory.find(answer.address));
}

bool isPresent(std::uint64_t address) {
    unsigned char present = 0;
    return mincore(at(address & ~(Memory::pageBytes() - 1)), 1, &present) == 0 && (present & 1) != 0;
}

TEST(Memory, LargeAllocationsTakeThePagesOfFreedOnesZeroed) {
    constexpr std::uint64_t kBytes = (6u << 20) + 1;
    constexpr std::uint64_t kTouched = 4u << 20;
    Memory memory;
    const auto first = memory.allocate({.bytes = kBytes});
    std::memset(at(first.address), 0x5a, kTouched);
    at(first.address)[kBytes - 1] = 1;
    EXPECT_EQ(memory.free(first.address), MemoryStatus::ok);
    const auto second = memory.allocate({.bytes = kBytes});
    ASSERT_EQ(second.status, MemoryStatus::ok);
    EXPECT_NE(second.address, first.address);  // a use of the freed address is still a fault
    EXPECT_FALSE(isPresent(first.address));
    for (std::uint64_t i = 0; i < kTouched; i += Memory::pageBytes()) ASSERT_TRUE(isPresent(second.address + i)) << i;
    EXPECT_FALSE(isPresent(second.address + kTouched));  // what the program did not use costs nothing
    for (std::uint64_t i = 0; i < kBytes; ++i) ASSERT_EQ(at(second.address)[i], 0) << i;
    EXPECT_EQ(memory.allocate({.bytes = kBytes}).status, MemoryStatus::ok);  // there are no more
}

TEST(Memory, PagesThatTheProgramProtectedAreOpenWhenTheyComeAgain) {
    constexpr std::uint64_t kBytes = 4u << 20;
    Memory memory;
    const auto first = memory.allocate({.bytes = kBytes});
    std::memset(at(first.address), 0x5a, kBytes);
    ASSERT_EQ(mprotect(at(first.address), kBytes, PROT_NONE), 0);
    EXPECT_EQ(memory.free(first.address), MemoryStatus::ok);
    const auto second = memory.allocate({.bytes = kBytes});
    ASSERT_EQ(second.status, MemoryStatus::ok);
    EXPECT_EQ(at(second.address)[kBytes - 1], 0);
}

TEST(Memory, RefusesWhatCannotBe) {
    Memory memory;
    EXPECT_EQ(memory.allocate({.bytes = 0}).status, MemoryStatus::invalid);
    EXPECT_EQ(memory.allocate({.bytes = 64, .alignment = 3}).status, MemoryStatus::invalid);
    EXPECT_EQ(memory.allocate({.bytes = 65, .largest = 64}).status, MemoryStatus::tooLarge);
    EXPECT_EQ(memory.allocate({.bytes = ~0ull}).status, MemoryStatus::tooLarge);
    EXPECT_EQ(memory.allocate({.bytes = 1ull << 60}).status, MemoryStatus::outOfHostMemory);
    EXPECT_EQ(memory.free(0x1000), MemoryStatus::invalid);
    const auto answer = memory.allocate({.bytes = 4096});
    EXPECT_EQ(memory.free(answer.address + 8), MemoryStatus::invalid);
    EXPECT_EQ(memory.free(answer.address), MemoryStatus::ok);
    EXPECT_EQ(memory.free(answer.address), MemoryStatus::invalid);
}

TEST(Memory, BudgetIsTakenAndGivenBack) {
    Memory memory;
    const auto budget = std::make_shared<MemoryBudget>(3 * Memory::pageBytes());
    const auto first = memory.allocate({.bytes = 2 * Memory::pageBytes(), .budget = budget});
    EXPECT_EQ(first.status, MemoryStatus::ok);
    EXPECT_EQ(memory.allocate({.bytes = 2 * Memory::pageBytes(), .budget = budget}).status,
              MemoryStatus::outOfDeviceMemory);
    EXPECT_EQ(memory.free(first.address), MemoryStatus::ok);
    EXPECT_EQ(budget->used(), 0u);
    EXPECT_EQ(memory.allocate({.bytes = 2 * Memory::pageBytes(), .budget = budget}).status, MemoryStatus::ok);
}

TEST(Memory, AlignmentIsKept) {
    Memory memory;
    for (const std::uint64_t alignment : {64ull, 4096ull, 65536ull, 2ull << 20, 64ull << 20}) {
        const auto answer = memory.allocate({.bytes = 100, .alignment = alignment});
        ASSERT_EQ(answer.status, MemoryStatus::ok);
        EXPECT_EQ(answer.address % alignment, 0u);
    }
}

// What lies behind the end, up to the end of a page of 64 KiB, belongs to no other.
TEST(Memory, AllocationsHavePagesOfTheirOwn) {
    constexpr std::uint64_t kPage = 64 << 10;
    Memory memory;
    std::vector<std::uint64_t> begins;
    for (const MemoryKind kind : {MemoryKind::device, MemoryKind::host, MemoryKind::shared})
        for (const std::uint64_t bytes : {std::uint64_t{1}, std::uint64_t{4096}, kPage - 1, kPage, kPage + 1}) {
            const std::uint64_t address = memory.allocate({.bytes = bytes, .kind = kind}).address;
            EXPECT_EQ(address % kPage, 0u);
            const Allocation allocation = *memory.find(address);
            EXPECT_EQ(allocation.bytes(), bytes);
            EXPECT_EQ(allocation.reach, address + (bytes + kPage - 1) / kPage * kPage);
            std::memset(reinterpret_cast<void*>(address), 1, allocation.reach - address);
            begins.push_back(address);
        }
    for (const std::uint64_t begin : begins) EXPECT_EQ(memory.free(begin), MemoryStatus::ok);
    EXPECT_EQ(memory.allocate({.bytes = ~0ull - 4096}).status, MemoryStatus::tooLarge);
}

TEST(Memory, ExplainsWhatIsWrongWithAnAddress) {
    Memory memory;
    const std::uint64_t address = memory.allocate({.bytes = 100}).address;
    const Fault past = memory.explain(address + 98, 4, Access::read);
    EXPECT_EQ(past.kind, FaultKind::pageFault);
    EXPECT_NE(past.detail.find("past the end"), std::string::npos) << past.detail;
    EXPECT_NE(memory.explain(address + 108, 4, Access::write).detail.find("8 bytes behind"), std::string::npos);
    memory.free(address);
    EXPECT_EQ(memory.explain(address + 4, 4, Access::write).kind, FaultKind::useAfterFree);
    const std::uint64_t reserved = memory.reserve(0, 1 << 20).address;
    EXPECT_NE(memory.explain(reserved, 4, Access::read).detail.find("reservation"), std::string::npos);
    EXPECT_EQ(memory.explain(0, 4, Access::write).detail, "the pointer is null");
    EXPECT_EQ(memory.explain(60, 4, Access::write).detail, "60 bytes past a null pointer");
}

TEST(Memory, FreedAddressesAreNotReusedSoon) {
    Memory memory;
    const std::uint64_t address = memory.allocate({.bytes = 4096}).address;
    memory.free(address);
    for (int i = 0; i < 200; ++i) EXPECT_NE(memory.allocate({.bytes = 4096}).address, address);
    EXPECT_EQ(memory.explain(address, 1, Access::read).kind, FaultKind::useAfterFree);
}

TEST(Memory, ReadAndWriteNeedEveryByte) {
    Memory memory;
    const std::uint64_t address = memory.allocate({.bytes = 16}).address;
    std::uint64_t value = 0x1122334455667788;
    EXPECT_TRUE(memory.write(address + 8, &value, 8));
    value = 0;
    EXPECT_TRUE(memory.read(address + 8, &value, 8));
    EXPECT_EQ(value, 0x1122334455667788u);
    EXPECT_FALSE(memory.write(address + 9, &value, 8));
    EXPECT_FALSE(memory.read(address + 9, &value, 8));
    EXPECT_FALSE(memory.read(~0ull - 3, &value, 8));
}

TEST(Memory, VirtualRangesAreMappedProtectedAndUnmapped) {
    Memory memory;
    const std::uint64_t page = Memory::pageBytes();
    const std::uint64_t base = memory.reserve(0, 8 * page).address;
    ASSERT_NE(base, 0u);
    EXPECT_FALSE(memory.find(base));
    auto physical = memory.createPhysical(4 * page, nullptr);
    ASSERT_TRUE(physical);
    EXPECT_EQ(memory.map(base, 4 * page, physical, page, Permission::readWrite, 0), MemoryStatus::invalid);
    EXPECT_EQ(memory.map(base, 4 * page, physical, 0, Permission::readWrite, 0), MemoryStatus::ok);
    EXPECT_EQ(memory.map(base + page, page, physical, 0, Permission::readWrite, 0), MemoryStatus::invalid);
    EXPECT_EQ(memory.map(base + 4 * page, 4 * page, physical, 0, Permission::readWrite, 0), MemoryStatus::ok);
    at(base)[3] = 42;
    EXPECT_EQ(at(base + 4 * page)[3], 42) << "both ranges show the same memory";

    EXPECT_EQ(memory.protect(base + page, page, Permission::read), MemoryStatus::ok);
    char byte = 1;
    EXPECT_TRUE(memory.read(base + page, &byte, 1));
    EXPECT_FALSE(memory.write(base + page, &byte, 1));
    EXPECT_EQ(memory.explain(base + page, 1, Access::write).kind, FaultKind::accessDenied);
    EXPECT_TRUE(memory.write(base + 2 * page, &byte, 1));
    EXPECT_EQ(memory.protect(base + page, page, Permission::none), MemoryStatus::ok);
    EXPECT_FALSE(memory.read(base + page, &byte, 1));

    EXPECT_EQ(memory.unmap(base, 4 * page), MemoryStatus::ok);
    EXPECT_EQ(memory.unmap(base, 4 * page), MemoryStatus::ok) << "reserved, with nothing to unmap";
    EXPECT_EQ(memory.protect(base, 4 * page, Permission::readWrite), MemoryStatus::ok);
    EXPECT_EQ(memory.unmap(base + page, 4 * page), MemoryStatus::invalid) << "half of a mapping";
    EXPECT_FALSE(memory.physicalBehind(base)) << "nothing is mapped there";
    EXPECT_EQ(memory.physicalBehind(base + 4 * page + 5)->offset % page, 5u);
    EXPECT_EQ(memory.release(base, 4 * page), MemoryStatus::invalid);
    EXPECT_TRUE(memory.physicalBehind(base + 4 * page)) << "a refused call unmaps nothing";
    const std::weak_ptr<PhysicalMemory> kept = physical;
    physical.reset();
    EXPECT_EQ(memory.release(base, 8 * page), MemoryStatus::ok) << "with what is mapped";
    EXPECT_TRUE(kept.expired());
    EXPECT_FALSE(memory.read(base + 4 * page, &byte, 1));
    EXPECT_EQ(memory.release(base, 8 * page), MemoryStatus::invalid);
}

TEST(Memory, ExportedPagesAreSharedWithTheDescriptor) {
    Memory memory;
    const std::uint64_t address = memory.allocate({.bytes = 5000}).address;
    at(address)[4999] = 'x';
    const auto descriptor = memory.exportDescriptor(address + 4000);
    ASSERT_TRUE(descriptor);
    EXPECT_EQ(at(address)[4999], 'x');
    EXPECT_NE(ftruncate(descriptor.get(), 0), 0) << "its pages stay";
    const auto imported = memory.import(descriptor.get(), 5000, 1);
    ASSERT_EQ(imported.status, MemoryStatus::ok);
    EXPECT_EQ(at(imported.address)[4999], 'x');
    at(imported.address)[0] = 'y';
    EXPECT_EQ(at(address)[0], 'y');
    EXPECT_EQ(memory.import(descriptor.get(), 1 << 20, 1).status, MemoryStatus::invalid)
        << "beyond the end of the pages";
    EXPECT_EQ(memory.import(-1, 4096, 1).status, MemoryStatus::invalid);
    EXPECT_EQ(memory.free(address), MemoryStatus::ok);
    EXPECT_EQ(at(imported.address)[0], 'y') << "the import keeps the pages";
    EXPECT_FALSE(memory.exportDescriptor(0x1000));
}

// A thread of the application writes numbers that grow into page after page; none may be lost to the export.
TEST(Memory, HostStoresDuringTheFirstExportAreKept) {
    constexpr std::uint64_t kPages = 4096;
    Memory memory;
    const std::uint64_t page = Memory::pageBytes();
    const std::uint64_t begin = memory.allocate({.bytes = kPages * page, .shareable = true}).address;
    std::vector<std::uint64_t> last(kPages, 0);
    std::atomic<std::uint64_t> rounds{0};
    std::atomic<bool> stop{false};
    std::thread host([&] {
        for (std::uint64_t value = 1; !stop; ++value) {
            for (std::uint64_t i = 0; i < kPages; ++i) {
                *reinterpret_cast<volatile std::uint64_t*>(begin + i * page) = value;
                last[i] = value;
            }
            rounds = value;
        }
    });
    while (rounds < 2) std::this_thread::yield();
    const auto file = memory.exportDescriptor(begin);
    const std::uint64_t after = rounds;
    while (rounds == after) std::this_thread::yield();
    stop = true;
    host.join();
    ASSERT_TRUE(file);
    const auto imported = memory.import(file.get(), kPages * page, 1);
    ASSERT_EQ(imported.status, MemoryStatus::ok);
    for (std::uint64_t i = 0; i < kPages; ++i) {
        ASSERT_EQ(*reinterpret_cast<std::uint64_t*>(begin + i * page), last[i]) << i;
        ASSERT_EQ(*reinterpret_cast<std::uint64_t*>(imported.address + i * page), last[i]) << i;
    }
}

TEST(Memory, ShareableAllocationsDoNotUseUpTheDescriptors) {
    Memory memory;
    std::vector<std::uint64_t> all;
    for (std::uint64_t i = 0; i < shared_file::mostSpare() + 10 && i < 4000; ++i)
        all.push_back(memory.allocate({.bytes = 4096, .shareable = true}).address);
    const FileDescriptor low(open("/dev/null", O_RDONLY | O_CLOEXEC));
    EXPECT_LT(low.get(), 512) << "those of shareable memory are out of the way";
    for (const std::uint64_t each : all) EXPECT_TRUE(memory.exportDescriptor(each));
    for (const std::uint64_t each : all) EXPECT_EQ(memory.free(each), MemoryStatus::ok);
}

// A peer that cuts a mapped file short ends the process with the next touch.
TEST(Memory, OnlyFilesThatKeepTheirSizeAreImported) {
    constexpr std::uint64_t kBytes = 8192;
    Memory memory;
    std::string path = testing::TempDir() + "zetl-import-XXXXXX";
    const FileDescriptor onDisk(mkostemp(path.data(), O_CLOEXEC));
    ASSERT_TRUE(onDisk);
    unlink(path.c_str());
    const FileDescriptor unsealable(memfd_create("unsealable", MFD_CLOEXEC));
    for (const int each : {onDisk.get(), unsealable.get()}) {
        ASSERT_EQ(ftruncate(each, kBytes), 0);
        EXPECT_EQ(memory.import(each, kBytes, 1).status, MemoryStatus::invalid);
        EXPECT_EQ(memory.importPhysical(each, kBytes), nullptr);
    }
    for (const bool physical : {false, true}) {
        const FileDescriptor unsealed(memfd_create("unsealed", MFD_CLOEXEC | MFD_ALLOW_SEALING));
        ASSERT_EQ(ftruncate(unsealed.get(), kBytes), 0);
        if (physical)
            EXPECT_NE(memory.importPhysical(unsealed.get(), kBytes), nullptr);
        else
            EXPECT_EQ(memory.import(unsealed.get(), kBytes, 1).status, MemoryStatus::ok);
        EXPECT_NE(ftruncate(unsealed.get(), 0), 0) << "sealed when it was imported";
        EXPECT_EQ(ftruncate(unsealed.get(), 2 * kBytes), 0) << "more harms nobody";
    }
}

TEST(Memory, ManyAllocationsStaySortedAndFindable) {
    Memory memory;
    std::vector<std::uint64_t> addresses;
    for (int i = 0; i < 3000; ++i) addresses.push_back(memory.allocate({.bytes = 64}).address);
    for (std::size_t i = 0; i < addresses.size(); i += 2) EXPECT_EQ(memory.free(addresses[i]), MemoryStatus::ok);
    for (std::size_t i = 0; i < addresses.size(); ++i) EXPECT_EQ(memory.find(addresses[i]).has_value(), i % 2 == 1);
    const auto all = memory.list();
    EXPECT_EQ(all.size(), 1500u);
    for (std::size_t i = 1; i < all.size(); ++i) EXPECT_LT(all[i - 1].end, all[i].begin);
}

// A reader that was told that memory is live can use it until it leaves, whatever is freed meanwhile.
TEST(Memory, ReadersAreSafeFromConcurrentFrees) {
    Memory memory;
    const std::uint64_t stable = memory.allocate({.bytes = 4096}).address;
    std::atomic<std::uint64_t> moving{memory.allocate({.bytes = 4096}).address};
    std::atomic<bool> stop{false};
    std::atomic<std::uint64_t> hits{0};
    std::thread reader([&] {
        Quiescence::Reader inside(memory.quiescence());
        while (!stop) {
            inside.enter();
            const std::uint64_t address = moving.load();
            if (const Allocation* found = memory.table().find(address)) {
                hits += 1 + static_cast<std::uint64_t>(at(found->begin)[100]);
            }
            EXPECT_NE(memory.table().find(stable), nullptr);
            inside.leave();
        }
    });
    for (int i = 0; i < 2000; ++i) {
        const std::uint64_t next = memory.allocate({.bytes = 4096}).address;
        memory.free(moving.exchange(next));
        if (i % 500 != 0) continue;
        const auto descriptor = memory.exportDescriptor(stable);
        ASSERT_TRUE(descriptor);
    }
    EXPECT_TRUE(test::waitFor([&] { return hits != 0; }));  // on a busy host it may begin only now
    stop = true;
    reader.join();
}

}  // namespace
}  // namespace zetl::emulator::machine
