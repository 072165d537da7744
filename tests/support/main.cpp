#include "support/scenario.h"

int main(int argc, char** argv) { return zetl::test::mainOf(argc, argv); }
