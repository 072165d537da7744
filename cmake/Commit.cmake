# `zetl --version` names the commit it was built from: a source that is written anew when the commit changes. A release
# without a repository sets ZETL_COMMIT. Included by the project, and run by the target zetl_commit_source at each build.
if(NOT CMAKE_SCRIPT_MODE_FILE)
    set(ZETL_COMMIT "" CACHE STRING "Commit that `zetl --version` names; empty: ask git")
    set(source ${PROJECT_BINARY_DIR}/commit/commit.cpp)
    add_custom_target(zetl_commit_source BYPRODUCTS ${source}
        COMMAND ${CMAKE_COMMAND} -DOUTPUT=${source} -DDIRECTORY=${PROJECT_SOURCE_DIR} -DCOMMIT=${ZETL_COMMIT}
            -P ${CMAKE_CURRENT_LIST_FILE})
    add_library(zetl_commit STATIC ${source})
    add_dependencies(zetl_commit zetl_commit_source)
    return()
endif()

if(NOT COMMIT)
    execute_process(COMMAND git rev-parse --short=12 HEAD WORKING_DIRECTORY ${DIRECTORY}
        OUTPUT_VARIABLE COMMIT OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE failed)
endif()
set(text "namespace zetl::command {\nextern const char* const kCommit;\nconst char* const kCommit = \"${COMMIT}\";\n}\n")
set(former "")
if(EXISTS ${OUTPUT})
    file(READ ${OUTPUT} former)
endif()
if(NOT text STREQUAL former)
    file(WRITE ${OUTPUT} "${text}")
endif()
