// Atoms: so many pixels are under exactly these masks of truth and these of pred.
//
// One sweep over the image: at every start or stop of a run the set of masks changes. A set is known by the sum of random
// marks of its members, so that only a set that was not seen before is looked at.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <stdexcept>
#include <vector>

#include "label_index.hpp"
#include "interrupt.hpp"
#include "mask_count.hpp"

namespace softpq {

using Member = std::int32_t;

// One side of all atoms: atom k has the members offsets[k] .. offsets[k + 1], ascending.
struct Sets {
  std::vector<std::int64_t> offsets{0};
  std::vector<Member> members;
};

struct Atoms {
  Sets truth, pred;
  std::vector<std::int64_t> pixels;
};

struct SetsView {
  const std::int64_t* offsets;
  const Member* members;
  const Member* begin(std::size_t atom) const { return members + offsets[atom]; }
  const Member* end(std::size_t atom) const { return members + offsets[atom + 1]; }
  std::size_t size(std::size_t atom) const { return static_cast<std::size_t>(offsets[atom + 1] - offsets[atom]); }
};

struct AtomsView {
  SetsView truth, pred;
  const std::int64_t* pixels;
  std::size_t count;
};

inline SetsView view_of(const Sets& sets) { return {sets.offsets.data(), sets.members.data()}; }
inline AtomsView view_of(const Atoms& atoms) {
  return {view_of(atoms.truth), view_of(atoms.pred), atoms.pixels.data(), atoms.pixels.size()};
}

struct Mark {
  std::uint64_t low = 0, high = 0;
  void add(const Mark& other) { low += other.low, high += other.high; }
  void take(const Mark& other) { low -= other.low, high -= other.high; }
  bool operator==(const Mark& other) const { return low == other.low && high == other.high; }
};

// Where a set was found before: open addressing, as marks are random numbers already.
class SetPlaces {
 public:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  // The place of a mark, or a reference to kNone, to be filled in.
  std::uint32_t& of(const Mark& mark) {
    if (2 * (used_ + 1) > slots_.size()) grow();
    Slot& slot = find(mark);
    if (slot.place == kNone) slot.mark = mark, ++used_;
    return slot.place;
  }

 private:
  struct Slot {
    Mark mark;
    std::uint32_t place = kNone;
  };
  Slot& find(const Mark& mark) {
    std::size_t k = static_cast<std::size_t>(mark.low) & (slots_.size() - 1);
    while (slots_[k].place != kNone && !(slots_[k].mark == mark)) k = (k + 1) & (slots_.size() - 1);
    return slots_[k];
  }
  void grow() {
    std::vector<Slot> before(std::max<std::size_t>(1024, 4 * slots_.size()));
    before.swap(slots_);
    for (const Slot& slot : before)
      if (slot.place != kNone) find(slot.mark) = slot;
  }
  std::vector<Slot> slots_;
  std::size_t used_ = 0;
};

inline std::uint64_t random_bits(std::uint64_t x) {  // the finalizer of splitmix64
  x += 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

// Nobody knows the keys beforehand: masks that were made so that two sets have one sum do not.
inline Mark mark_of(std::uint64_t object) {
  const HashKeys& keys = HashKeys::secret();
  return {random_bits(keys.mask ^ random_bits(keys.factor + 2 * object)),
          random_bits(keys.factor ^ random_bits(keys.mask + 2 * object + 1))};
}

// Every atom once, in order of its sets; members ascend, none twice. What has no member is left out.
inline Atoms in_order(const AtomsView& atoms) {
  Atoms sorted;
  const auto append = [](const SetsView& from, std::size_t atom, Sets& to) {
    const auto begin = static_cast<std::ptrdiff_t>(to.members.size());
    to.members.insert(to.members.end(), from.begin(atom), from.end(atom));
    if (!std::is_sorted(to.members.begin() + begin, to.members.end()))
      std::sort(to.members.begin() + begin, to.members.end());
    to.members.erase(std::unique(to.members.begin() + begin, to.members.end()), to.members.end());
    to.offsets.push_back(static_cast<std::int64_t>(to.members.size()));
  };
  for (std::size_t k = 0; k < atoms.count; ++k) {
    if ((k & 0xfff) == 0) tick();
    append(atoms.truth, k, sorted.truth);
    append(atoms.pred, k, sorted.pred);
  }
  const SetsView truth = view_of(sorted.truth), pred = view_of(sorted.pred);
  const auto compare = [](const SetsView& sets, std::size_t a, std::size_t b) {
    const auto [x, y] = std::mismatch(sets.begin(a), sets.end(a), sets.begin(b), sets.end(b));
    if (x == sets.end(a)) return y == sets.end(b) ? 0 : -1;
    return y == sets.end(b) || *y < *x ? 1 : -1;
  };
  std::vector<std::uint32_t> order(atoms.count);
  std::iota(order.begin(), order.end(), 0u);
  std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    const int by_truth = compare(truth, a, b);
    return by_truth ? by_truth < 0 : compare(pred, a, b) < 0;
  });
  Atoms found;
  std::size_t last = 0;
  for (const std::size_t atom : order) {
    if (truth.size(atom) + pred.size(atom) == 0 || atoms.pixels[atom] == 0) continue;
    if (!found.pixels.empty() && compare(truth, last, atom) == 0 && compare(pred, last, atom) == 0) {
      found.pixels.back() += atoms.pixels[atom];
      continue;
    }
    last = atom;
    append(truth, atom, found.truth);
    append(pred, atom, found.pred);
    found.pixels.push_back(atoms.pixels[atom]);
  }
  return found;
}

