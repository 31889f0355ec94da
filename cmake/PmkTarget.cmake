# SPDX-License-Identifier: BSD-3-Clause
# One interface target carries what every target of ours needs, and one
# function makes a layer; nothing is set globally.
include_guard(GLOBAL)

add_library(pmk_build INTERFACE)
target_compile_definitions(pmk_build INTERFACE _GNU_SOURCE)
target_compile_options(pmk_build INTERFACE
	-Wall -Wextra -Wpedantic -Wshadow -Wvla -Wundef -Wpointer-arith
	-Wstrict-prototypes -Wmissing-prototypes -Wwrite-strings
	-Wimplicit-fallthrough -Wformat=2
	$<$<BOOL:${PMK_WERROR}>:-Werror>)
if(PMK_SANITIZE)
	list(JOIN PMK_SANITIZE "," _san)
	target_compile_options(pmk_build INTERFACE
		-fsanitize=${_san} -fno-sanitize-recover=all -fno-omit-frame-pointer)
	target_link_options(pmk_build INTERFACE -fsanitize=${_san})
endif()
if(PMK_FUZZ)
	# Coverage feedback for the library; the fuzz targets add the main().
	target_compile_options(pmk_build INTERFACE -fsanitize=fuzzer-no-link)
	target_link_options(pmk_build INTERFACE -fsanitize=fuzzer-no-link)
endif()
if(PMK_COVERAGE)
	target_compile_options(pmk_build INTERFACE --coverage)
	target_link_options(pmk_build INTERFACE --coverage)
endif()

# pmk_target(TARGET): the language level and build flags of this project.
function(pmk_target target)
	set_target_properties(${target} PROPERTIES
		C_STANDARD 11 C_STANDARD_REQUIRED ON C_EXTENSIONS ON)
	target_link_libraries(${target} PRIVATE $<BUILD_INTERFACE:pmk_build>)
endfunction()

# pmk_layer(NAME SOURCES file... [LINK target...]): one layer of the library,
# compiled once for the shared and the static library and for the unit tests.
# The layers that a layer may include are checked by tests/hygiene/layers.sh.
function(pmk_layer name)
	cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;LINK")
	add_library(pmk_${name} OBJECT ${arg_SOURCES})
	pmk_target(pmk_${name})
	set_target_properties(pmk_${name} PROPERTIES
		POSITION_INDEPENDENT_CODE ON
		C_VISIBILITY_PRESET hidden)
	target_include_directories(pmk_${name} PUBLIC
		${PROJECT_SOURCE_DIR}/lib ${PROJECT_SOURCE_DIR}/lib/include)
	target_link_libraries(pmk_${name} PRIVATE ${arg_LINK})
	set_property(GLOBAL APPEND PROPERTY PMK_LAYERS pmk_${name})
endfunction()
