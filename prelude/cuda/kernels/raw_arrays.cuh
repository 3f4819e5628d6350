// What the user's text indexes itself, and the number of elements.

#define warpcell_inline __device__ __forceinline__

// An array that the text indexes itself.
template <typename E> struct warpcell_raw {
    E* first;
    long long count;
    warpcell_inline E& operator[](long long at) const { return first[at]; }
    warpcell_inline long long size() const { return count; }
};

// How many elements there are in all.
struct warpcell_index {
    long long count;
    warpcell_inline long long size() const { return count; }
};

