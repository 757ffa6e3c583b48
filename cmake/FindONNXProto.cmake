# The generated protobuf classes of the ONNX format, as Debian's libonnx-dev has them: target ONNX::Proto.
find_path(ONNXProto_INCLUDE_DIR onnx/onnx_pb.h)
find_library(ONNXProto_LIBRARY onnx_proto)
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(ONNXProto REQUIRED_VARS ONNXProto_LIBRARY ONNXProto_INCLUDE_DIR)
if(ONNXProto_FOUND AND NOT TARGET ONNX::Proto)
  add_library(ONNX::Proto UNKNOWN IMPORTED)
  set_target_properties(ONNX::Proto PROPERTIES
    IMPORTED_LOCATION ${ONNXProto_LIBRARY}
    INTERFACE_INCLUDE_DIRECTORIES ${ONNXProto_INCLUDE_DIR}
    INTERFACE_SYSTEM_INCLUDE_DIRECTORIES ${ONNXProto_INCLUDE_DIR}
    INTERFACE_COMPILE_DEFINITIONS "ONNX_ML=1;ONNX_NAMESPACE=onnx"
    INTERFACE_LINK_LIBRARIES protobuf::libprotobuf)
endif()
