// How tables fit a terminal, and a file.
#include "text/terminal.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include "text/demangled.h"

namespace {

using namespace zetl::command;

/// Sets a variable, and puts back what it was.
class Variable {
  public:
    Variable(const char* name, const char* value) : name_(name) {
        if (const char* old = std::getenv(name)) old_ = old;
        setenv(name, value, 1);
    }
    ~Variable() { old_.empty() ? unsetenv(name_) : setenv(name_, old_.c_str(), 1); }
    Variable(const Variable&) = delete;
    Variable& operator=(const Variable&) = delete;

  private:
    const char* name_;
    std::string old_;
};

TEST(Terminal, TheVariableDecidesTheWidth) {
    for (const auto& [columns, width] :
         {std::pair{"132", 132u}, {"80", 80u}, {"12", 80u}, {"many", 120u}, {"", 120u}, {"-3", 120u}}) {
        const Variable set("COLUMNS", columns);
        int ends[2];
        ASSERT_EQ(pipe(ends), 0);
        const auto terminal = Terminal::of(ends[1]);
        close(ends[0]);
        close(ends[1]);
        EXPECT_EQ(terminal.width, width) << columns;
        EXPECT_FALSE(terminal.colours) << "a pipe";
    }
}

TEST(Terminal, TheFirstVariableThatIsSetDecidesTheEncoding) {
    const Variable all("LC_ALL", "C.UTF-8");
    EXPECT_TRUE(Terminal::of(-1).blocks);
    const Variable plain("LC_ALL", "C");
    const Variable language("LANG", "en_GB.UTF-8");
    EXPECT_FALSE(Terminal::of(-1).blocks);
}

TEST(Terminal, NamesAreCutBetweenCharacters) {
    EXPECT_EQ(cutInMiddle("zeCommandListClose", 18), "zeCommandListClose");
    EXPECT_EQ(cutInMiddle("zeCommandListClose", 9), "zeCo\u2026lose");
    EXPECT_EQ(cutInMiddle("zeCommandListClose", 2), "z\u2026");
    EXPECT_EQ(cutInMiddle("zeCommandListClose", 1), "\u2026");
    EXPECT_EQ(cutInMiddle("\u00e4\u00f6\u00fc\u00df", 3), "\u00e4\u2026\u00df");
    EXPECT_EQ(cutAtEnd("\u00e4\u00f6\u00fc", 2), "\u00e4\u2026");
    EXPECT_EQ(cutAtEnd("", 1), "");
    EXPECT_EQ(padded("\u00e4", 3), "\u00e4  ");
    EXPECT_EQ(lengthOf(std::string("a\xff")), 2u) << "a damaged sequence";
}

TEST(Terminal, WordsGoIntoLines) {
    using Lines = std::vector<std::string>;
    EXPECT_EQ(inLines("a list of words", 6), (Lines{"a list", "of", "words"}));
    EXPECT_EQ(inLines("abcdefgh", 3), (Lines{"abc", "def", "gh"}));
    EXPECT_EQ(inLines("", 3), Lines{""});
}

TEST(Terminal, BarsAreAsLongAsTheirShare) {
    Terminal plain;
    EXPECT_EQ(bar(0.5, 4, plain), "##  ");
    EXPECT_EQ(bar(7, 4, plain), "####");
    Terminal blocks;
    blocks.blocks = true;
    EXPECT_EQ(bar(0.5, 3, blocks), "\u2588\u258c ");
    EXPECT_EQ(bar(1e-9, 3, blocks), "\u258f  ") << "little is not nothing";
    EXPECT_EQ(bar(0, 3, blocks), "   ");
}

TEST(Names, AreThoseOfTheSource) {
    EXPECT_EQ(demangled("vector_add"), "vector_add");
    EXPECT_EQ(demangled("_Z3addPfS_i"), "add(float*, float*, int)");
    EXPECT_EQ(demangled("_ZTSN4sycl6kernelE"), "sycl::kernel") << "a SYCL kernel's";
    EXPECT_EQ(demangled("_Znonsense"), "_Znonsense");
    EXPECT_EQ(demangled(""), "");
}

}  // namespace
