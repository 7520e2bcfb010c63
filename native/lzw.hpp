// LZW as TIFF has it: codes of 9 to 12 bits, highest bit first, one bit wider one code early.
//
// A string in the table is an earlier string and one more byte, so it is written backwards from its end. What is
// written never exceeds the room that was asked for, whatever the codes say.
#pragma once

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <vector>

namespace softpq {

class LzwDecoder {
 public:
  LzwDecoder(const std::uint8_t* data, std::size_t length, std::size_t room)
      : data_(data), length_(length), out_(room) {
    for (unsigned code = 0; code < 256; ++code) {
      last_[code] = first_[code] = static_cast<std::uint8_t>(code);
      size_[code] = 1;
    }
  }

  // Exactly as many bytes as there is room for; throws if the data hold fewer.
  std::vector<std::uint8_t> decode() {
    unsigned previous = kNone;
    while (written_ < out_.size()) {
      const unsigned code = next_code();
      if (code == kEnd) break;
      if (code == kClear) {
        next_ = kFirst, width_ = 9, previous = kNone;
        continue;
      }
      if (previous == kNone) {
        if (code >= 256) throw std::invalid_argument("an LZW string that is not known yet");
      } else {
        add(previous, code);
      }
      write(code);
      previous = code;
    }
    if (written_ < out_.size()) throw std::invalid_argument("LZW data end early");
    return std::move(out_);
  }

 private:
  static constexpr unsigned kClear = 256, kEnd = 257, kFirst = 258, kNone = 4096;

  unsigned next_code() {
    while (bits_ < width_) {
      if (at_ == length_) return kEnd;
      buffer_ = buffer_ << 8 | data_[at_++], bits_ += 8;
    }
    bits_ -= width_;
    return buffer_ >> bits_ & ((1u << width_) - 1);
  }

  // The next string: the previous one and the first byte of the one that comes now, which may be the new one itself.
  void add(unsigned previous, unsigned code) {
    if (code > next_ || (code == next_ && next_ == kNone))
      throw std::invalid_argument("an LZW string that is not known yet");
    if (next_ == kNone) return;  // the table is full: only a clear code may follow, but some writers go on
    before_[next_] = static_cast<std::uint16_t>(previous);
    size_[next_] = size_[previous] + 1;
    first_[next_] = first_[previous];
    last_[next_] = code == next_ ? first_[previous] : first_[code];
    ++next_;
    if (next_ + 1 >= (1u << width_) && width_ < 12) ++width_;
  }

  void write(unsigned code) {
    const std::size_t end = written_ + size_[code];
    for (std::size_t at = end; at-- > written_;) {
      if (at < out_.size()) out_[at] = last_[code];
      code = before_[code];
    }
    written_ = end < out_.size() ? end : out_.size();
  }

  const std::uint8_t* data_;
  std::size_t length_, at_ = 0, written_ = 0;
  std::vector<std::uint8_t> out_;
  std::uint32_t buffer_ = 0;
  unsigned bits_ = 0, width_ = 9, next_ = kFirst;
  std::uint16_t before_[4096] = {};
  std::uint32_t size_[4096] = {};
  std::uint8_t first_[4096] = {}, last_[4096] = {};
};

}  // namespace softpq
