# The flags and the two kinds of target that every folder uses.
include(GoogleTest)

add_library(qconform_flags INTERFACE)
target_include_directories(qconform_flags INTERFACE ${PROJECT_SOURCE_DIR})
# Contraction would make results depend on whether the target has a fused multiply-add (AR-10).
target_compile_options(qconform_flags INTERFACE -Wall -Wextra -Werror -ffp-contract=off)
if(QCONFORM_SANITIZE)
  # Without the checks that AddressSanitizer makes too (null) or that only bloat what they instrument: a third less to compile.
  target_compile_options(qconform_flags INTERFACE -O1 -fsanitize=address,undefined -fno-sanitize=vptr,null,object-size
                         -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(qconform_flags INTERFACE -fsanitize=address,undefined)
endif()
if(QCONFORM_COVERAGE)
  target_compile_options(qconform_flags INTERFACE -O1 --coverage -fprofile-update=atomic)
  target_link_options(qconform_flags INTERFACE --coverage)
endif()

# Highway 1.0.3 disables EMU128 for every GCC 12 because of GCC PR106322, which Debian's 12.2.0-14 has fixed;
# AVX3_DL is off unless asked for.
add_library(qconform_highway INTERFACE)
target_link_libraries(qconform_highway INTERFACE hwy::hwy)
target_compile_definitions(qconform_highway INTERFACE HWY_BROKEN_EMU128=0 HWY_WANT_AVX3_DL)

# qconform_library(NAME SOURCES a.cc b.cc DEPENDS lib...)
function(qconform_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPENDS" ${ARGN})
  add_library(${name} STATIC ${ARG_SOURCES})
  target_link_libraries(${name} PUBLIC qconform_flags ${ARG_DEPENDS})
endfunction()

# Where tests find testdata/ and the like: #include "qconform_source_dir.h". A header, not a definition on every command line: a
# compiler cache and precompiled headers then serve every checkout.
file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/generated/qconform_source_dir.h @ONLY CONTENT
"#define QCONFORM_SOURCE_DIR \"@PROJECT_SOURCE_DIR@\"
")

# A test must give the same verdict each time it runs on the same code. Searching for new cases is the work of `qconform fuzz`.
set(QCONFORM_PROPERTY_SEED 1 CACHE STRING "Seed of the property tests; empty: a fresh one for every run")

# qconform_test(NAME SOURCES a_test.cc DEPENDS lib...): one test program beside what it tests.
function(qconform_test name)
  cmake_parse_arguments(ARG "" "TIMEOUT" "SOURCES;DEPENDS" ${ARGN})
  if(NOT ARG_TIMEOUT)
    set(ARG_TIMEOUT 600)
    if(QCONFORM_SANITIZE)
      set(ARG_TIMEOUT 1800)  # a busy machine must not fail a slow build
    endif()
  endif()
  add_executable(${name} ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE qconform_flags ${ARG_DEPENDS} GTest::gtest GTest::gmock GTest::gtest_main)
  target_include_directories(${name} PRIVATE ${CMAKE_BINARY_DIR}/generated)
  if(QCONFORM_SANITIZE OR QCONFORM_COVERAGE)
    # The time goes into compiling tests, not into running them. As an option of the sources it comes after -O1.
    set_source_files_properties(${ARG_SOURCES} PROPERTIES COMPILE_OPTIONS -O0)
  endif()
  set(environment)
  if(QCONFORM_PROPERTY_SEED)
    set(environment ENVIRONMENT RC_PARAMS=seed=${QCONFORM_PROPERTY_SEED})
  endif()
  gtest_discover_tests(${name} DISCOVERY_MODE PRE_TEST PROPERTIES TIMEOUT ${ARG_TIMEOUT} ${environment})
endfunction()
