# Turns the page's style and scripts into string constants, so that the program needs no file of its own at run time.
# The scripts become one function, in the order given.
# cmake -DOUTPUT=<file.cc> -DSTYLE=<file.css> "-DSCRIPTS=<file.js>;<file.js>" -P embed_page.cmake
file(READ ${STYLE} style)
set(scripts "")
foreach(file IN LISTS SCRIPTS)
  file(READ ${file} script)
  string(APPEND scripts "${script}\n")
endforeach()
file(WRITE ${OUTPUT} "#include \"harness/results/html/page.h\"

namespace qconform::harness {

const char kPageStyle[] = R\"qconform(${style})qconform\";

const char kPageScript[] = R\"qconform('use strict';
(() => {
${scripts}})();
)qconform\";

}  // namespace qconform::harness
")
