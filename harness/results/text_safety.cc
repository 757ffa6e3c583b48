#include "harness/results/text_safety.h"

#include <cstdint>

namespace qconform::harness {
namespace {

// Length of the character that starts at `begin`, if it is well-formed UTF-8
// that XML and JSON take; else 0.
size_t CharacterLength(const std::string& text, size_t begin) {
  const auto byte = [&](size_t i) { return static_cast<uint8_t>(text[i]); };
  const uint8_t first = byte(begin);
  if (first < 0x80) {
    return first >= 0x20 || first == '\t' || first == '\n' ? first != 0x7f : 0;
  }
  const size_t length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4 || begin + length > text.size()) return 0;
  uint32_t code = first & (0xff >> (length + 1));
  for (size_t i = begin + 1; i < begin + length; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return 0;
    code = code << 6 | (byte(i) & 0x3f);
  }
  const uint32_t smallest = length == 2 ? 0x80 : length == 3 ? 0x800 : 0x10000;
  const bool surrogate = code >= 0xd800 && code <= 0xdfff;
  const bool no_character = code == 0xfffe || code == 0xffff;
  return code < smallest || code > 0x10ffff || surrogate || no_character
             ? 0
             : length;
}

}  // namespace

std::string CleanText(const std::string& text) {
  std::string clean;
  for (size_t i = 0; i < text.size();) {
    const size_t length = CharacterLength(text, i);
    if (length == 0) {
      clean += "\xef\xbf\xbd";
      ++i;
    } else {
      clean.append(text, i, length);
      i += length;
    }
  }
  return clean;
}

std::string CutText(const std::string& text, size_t size) {
  if (text.size() <= size) return text;
  while (size > 0 && (static_cast<uint8_t>(text[size]) & 0xc0) == 0x80) --size;
  return text.substr(0, size) + "...";
}

}  // namespace qconform::harness
