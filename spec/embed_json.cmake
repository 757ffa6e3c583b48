# Turns JSON files into string constants, so that the program needs no file of its own at run time.
# cmake -DOUTPUT=<file.cc> -DFUNCTION=<name> -DINPUTS=<a.json,b.json> -P embed_json.cmake
string(REPLACE "," ";" INPUTS "${INPUTS}")
set(content "#include \"spec/embedded_json.h\"\n\nnamespace qconform::spec {\n\nconst std::vector<EmbeddedJson>& ${FUNCTION}() {\n  static const auto* const kFiles = new std::vector<EmbeddedJson>{\n")
foreach(input ${INPUTS})
  get_filename_component(name ${input} NAME_WE)
  file(READ ${input} json)
  string(APPEND content "{\"${name}\", R\"qconform(${json})qconform\"},\n")
endforeach()
string(APPEND content "};\n  return *kFiles;\n}\n\n}  // namespace qconform::spec\n")
file(WRITE ${OUTPUT} "${content}")