// The masks over the present pixel; one goes by being replaced with the last.
class Present {
 public:
  explicit Present(std::size_t objects) : place_(objects, 0) {}
  void enter(std::uint32_t object) {
    place_[object] = static_cast<std::uint32_t>(members_.size());
    members_.push_back(object);
  }
  void leave(std::uint32_t object) {
    members_[place_[object]] = members_.back();
    place_[members_.back()] = place_[object];
    members_.pop_back();
  }
  const std::vector<std::uint32_t>& members() const { return members_; }

 private:
  std::vector<std::uint32_t> place_, members_;
};

class Sweep {
 public:
  // Throws where all sets together would have more than `most` members.
  Sweep(const RunsView& truth, const RunsView& pred, std::int64_t pixels, std::size_t most)
      : most_(most), truths_(truth.masks), present_(truth.masks + pred.masks), marks_(truth.masks + pred.masks) {
    for (std::size_t k = 0; k < marks_.size(); ++k) marks_[k] = mark_of(k);
    gather(truth, pred, pixels);
  }

  Atoms atoms() {
    Mark mark;
    std::int64_t before = 0;
    for (std::size_t bucket = 0; bucket + 1 < first_.size(); ++bucket) {
      if ((bucket & 0xff) == 0) tick();
      const auto begin = events_.begin() + static_cast<std::ptrdiff_t>(first_[bucket]);
      const auto end = events_.begin() + static_cast<std::ptrdiff_t>(first_[bucket + 1]);
      std::sort(begin, end, [](const Event& a, const Event& b) { return a.at < b.at; });
      for (auto event = begin; event != end; ++event) {
        if (event->at > before && !present_.members().empty()) count(mark, event->at - before);
        before = event->at;
        const std::uint32_t object = event->code >> 1;
        if (event->code & 1) present_.enter(object), mark.add(marks_[object]);
        else present_.leave(object), mark.take(marks_[object]);
      }
    }
    return in_order(view_of(found_));
  }

 private:
  struct Event {
    std::int64_t at;
    std::uint32_t code;  // object and whether it enters
  };

  void gather(const RunsView& truth, const RunsView& pred, std::int64_t pixels) {
    const std::size_t events = 2 * (truth.runs() + pred.runs());
    const std::int64_t length = pixels / static_cast<std::int64_t>(events / 16 + 1) + 1;
    first_.assign(static_cast<std::size_t>(pixels / length) + 2, 0);
    for_each_event(truth, pred, [&](const Event& event) { ++first_[static_cast<std::size_t>(event.at / length) + 1]; });
    for (std::size_t k = 1; k < first_.size(); ++k) first_[k] += first_[k - 1];
    events_.resize(events);
    std::vector<std::size_t> next(first_.begin(), first_.end() - 1);
    for_each_event(truth, pred,
                   [&](const Event& event) { events_[next[static_cast<std::size_t>(event.at / length)]++] = event; });
  }

