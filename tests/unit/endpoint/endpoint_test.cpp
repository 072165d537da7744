// Where processes listen: directories that must not be trusted, names that killed processes left behind.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>

#include <filesystem>
#include <fstream>

#include "endpoint/name.h"
#include "endpoint/stale_endpoints.h"
#include "endpoint/unshared_descriptor.h"
#include "endpoint/user_directory.h"

namespace zetl::endpoint {
namespace {

namespace fs = std::filesystem;

class Endpoint : public testing::Test {
  protected:
    Endpoint() {
        std::string pattern = fs::temp_directory_path() / "zetl-endpoint-XXXXXX";
        place_ = mkdtemp(pattern.data());
    }
    ~Endpoint() override { fs::remove_all(place_); }

    OpenedDirectory open(bool create, uid_t owner = geteuid()) const {
        const FileDescriptor root(::open("/", O_PATH | O_DIRECTORY | O_CLOEXEC));
        return openUserDirectory(root.get(), {place_, "own"}, owner, create);
    }
    fs::path own() const { return place_ / "own"; }
    /// A socket at which somebody listens, or, closed again, nobody.
    FileDescriptor socketAt(int directory, const std::string& name) const {
        FileDescriptor socket(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0));
        const auto address = socketAddress(directory, name);
        EXPECT_EQ(bind(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
        EXPECT_EQ(listen(socket.get(), 1), 0);
        return socket;
    }
    void makeOld(const std::string& name) const {
        const timespec times[2] = {{1000, 0}, {1000, 0}};
        EXPECT_EQ(utimensat(AT_FDCWD, (own() / name).c_str(), times, 0), 0);
    }
    fs::path place_;
};

TEST_F(Endpoint, DirectoryIsMadeForItsUserAlone) {
    EXPECT_EQ(open(false).error, ENOENT);
    const auto mask = umask(0777);
    const auto opened = open(true);
    umask(mask);
    ASSERT_TRUE(opened.descriptor) << opened.refusal;
    EXPECT_EQ(fs::status(own()).permissions(), fs::perms::owner_all);
    EXPECT_TRUE(open(false).descriptor) << "found again";
}

TEST_F(Endpoint, DirectoryThatOthersMayEnterIsRefused) {
    fs::create_directory(own());
    for (const auto mode : {0755, 0770, 0701, 01777}) {
        ASSERT_EQ(chmod(own().c_str(), mode), 0);
        const auto opened = open(true);
        EXPECT_FALSE(opened.descriptor);
        EXPECT_NE(opened.refusal.find("open to other users"), std::string::npos) << opened.refusal;
    }
}

TEST_F(Endpoint, LinkFileAndWhatIsSomebodyElsesAreRefused) {
    fs::create_directory(place_ / "target");
    fs::create_directory_symlink(place_ / "target", own());
    EXPECT_NE(open(true).refusal.find("symbolic link"), std::string::npos);
    fs::remove(own());
    std::ofstream(own()) << "a file";
    EXPECT_NE(open(true).refusal.find("no directory"), std::string::npos);
    fs::remove(own());
    fs::create_directory(own());
    fs::permissions(own(), fs::perms::owner_all);
    EXPECT_NE(open(true, geteuid() + 1).refusal.find("belongs to user"), std::string::npos);
}

TEST_F(Endpoint, ParentOfSomebodyElseIsPassedOver) {
    const FileDescriptor root(::open("/", O_PATH | O_DIRECTORY | O_CLOEXEC));
    const auto opened = openUserDirectory(root.get(), {place_, "own", true}, geteuid() + 1, true);
    EXPECT_FALSE(opened.descriptor);
    EXPECT_TRUE(opened.refusal.empty());
    EXPECT_FALSE(fs::exists(own()));
}

TEST_F(Endpoint, CandidatesAreTheSessionsTheUsersAndTheProcesss) {
    const auto all = UserDirectory::of(1000, "/somewhere", "debug-1-2-3");
    ASSERT_EQ(all.size(), 4u);
    EXPECT_EQ(all[0].parent, "/somewhere");
    EXPECT_EQ(all[1].parent, "/run/user/1000");
    EXPECT_EQ(all[2].name, "ze-tools-layer-1000");
    EXPECT_TRUE(all[3].ofOneProcess);
    EXPECT_EQ(UserDirectory::of(std::nullopt, "relative", "debug-1-2-3").size(), 1u) << "no number, no directory of it";
    EXPECT_EQ(UserDirectory::spare(1000).at(0).name, "ze-tools-layer-1000.1");
    EXPECT_EQ(UserDirectory::spare(1000).at(1).name, "ze-tools-layer-1000.2");
}

TEST_F(Endpoint, SocketsOfKilledProcessesAreRemovedAndNothingElse) {
    const auto directory = open(true);
    ASSERT_TRUE(directory.descriptor);
    const int at = directory.descriptor.get();
    ProcessDirectory self;
    ASSERT_TRUE(ProcessDirectory::openSelf(self));
    for (const auto* name : {"debug-1-4000000-1", ".debug-1-4000000-1-7", "debug-1-4000000-2"}) socketAt(at, name);
    socketAt(at, endpointName("debug", self));  // of a living process, though nobody listens
    const auto living = socketAt(at, "debug-2-4000000-1");
    std::ofstream(own() / "debug-file") << "not ours";
    for (const auto* name : {"debug-1-4000000-1", ".debug-1-4000000-1-7", "debug-2-4000000-1", "debug-file"})
        makeOld(name);
    makeOld(endpointName("debug", self));
    removeStaleEndpoints(at);
    EXPECT_FALSE(fs::exists(own() / "debug-1-4000000-1"));
    EXPECT_FALSE(fs::exists(own() / ".debug-1-4000000-1-7"));
    EXPECT_TRUE(fs::exists(own() / "debug-1-4000000-2")) << "young: it may be about to listen";
    EXPECT_TRUE(fs::exists(own() / endpointName("debug", self)));
    EXPECT_TRUE(fs::exists(own() / "debug-2-4000000-1")) << "of another pid namespace";
    EXPECT_TRUE(fs::exists(own() / "debug-file"));
}

TEST_F(Endpoint, ForkedChildClosesWhatMeansItsParent) {
    int pair[2];
    ASSERT_EQ(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair), 0);
    const int number = pair[0];
    const FileDescriptor theirs(pair[1]);
    UnsharedDescriptor unshared{FileDescriptor(number)};
    const pid_t child = fork();
    if (child == 0) {
        const bool closed = fcntl(number, F_GETFD) == -1;
        const FileDescriptor reused(dup(STDIN_FILENO));
        unshared.~UnsharedDescriptor();  // must leave what has the number now
        _exit(closed && reused.get() == number && fcntl(number, F_GETFD) != -1 ? 0 : 1);
    }
    int status = 0;
    waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
    EXPECT_NE(fcntl(number, F_GETFD), -1);
}

}  // namespace
}  // namespace zetl::endpoint
