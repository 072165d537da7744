# ctest reads this after the list of a program's tests, and gives the tests that zetl_leave_out names their labels. A name that no
# test has becomes a test that cannot run, so a renamed test is noticed.
if(NOT DEFINED ${zetl_program}_TESTS)
    return()  # not built
endif()
foreach(name IN LISTS zetl_names)
    string(REPLACE "." "\\." pattern ${name})
    string(REPLACE "*" ".*" pattern ${pattern})
    set(found OFF)
    foreach(test IN LISTS ${zetl_program}_TESTS)
        if(test MATCHES "(^|\\.)${pattern}$")
            set(found ON)
            string(MD5 key "${test}")
            list(APPEND zetl_labels_of_${key} ${zetl_labels})  # other lists may have it, too
            set_tests_properties(${test} PROPERTIES LABELS "${zetl_labels_of_${key}}")
        endif()
    endforeach()
    if(NOT found)
        add_test("${zetl_program} has no test ${name}" "${zetl_program} has no test ${name}")
    endif()
endforeach()
