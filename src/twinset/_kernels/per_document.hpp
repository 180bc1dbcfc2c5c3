// Lists of values, one per document, made by several threads: each thread writes one after another
// into memory of its own, and `gather` puts them in the order of the documents.
#pragma once
#include <cstdint>
#include <cstring>
#include <vector>

#include "growing.hpp"
#include "parallel.hpp"

namespace twinset {

template <class T>
struct Gathered {
    Growing<T> values;
    Growing<int64_t> offsets;  // one more than documents
};

template <class T>
class PerDocument {
  public:
    // `guess`: how many values there may be in all.
    PerDocument(size_t documents, int threads, size_t guess = 0)
        : parts_(std::max(threads, 1)), places_(documents) {
        for (auto& part : parts_) part.reserve(guess / parts_.size());
    }

    // The end of the thread's memory; what `finish` finds added to it belongs to the document.
    Growing<T>& begin(size_t document, int worker) {
        places_[document] = {worker, parts_[worker].size(), 0};
        return parts_[worker];
    }
    void finish(size_t document) {
        Place& place = places_[document];
        place.count = parts_[place.worker].size() - place.start;
    }

    Gathered<T> gather() {
        Gathered<T> all;
        int64_t* offset = all.offsets.room(places_.size() + 1);
        all.offsets.grow(places_.size() + 1);
        offset[0] = 0;
        for (size_t i = 0; i < places_.size(); ++i) offset[i + 1] = offset[i] + places_[i].count;
        // A thread takes documents in rising order: if one did all the work, it is in order.
        for (auto& part : parts_)
            if (part.size() == static_cast<size_t>(offset[places_.size()])) {
                all.values = std::move(part);
                all.values.shrink();
                return all;
            }
        copy(all);
        return all;
    }

  private:
    struct Place {
        int worker = 0;
        size_t start = 0;
        size_t count = 0;
    };

    void copy(Gathered<T>& all) {
        const int64_t* offset = all.offsets.data();
        all.values.reserve(offset[places_.size()]);
        T* to = all.values.data();
        all.values.grow(offset[places_.size()]);
        parallel_blocks(places_.size(), 64, static_cast<int>(parts_.size()),
                        [&](size_t begin, size_t end, int) {
                            for (size_t i = begin; i < end; ++i) {
                                const Place& from = places_[i];
                                if (from.count)
                                    std::memcpy(to + offset[i], parts_[from.worker].data() + from.start,
                                                from.count * sizeof(T));
                            }
                        });
    }

    std::vector<Growing<T>> parts_;
    std::vector<Place> places_;
};

}  // namespace twinset
