// Runs work(0) .. work(count - 1), one per thread. An exception in any of them reaches the caller.
#pragma once

#include <cstddef>
#include <exception>
#include <system_error>
#include <thread>
#include <vector>

#include "interrupt.hpp"

namespace softpq {

template <class Work>
void run_on_threads(std::size_t count, Work work) {
  std::vector<std::exception_ptr> errors(count);
  auto guarded = [&](std::size_t k) noexcept {
    try {
      work(k);
    } catch (...) {
      errors[k] = std::current_exception();
    }
  };
  Ticker* const ticker = Ticker::current();
  std::vector<std::thread> pool;
  pool.reserve(count);
  for (std::size_t k = 1; k < count; ++k) {
    try {
      pool.emplace_back([&guarded, ticker](std::size_t part) {
        const Ticker::Helper helper(ticker);
        guarded(part);
      }, k);
    } catch (const std::system_error&) {  // the system gives no more threads: do it here
      guarded(k);
    }
  }
  if (count > 0) guarded(0);
  for (std::thread& thread : pool) thread.join();
  for (const std::exception_ptr& error : errors)
    if (error) std::rethrow_exception(error);
}

}  // namespace softpq
