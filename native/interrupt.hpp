// Work that takes long asks now and then whether it should stop.
//
// Whoever calls the kernels from outside (module.cpp) puts up a Ticker; the kernels call tick() between blocks, on whatever
// thread they run. Without a Ticker, as in the tests of the kernels, nothing is asked.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <stdexcept>

namespace softpq {

struct Interrupted : std::runtime_error {
  Interrupted() : std::runtime_error("interrupted") {}
};

class Ticker {
 public:
  // `asks` may be slow: it is called at most ten times a second, and only by the thread that made the Ticker.
  explicit Ticker(std::function<bool()> asks) : asks_(std::move(asks)), before_(current()) { current() = this; }
  ~Ticker() { current() = before_; }
  Ticker(const Ticker&) = delete;
  Ticker& operator=(const Ticker&) = delete;

  // The Ticker of this thread, if there is one.
  static Ticker*& current() {
    thread_local Ticker* ticker = nullptr;
    return ticker;
  }

  void check() {
    if (!stop_.load(std::memory_order_relaxed) && current_is_owner() && is_time() && asks_()) stop_ = true;
    if (stop_.load(std::memory_order_relaxed)) throw Interrupted();
  }

  // Lets another thread work for the one that made the Ticker.
  class Helper {
   public:
    explicit Helper(Ticker* ticker) { current() = ticker, helping() = true; }
    ~Helper() { current() = nullptr, helping() = false; }
  };

 private:
  static bool& helping() {
    thread_local bool helps = false;
    return helps;
  }
  bool current_is_owner() const { return !helping(); }
  bool is_time() {
    const auto now = std::chrono::steady_clock::now();
    if (now - last_ < std::chrono::milliseconds(100)) return false;
    last_ = now;
    return true;
  }

  std::function<bool()> asks_;
  Ticker* before_;
  std::atomic<bool> stop_{false};
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

// Call it about every millisecond of work.
inline void tick() {
  if (Ticker* ticker = Ticker::current()) ticker->check();
}

}  // namespace softpq
