# The rows of docs/reference/settings.md, where the environment variables are described once: `zetl doctor` knows their names from
# there, and the man pages have their text from there.
#
#   ZETL_SETTINGS                    the names
#   ZETL_LOG_CHANNELS                what ZETL_LOG may name (source/base/log.h)
#   zetl_settings_of(READER OUT)     the rows that READER reads, as a man page's tagged paragraphs
set(settings_page ${PROJECT_SOURCE_DIR}/docs/reference/settings.md)
set_property(DIRECTORY ${PROJECT_SOURCE_DIR} APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${settings_page})

file(READ ${settings_page} settings_text)
string(REPLACE ";" "<semicolon>" settings_text "${settings_text}")
string(REGEX MATCHALL "\n\\| `ZETL_[^\n]*" settings_rows "${settings_text}")
string(REGEX MATCHALL "ZETL_[A-Z_]+" ZETL_SETTINGS "${settings_rows}")

set(log_header ${PROJECT_SOURCE_DIR}/source/base/log.h)
set_property(DIRECTORY ${PROJECT_SOURCE_DIR} APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${log_header})
file(STRINGS ${log_header} channels REGEX "^enum class .*{ layer, ")
string(REGEX REPLACE "^.*{ | }.*$" "" ZETL_LOG_CHANNELS "${channels}")
string(REPLACE ", " ";" ZETL_LOG_CHANNELS "${ZETL_LOG_CHANNELS}")

function(zetl_settings_of reader out)
    set(text "")
    foreach(row IN LISTS settings_rows)
        if(row MATCHES "^\n\\| (`ZETL_[A-Z_`, ]+) \\| ([^|]*) \\| (.*) \\|$")
            set(name ${CMAKE_MATCH_1})
            set(value ${CMAKE_MATCH_3})
            if(CMAKE_MATCH_2 MATCHES "${reader}")
                string(APPEND text ".TP\n.B ${name}\n${value}\n")
            endif()
        endif()
    endforeach()
    string(REPLACE "\\" "\\e" text "${text}")
    string(REPLACE "`" "" text "${text}")
    string(REPLACE "-" "\\-" text "${text}")
    string(REPLACE "<semicolon>" ";" text "${text}")
    set(${out} "${text}" PARENT_SCOPE)
endfunction()