  template <class Body>
  void for_each_event(const RunsView& truth, const RunsView& pred, Body body) const {
    for (const RunsView* side : {&truth, &pred})
      for (std::size_t mask = 0; mask < side->masks; ++mask) {
        const auto object = static_cast<std::uint32_t>(side == &truth ? mask : truths_ + mask);
        for (std::int64_t k = side->offsets[mask]; k < side->offsets[mask + 1]; ++k) {
          body(Event{side->starts[k], 2 * object + 1});
          body(Event{side->stops[k], 2 * object});
        }
      }
  }

  void count(const Mark& mark, std::int64_t pixels) {
    std::uint32_t& place = place_of_.of(mark);
    if (place != SetPlaces::kNone) {
      found_.pixels[place] += pixels;
      return;
    }
    place = static_cast<std::uint32_t>(found_.pixels.size());
    members_ += present_.members().size();
    if (members_ > most_) throw std::length_error("masks are nested too deep");
    for (const std::uint32_t object : present_.members()) {
      if (object < truths_) found_.truth.members.push_back(static_cast<Member>(object));
      else found_.pred.members.push_back(static_cast<Member>(object - truths_));
    }
    found_.truth.offsets.push_back(static_cast<std::int64_t>(found_.truth.members.size()));
    found_.pred.offsets.push_back(static_cast<std::int64_t>(found_.pred.members.size()));
    found_.pixels.push_back(pixels);
  }

  std::size_t most_, members_ = 0, truths_;
  Present present_;
  std::vector<Mark> marks_;
  std::vector<std::size_t> first_;
  std::vector<Event> events_;
  SetPlaces place_of_;
  Atoms found_;
};

// Areas of both sides and pairs, ordered by truth, then pred, summed over atoms.
struct AtomTable {
  std::vector<std::int64_t> truth_areas, pred_areas;
  MaskPairs pairs;
};

inline AtomTable table_of(const AtomsView& atoms, std::size_t truths, std::size_t preds) {
  AtomTable table{std::vector<std::int64_t>(truths, 0), std::vector<std::int64_t>(preds, 0), {}};
  std::vector<std::vector<std::uint32_t>> atoms_of(truths);
  for (std::size_t k = 0; k < atoms.count; ++k) {
    for (const Member* t = atoms.truth.begin(k); t != atoms.truth.end(k); ++t) {
      table.truth_areas[static_cast<std::size_t>(*t)] += atoms.pixels[k];
      atoms_of[static_cast<std::size_t>(*t)].push_back(static_cast<std::uint32_t>(k));
    }
    for (const Member* p = atoms.pred.begin(k); p != atoms.pred.end(k); ++p)
      table.pred_areas[static_cast<std::size_t>(*p)] += atoms.pixels[k];
  }
  std::vector<std::int64_t> row(preds, 0);
  std::vector<Member> touched;
  for (std::size_t t = 0; t < truths; ++t) {
    tick();
    for (const std::uint32_t k : atoms_of[t])
      for (const Member* p = atoms.pred.begin(k); p != atoms.pred.end(k); ++p) {
        if (row[static_cast<std::size_t>(*p)] == 0) touched.push_back(*p);
        row[static_cast<std::size_t>(*p)] += atoms.pixels[k];
      }
    std::sort(touched.begin(), touched.end());
    for (const Member p : touched) {
      table.pairs.truth.push_back(static_cast<std::int64_t>(t));
      table.pairs.pred.push_back(p);
      table.pairs.pixels.push_back(row[static_cast<std::size_t>(p)]);
      row[static_cast<std::size_t>(p)] = 0;
    }
    touched.clear();
  }
  return table;
}

}  // namespace softpq
