# Turns the page's style and script into string constants, so that the program needs no file of its own at run time.
# cmake -DOUTPUT=<file.cc> -DSTYLE=<report.css> -DSCRIPT=<report.js> -P embed_page.cmake
file(READ ${STYLE} style)
file(READ ${SCRIPT} script)
file(WRITE ${OUTPUT} "#include \"harness/results/html/page.h\"\n\nnamespace qconform::harness {\n\nconst char kPageStyle[] = R\"qconform(${style})qconform\";\n\nconst char kPageScript[] = R\"qconform(${script})qconform\";\n\n}  // namespace qconform::harness\n")
